import { eventTypes, type EventType } from '../events/event.js';
import { scanElements, type Element } from '../json/elements.js';
import { isObject } from '../json/is-object.js';
import { findMember, scanMembers } from '../json/members.js';
import { skipSpace } from '../json/scan.js';
import { inflated } from '../receive/inflate.js';

/** One event as a list shows it. */
export interface EventNote {
  /** As in the event, known or not. */
  readonly type: string;
  /** The event's name (track), the page's or screen's name, or the group's id. */
  readonly name: string | null;
  /** The userId, or the anonymousId without one. */
  readonly user: string | null;
  readonly messageId: string | null;
  /** Of an event in an array: its position there. */
  readonly index?: number | undefined;
}

/** A request as a list shows it. */
export interface Summary {
  /** `batch` for several events; of a request without one, what a header calls it; null if nothing is known. */
  readonly type: string | null;
  /** Of several events, how many there are of each type: `2 track, 1 page of 2 users`. */
  readonly name: string | null;
  /** Of several events, the user of all of them; null if there are several. */
  readonly user: string | null;
  readonly messageId: string | null;
  readonly events: number;
}

/** The events of a body. */
export interface Notes {
  readonly events: readonly EventNote[];
  /** Whether they are in an array: the body itself, or its member `batch`. */
  readonly isBatch: boolean;
  /** How many elements of the array are no events. */
  readonly others: number;
}

/**
 * Finds the events in a body, without validating them. A body that is not JSON has none.
 *
 * @param path of the request; in the collection API it may be the type of the call
 */
export function notesOf(body: Buffer, path: string): Notes {
  const bytes = mayHaveEvents(body) ? inflated(body) : undefined;
  const value = bytes && parsed(bytes);
  if (Array.isArray(value)) return notesOfArray(value, bytes!);
  if (!isObject(value)) return none;
  if (Array.isArray(value.batch)) return notesOfBatch(value.batch, bytes!);
  const type = textOf(value.type) ?? typeOfPath(path);
  if (type === null) return none;
  return { events: [noteOf(type, value, () => bytes!)], isBatch: false, others: 0 };
}

/** @param headers names and values in turn */
export function summaryOf({ events, isBatch }: Notes, headers: readonly string[] = []): Summary {
  const [first, second] = events;
  if (!first) return { ...nothing, type: isBatch ? 'batch' : typeOfHeaders(headers), events: 0 };
  if (second) return { type: 'batch', ...summaryOfSeveral(events) };
  const { type, name, user, messageId } = first;
  return { type, name, user, messageId, events: 1 };
}

function summaryOfSeveral(events: readonly EventNote[]): Omit<Summary, 'type'> {
  const numbers = new Map<string, number>();
  for (const { type } of events) numbers.set(type, (numbers.get(type) ?? 0) + 1);
  const users = new Set(events.map(({ user }) => user));
  const known = users.size - (users.has(null) ? 1 : 0);
  const types = [...numbers].slice(0, shownTypes).map(([type, number]) => `${number} ${type}`);
  if (numbers.size > shownTypes) types.push('…');
  const of = known > 1 ? ` of ${known} users` : '';
  const [user = null] = users.size === 1 ? users : [];
  const name = short(`${types.join(', ')}${of}`);
  return { name, user, messageId: null, events: events.length };
}

/** How many types of several events are named. */
const shownTypes = 3;

const none: Notes = { events: [], isBatch: false, others: 0 };
const nothing = { name: null, user: null, messageId: null };

/** Where senders name an event that their body does not name: GitHub, Gitea, GitLab, Bitbucket, Shopify, CloudEvents. */
const typeHeaders = new Set([
  'x-github-event',
  'x-gitea-event',
  'x-gitlab-event',
  'x-event-key',
  'x-shopify-topic',
  'ce-type',
]);

function typeOfHeaders(headers: readonly string[]): string | null {
  for (let i = 0; i + 1 < headers.length; i += 2) {
    if (typeHeaders.has(headers[i]!.toLowerCase())) return textOf(headers[i + 1]);
  }
  return null;
}

