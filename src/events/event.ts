import type { Member } from './members.js';

/** The calls of the analytics spec, and the deletion notice that webhooks get. */
export const eventTypes = [
  'identify',
  'track',
  'page',
  'screen',
  'group',
  'alias',
  'delete',
] as const;

export type EventType = (typeof eventTypes)[number];

/** Where an event came from: enough to point a person at it, and to read it again. */
export interface Origin {
  /** Path as the user gave it; `-` is standard input, `flags` a built event. */
  readonly file: string;
  /** Line number, from 1. */
  readonly line: number;
  /** Offset of the line's first byte in the (inflated) file. */
  readonly offset: number;
  /** Length of the line in bytes, without its line end. */
  readonly length: number;
}

/**
 * One analytics call as its own text. `bytes` is what is sent, in spans; `value` is what it was
 * judged by, and is never encoded again.
 */
export interface Event {
  /** The JSON text of the event: one object, no space around it. */
  readonly bytes: Buffer;
  /** `JSON.parse` of `bytes`. */
  readonly value: Readonly<Record<string, unknown>>;
  /** The top-level members of `bytes`, in the order of the text. */
  readonly members: readonly Member[];
  /** Levels of nesting; the event itself is the first. */
  readonly depth: number;
  readonly origin: Origin;
  /** The messageId that an earlier run gave to this event, when its dead letter says so. */
  readonly givenId?: string;
  /** Which of the events of one line this is, from 0, where a line became several. */
  readonly part?: number;
}

/** Why a line is not an event that can be sent. */
export interface Problem {
  /** Stable name of the rule that is broken. */
  readonly code: string;
  /** One sentence for a person, without the place. */
  readonly message: string;
  readonly origin: Origin;
  /** The text of the event, or of the whole line where no event could be made out. */
  readonly bytes: Buffer;
  /** Whether `bytes` is JSON text. */
  readonly isJson: boolean;
  /** The messageId that an earlier run gave to this event. */
  readonly givenId?: string;
}

export function isProblem(item: Event | Problem): item is Problem {
  return 'code' in item;
}

/** The origin of an event that was not read from a file. */
export function builtHere(name: string, length: number): Origin {
  return { file: name, line: 1, offset: 0, length };
}

/** A copy that no longer holds on to the buffer that the event was read into. */
export function copyEvent(event: Event): Event {
  return { ...event, bytes: Buffer.from(new Uint8Array(event.bytes)) };
}

/** The same without what it is judged by and sent from: for an event that may only be told of. */
export function detachEvent(event: Event): Event {
  return { ...copyEvent(event), value: forgotten, members: noMembers };
}

/**
 * Lets go of what an event was judged by, once all that is sent of it has been put together: many wait
 * for their answers, and what they were parsed into would fill memory.
 */
export function forgetValue(event: Event): void {
  const judged = event as { value: Event['value']; members: Event['members'] };
  judged.value = forgotten;
  judged.members = noMembers;
}

const forgotten: Event['value'] = {};
const noMembers: Event['members'] = [];

/** What an event was judged by, parsed again where it was let go. */
export function valueOf(event: Event): Event['value'] {
  if (event.value !== forgotten) return event.value;
  return JSON.parse(event.bytes.toString('utf8')) as Event['value'];
}
