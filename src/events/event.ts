import type { KnownName } from '../json/known-names.js';
import type { Member } from '../json/members.js';

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
 * One analytics call as its own text. `bytes` is what is sent, in spans; `value` is what they mean, and
 * is never encoded again.
 */
export interface Event {
  /** The JSON text of the event: one object, no space around it. */
  readonly bytes: Buffer;
  readonly type: EventType;
  /** `JSON.parse` of `bytes`, when it is first asked for. */
  readonly value: Readonly<Record<string, unknown>>;
  /** The top-level members of `bytes`, in the order of the text. */
  readonly members: readonly Member[];
  readonly origin: Origin;
  /** The messageId that an earlier run gave to this event, when its dead letter says so. */
  readonly givenId?: string | undefined;
  /** Which of the events of one line this is, from 0, where a line became several. */
  readonly part?: number | undefined;
  /** One of the members; cheaper than all of them. */
  find(name: KnownName): Member | undefined;
  /** Lets go of all that was found in the text so far: many events wait, and it would fill memory. */
  release(): void;
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
