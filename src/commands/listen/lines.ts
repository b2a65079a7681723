import type { PlannedResponse } from '../../listen/planned-response.js';
import type { EventNote, Notes } from '../../listen/notes.js';
import type { ReceivedRequest } from '../../listen/received-request.js';
import { printable } from '../../output/printable.js';
import { count } from '../../output/progress.js';
import type { Paint } from '../../output/text.js';

/** Column widths; longer texts are not cut and shift the next columns. */
const widths = { type: 8, name: 24, user: 16, signature: 9, size: 9 };

/** The lines for a request: one, and for a batch one more per event. */
export function requestLines(received: ReceivedRequest, notes: Notes, paint: Paint): string[] {
  const first = requestLine(received, notes, paint);
  if (!notes.isBatch) return [first];
  return [first, ...notes.events.map((event) => eventLine(event))];
}

function requestLine(received: ReceivedRequest, notes: Notes, paint: Paint): string {
  const { receivedAt, signature, bytes } = received;
  return [
    paint.dim(timeOf(receivedAt)),
    ...columnsOf(notes.isBatch ? batchNote(notes) : noteOf(received)),
    colorOf(signature, paint)(signature.padEnd(widths.signature)),
    sizeOf(bytes).padStart(widths.size),
    responseText(received, paint),
  ].join('  ');
}

type Shown = Pick<EventNote, 'name' | 'user'> & { readonly type: string };

/** A request without an event is shown by its method and path. */
function noteOf({ summary, method, path }: ReceivedRequest): Shown {
  const { type, name, user } = summary;
  if (type !== null) return { type, name, user };
  return { type: '-', name: `${method} ${path.replace(/\?.*/s, '')}`, user: null };
}

function batchNote({ events }: Notes): Shown {
  return {
    type: 'batch',
    name: events.length === 1 ? '1 event' : `${count(events.length)} events`,
    user: null,
  };
}

/** Aligned with the columns of its request. */
function eventLine(event: EventNote): string {
  return [' '.repeat(timeWidth), ...columnsOf({ ...event, type: ` ${event.type}` })]
    .join('  ')
    .trimEnd();
}

function columnsOf({ type, name, user }: Shown): string[] {
  return [
    printable(type).padEnd(widths.type),
    printable(name ?? '-').padEnd(widths.name),
    printable(user ?? '-').padEnd(widths.user),
  ];
}

const timeWidth = '12:00:00.000'.length;

/** Local time of day. */
function timeOf(ms: number): string {
  const time = new Date(ms);
  const parts = [time.getHours(), time.getMinutes(), time.getSeconds()];
  const clock = parts.map((part) => String(part).padStart(2, '0')).join(':');
  return `${clock}.${String(time.getMilliseconds()).padStart(3, '0')}`;
}

/** `512 B`, `12.3 KB`, `1.0 MB`. */
function sizeOf(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  if (bytes < 1024 * 1024) return `${(bytes / 1024).toFixed(1)} KB`;
  return `${(bytes / 1024 / 1024).toFixed(1)} MB`;
}

function colorOf(verdict: ReceivedRequest['signature'], paint: Paint): (text: string) => string {
  const colors = {
    valid: paint.green,
    invalid: paint.red,
    missing: paint.yellow,
    unchecked: paint.dim,
  };
  return colors[verdict];
}

/** `200`, `503 by fault status=503,rate=10%`. */
function responseText({ response, fault }: ReceivedRequest, paint: Paint): string {
  const text = wordOf(response);
  const shown =
    response.status !== null && response.status < 400 ? paint.green(text) : paint.red(text);
  return fault === null ? shown : `${shown} ${paint.dim(`by ${printable(fault)}`)}`;
}

function wordOf({ status, kind }: PlannedResponse): string {
  return status === null ? kind : String(status);
}
