import type { KnownName } from '../json/known-names.js';
import type { Member } from '../json/member.js';

/**
 * The calls of the analytics spec, and the deletion notice that webhooks receive.
 * @internal
 */
export const eventTypes = [
  'identify',
  'track',
  'page',
  'screen',
  'group',
  'alias',
  'delete',
] as const satisfies readonly EventType[];

/** The type of an event: a call of the analytics spec, or the deletion notice that webhooks receive. */
export type EventType = 'identify' | 'track' | 'page' | 'screen' | 'group' | 'alias' | 'delete';

/** The source of an event: enough to show it to a person and to read it again. */
export interface Origin {
  /** Path as it was passed; `-` is standard input. */
  readonly file: string;
  /** Line number, from 1. */
  readonly line: number;
  /** Offset of the line's first byte in the (inflated) file. */
  readonly offset: number;
  /** Length of the line in bytes, without its newline. */
  readonly length: number;
}

/**
 * One analytics call as its own text. Spans of `bytes` are sent; `value` is their parsed meaning and is
 * never encoded again.
 */
export interface Event {
  /** The JSON text of the event: one object, no space around it. */
  readonly bytes: Buffer;
  readonly type: EventType;
  /** `JSON.parse` of `bytes`, run on first use. */
  readonly value: Readonly<Record<string, unknown>>;
  /** The top-level members of `bytes`, in the order of the text. */
  readonly members: readonly Member[];
  readonly origin: Origin;
  /**
   * The messageId that an earlier run gave to this event, if its dead letter has one.
   * @internal
   */
  readonly givenId?: string | undefined;
  /**
   * Index of this event among those that one line became.
   * @internal
   */
  readonly part?: number | undefined;
  /**
   * The record of which the event was made, where its text is another.
   * @internal
   */
  readonly record?: Buffer | undefined;
  /**
   * One member; cheaper than `members`.
   * @internal
   */
  find(name: KnownName): Member | undefined;
  /**
   * A copy that keeps nothing but its bytes in memory, of an item that is no analytics call.
   * @internal
   */
  detached?(): Event;
  /**
   * Drops the cached value and members: many events wait, and the caches would fill memory.
   * @internal
   */
  release(): void;
}

/** Why a line is not an event that can be sent. */
export interface Problem {
  /** Stable name of the broken rule. */
  readonly code: string;
  /** One sentence for a person, without the location. */
  readonly message: string;
  readonly origin: Origin;
  /** The text of the event, or of the whole line where no event could be made out. */
  readonly bytes: Buffer;
  /** Whether `bytes` is JSON text. */
  readonly isJson: boolean;
  /**
   * Whether a transform may not make an event of it: a map or a step has failed, or `bytes` is one of several parts.
   * @internal
   */
  readonly isFinal?: boolean;
  /**
   * The messageId that an earlier run gave to this event.
   * @internal
   */
  readonly givenId?: string;
  /**
   * The record of which `bytes` was made, where the two differ.
   * @internal
   */
  readonly record?: Buffer;
}

/** @internal */
export function isProblem(item: Item): item is Problem {
  return 'code' in item;
}

/**
 * What one record became: no event, or several.
 * @internal
 */
export interface Expansion {
  readonly origin: Origin;
  /** The text of the record. */
  readonly bytes: Buffer;
  readonly items: readonly (Event | Problem)[];
}

/**
 * What a line of an event file is.
 * @internal
 */
export type Item = Event | Problem | Expansion;

/** @internal */
export function isExpansion(item: Item): item is Expansion {
  return 'items' in item;
}

/**
 * The text that stands in the file: that of the record of which an event was made, else its own.
 * @internal
 */
export function sourceText(item: Item): Buffer {
  return 'record' in item && item.record ? item.record : item.bytes;
}

/**
 * The origin of an event that was not read from a file.
 * @internal
 */
export function builtHere(name: string, length: number): Origin {
  return { file: name, line: 1, offset: 0, length };
}