type Value = Readonly<Record<string, unknown>>;

const brace = 0x7b;
const bracket = 0x5b;

/** A brace, a bracket, space before one, or gzip: anything else is neither an object nor an array. */
function mayHaveEvents(body: Buffer): boolean {
  const first = body[0];
  return first === brace || first === bracket || first === 0x1f || (first ?? 0xff) <= 0x20;
}

function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    return undefined;
  }
}

/** An array without any event is some other JSON. */
function notesOfArray(array: readonly unknown[], bytes: Buffer): Notes {
  const notes = notesOfBatch(array, bytes);
  return notes.events.length === 0 ? none : notes;
}

function notesOfBatch(batch: readonly unknown[], bytes: Buffer): Notes {
  let elements: readonly Element[] | undefined;
  let index = 0;
  // One closure for all events: a batch may have tens of thousands. `noteOf` calls it at once, if at all.
  const bytesOf = (): Buffer => {
    elements ??= elementsOfBatch(bytes);
    const { start, end } = elements[index]!;
    return bytes.subarray(start, end);
  };
  const events: EventNote[] = [];
  for (; index < batch.length; index++) {
    const value = batch[index];
    const type = isObject(value) ? textOf(value.type) : null;
    if (type !== null) events.push(noteOf(type, value as Value, bytesOf, index));
  }
  return { events, isBatch: true, others: batch.length - events.length };
}

/** The spans of the events of a batch; `bytes` must be an array, or an object with a `batch` array. */
export function elementsOfBatch(bytes: Buffer): Element[] {
  if (isArrayText(bytes)) return scanElements(bytes, skipSpace(bytes, 0));
  const batch = scanMembers(bytes).members.findLast(({ name }) => name === 'batch');
  return scanElements(bytes, batch!.start);
}

/** Whether JSON text is an array. */
export function isArrayText(bytes: Buffer): boolean {
  return bytes[skipSpace(bytes, 0)] === bracket;
}

/** `bytesOf` returns the event's own text, which is only needed for large numbers. */
function noteOf(type: string, value: Value, bytesOf: () => Buffer, index?: number): EventNote {
  // Also its `index`: a copy by a spread, `{ ...note, index }`, takes five times the memory on Node 20.
  return {
    type: short(type),
    name: nameOf(type, value, bytesOf),
    user:
      idOf(value, 'userId', bytesOf) ??
      idOf(value, 'User ID', bytesOf) ??
      idOf(value, 'anonymousId', bytesOf),
    messageId: idOf(value, 'messageId', bytesOf),
    index,
  };
}

function nameOf(type: string, value: Value, bytesOf: () => Buffer): string | null {
  if (type === 'group') return idOf(value, 'groupId', bytesOf);
  if (type === 'track') return idOf(value, 'event', bytesOf);
  return type === 'page' || type === 'screen' ? idOf(value, 'name', bytesOf) : null;
}

function idOf(value: Value, name: string, bytesOf: () => Buffer): string | null {
  const id = value[name];
  if (typeof id !== 'number') return textOf(id);
  if (Number.isSafeInteger(id)) return String(id);
  const bytes = bytesOf();
  const member = findMember(scanMembers(bytes).members, name);
  return member ? short(bytes.toString('utf8', member.start, member.end)) : String(id);
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? short(value) : null;
}

const maxText = 200;

/** A cut text is copied: otherwise ten thousand kept ones would keep their whole bodies in memory. */
function short(text: string): string {
  if (text.length <= maxText) return text;
  return Buffer.from(`${text.slice(0, maxText - 1)}…`, 'utf16le').toString('utf16le');
}

const pathForm = /^\/+v1\/+([a-z]+)\/*(?:\?|$)/;

/** `/v1/track`, `/v1/t`: the documented single calls, and those of the browser client. */
function typeOfPath(path: string): EventType | null {
  const word = pathForm.exec(path)?.[1];
  const calls = eventTypes.filter((type) => type !== 'delete');
  return calls.find((type) => [type, type.slice(0, 1)].includes(word ?? '')) ?? null;
}
