import type { PlannedResponse } from '../../listen/planned-response.js';
import type { EventNote, Notes } from '../../listen/notes.js';
import type { ReceivedRequest } from '../../listen/received-request.js';
import { pathWithoutQuery } from '../../receive/rules/path-pattern.js';
import { printable } from '../../output/printable.js';
import { cutTo, fitted, padded } from '../../output/columns.js';
import { count, countOf } from '../../output/numbers.js';
import type { Paint } from '../../output/text.js';
import { responseNotes } from './response-notes.js';
import { signatureWidth, timeWidth, type Layout } from './layout.js';

/** The lines for a request: one, and for a batch one more per event, up to a thousand. */
export function requestLines(
  received: ReceivedRequest,
  notes: Notes,
  { paint, layout }: LineStyle,
): string[] {
  const first = requestLine(received, notes, { paint, layout });
  if (!notes.isBatch) return [first];
  const shown = notes.events.slice(0, maxEventLines).map((event) => eventLine(event, layout));
  const left = notes.events.length - shown.length;
  const rest = left === 0 ? [] : [`  (${countOf(left, 'more event')})`];
  return [first, ...shown, ...rest];
}

/** More than the batches of common clients have; a body can hold thirty times as many. */
const maxEventLines = 1_000;

export interface LineStyle {
  readonly paint: Paint;
  readonly layout: Layout;
}

function requestLine(
  received: ReceivedRequest,
  notes: Notes,
  { paint, layout }: LineStyle,
): string {
  const { receivedAt, signature, bytes, path } = received;
  const cells = [paint.dim(timeOf(receivedAt, layout))];
  addEvent(cells, notes.isBatch ? batchNote(received, notes) : noteOf(received, layout), layout);
  addCell(cells, pathWithoutQuery(path), layout.path, layout);
  cells.push(paint[signatureColors[signature]](signature.padEnd(signatureWidth)));
  if (layout.size > 0) cells.push(sizeOf(bytes).padStart(layout.size));
  cells.push(responseText(received, { paint, layout }));
  return cells.join(' '.repeat(layout.gap));
}

type Shown = Pick<EventNote, 'name' | 'user'> & { readonly type: string };

/** The headings of the columns, above the first request. */
export function headingLine({ paint, layout }: LineStyle): string {
  const cells = ['time'.padEnd(layout.hasMilliseconds ? timeWidth.long : timeWidth.short)];
  addCell(cells, 'event', layout.event, layout);
  addCell(cells, 'user', layout.user, layout);
  addCell(cells, 'path', layout.path, layout);
  cells.push('signature'.padEnd(signatureWidth));
  if (layout.size > 0) cells.push('size'.padStart(layout.size));
  cells.push('response');
  return paint.dim(cells.join(' '.repeat(layout.gap)));
}

/** A request without an event is shown by its method and path. */
function noteOf({ summary, method, path }: ReceivedRequest, layout: Layout): Shown {
  const { type, name, user } = summary;
  if (type !== null) return { type, name, user };
  const what = layout.path > 0 ? method : `${method} ${pathWithoutQuery(path)}`;
  return { type: what, name: null, user: null };
}

function batchNote({ summary: { user } }: ReceivedRequest, { events, others }: Notes): Shown {
  const rest = others === 0 ? '' : ` and ${count(others)} other`;
  const users = new Set(events.flatMap((event) => event.user ?? []));
  const several = users.size > 1 ? countOf(users.size, 'user') : null;
  const type = `batch of ${countOf(events.length, 'event')}${rest}`;
  return { type, name: null, user: user ?? several };
}

/** Aligned with the columns of its request. */
function eventLine(event: EventNote, layout: Layout): string {
  const cells = [' '.repeat(layout.hasMilliseconds ? timeWidth.long : timeWidth.short)];
  addEvent(cells, { ...event, type: ` ${event.type}` }, layout);
  return cells.join(' '.repeat(layout.gap)).trimEnd();
}

/** Adds to `cells`, since a list for each column costs time with every request. */
function addEvent(cells: string[], { type, name, user }: Shown, layout: Layout): void {
  addCell(cells, name === null ? type : `${type} ${name}`, layout.event, layout);
  addCell(cells, user ?? '-', layout.user, layout);
}

/** Adds nothing if the column is left out. */
function addCell(cells: string[], text: string, width: number, { isCut }: Layout): void {
  if (width === 0) return;
  const shown = printable(text);
  cells.push(isCut ? fitted(shown, width) : padded(shown, width));
}

/** Local time of day. */
function timeOf(ms: number, { hasMilliseconds }: Layout): string {
  const clock = clockOf(Math.floor(ms / 1000));
  return hasMilliseconds ? `${clock}.${String(ms % 1000).padStart(3, '0')}` : clock;
}

/** Of the newest second that was shown: most requests of a second share it. */
let newestClock = { second: NaN, text: '' };

function clockOf(second: number): string {
  if (second !== newestClock.second) {
    const time = new Date(second * 1000);
    const parts = [time.getHours(), time.getMinutes(), time.getSeconds()];
    const text = parts.map((part) => String(part).padStart(2, '0')).join(':');
    newestClock = { second, text };
  }
  return newestClock.text;
}

/** `512 B`, `12.3 KB`, `1.0 MB`. */
function sizeOf(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  if (bytes < 1024 * 1024) return `${(bytes / 1024).toFixed(1)} KB`;
  return `${(bytes / 1024 / 1024).toFixed(1)} MB`;
}

const signatureColors = {
  valid: 'green',
  invalid: 'red',
  missing: 'yellow',
  unchecked: 'dim',
} as const;

/** `200`, `503 by status=503,rate=10%`, `200 expired, from the app`. */
function responseText(received: ReceivedRequest, { paint, layout }: LineStyle): string {
  const { response } = received;
  const text = cutTo(wordOf(response), Math.max(3, layout.response));
  const isGood = response.status !== null && response.status < 400;
  const shown = isGood ? paint.green(text) : paint.red(text);
  const notes = responseNotes(received);
  const rest = notes === '' ? '' : cutTo(notes, layout.response - text.length - 1);
  return rest === '' ? shown : `${shown} ${paint.dim(rest)}`;
}

function wordOf({ status, kind }: PlannedResponse): string {
  return status === null ? kind : String(status);
}
