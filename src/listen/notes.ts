import { eventTypes, type EventType } from '../events/event.js';
import { scanElements, type Element } from '../json/elements.js';
import { isObject } from '../json/is-object.js';
import { findMember, scanMembers } from '../json/members.js';
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
}

/** A request as a list shows it. */
export interface Summary {
  /** `batch` for several events; of a request without one, what a header calls it; null if nothing is known. */
  readonly type: string | null;
  readonly name: string | null;
  readonly user: string | null;
  readonly messageId: string | null;
  readonly events: number;
}

/** The events of a body, and whether they are in a `batch` array. */
export interface Notes {
  readonly events: readonly EventNote[];
  readonly isBatch: boolean;
}

/**
 * Finds the events in a body, without validating them. A body that is not JSON has none.
 *
 * @param path of the request; in the collection API it may be the type of the call
 */
export function notesOf(body: Buffer, path: string): Notes {
  const bytes = mayBeObject(body) ? inflated(body) : undefined;
  const value = bytes && parseObject(bytes);
  if (!value) return none;
  if (Array.isArray(value.batch)) return notesOfBatch(value.batch, bytes);
  const type = textOf(value.type) ?? typeOfPath(path);
  if (type === null) return none;
  return { events: [noteOf(type, value, () => bytes)], isBatch: false };
}

/** @param headers names and values in turn */
export function summaryOf({ events, isBatch }: Notes, headers: readonly string[] = []): Summary {
  if (events.length !== 1) {
    const type = isBatch ? 'batch' : typeOfHeaders(headers);
    return { ...nothing, type, events: events.length };
  }
  const { type, name, user, messageId } = events[0]!;
  return { type, name, user, messageId, events: 1 };
}

const none: Notes = { events: [], isBatch: false };
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

/** A brace, space before one, or gzip: anything else cannot be an object. */
function mayBeObject(body: Buffer): boolean {
  const first = body[0];
  return first === 0x7b || first === 0x1f || (first ?? 0xff) <= 0x20;
}

function parseObject(bytes: Buffer): Value | undefined {
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8'));
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function notesOfBatch(batch: readonly unknown[], bytes: Buffer): Notes {
  let elements: readonly Element[] | undefined;
  const events = batch.flatMap((value, i) => {
    const type = isObject(value) ? textOf(value.type) : null;
    if (type === null) return [];
    return noteOf(type, value as Value, () => {
      elements ??= elementsOfBatch(bytes);
      const { start, end } = elements[i]!;
      return bytes.subarray(start, end);
    });
  });
  return { events, isBatch: true };
}

/** The spans of the calls of a batch; `bytes` must be an object with a `batch` array. */
export function elementsOfBatch(bytes: Buffer): Element[] {
  const batch = scanMembers(bytes).members.findLast(({ name }) => name === 'batch');
  return scanElements(bytes, batch!.start);
}

/** `bytesOf` returns the event's own text, which is only needed for large numbers. */
function noteOf(type: string, value: Value, bytesOf: () => Buffer): EventNote {
  const id = (name: string): string | null => idOf(value, name, bytesOf);
  return {
    type: short(type),
    name: nameOf(type, value, id),
    user: id('userId') ?? id('User ID') ?? id('anonymousId'),
    messageId: id('messageId'),
  };
}

function nameOf(type: string, value: Value, id: (name: string) => string | null): string | null {
  if (type === 'group') return id('groupId');
  if (type === 'track') return id('event');
  return type === 'page' || type === 'screen' ? id('name') : null;
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
