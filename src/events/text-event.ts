import { isProblem, type Event, type EventType, type Origin, type Problem } from './event.js';
import type { KnownName } from '../json/known-names.js';
import { findMember, findNamed, membersAt, scanMembers, type Member } from '../json/members.js';

/** What is known of an event besides its text. */
export interface EventNotes {
  readonly givenId?: string | undefined;
  readonly part?: number | undefined;
  readonly record?: Buffer | undefined;
}

/** What has been found in the text of an event already. */
export interface Findings {
  readonly value?: Event['value'];
  readonly members?: readonly Member[] | undefined;
  /** Of the members; none of their names has an escape. */
  readonly spans?: readonly number[] | undefined;
}

/** A valid event as its text; value and members are computed on first use. */
export class TextEvent implements Event {
  readonly bytes: Buffer;
  readonly type: EventType;
  readonly origin: Origin;
  readonly givenId: string | undefined;
  readonly part: number | undefined;
  readonly record: Buffer | undefined;
  #value: Event['value'] | undefined;
  #members: readonly Member[] | undefined;
  #spans: readonly number[] | undefined;

  constructor(
    bytes: Buffer,
    type: EventType,
    origin: Origin,
    notes: EventNotes = nothing,
    { value, members, spans }: Findings = nothing,
  ) {
    this.bytes = bytes;
    this.type = type;
    this.origin = origin;
    this.givenId = notes.givenId;
    this.part = notes.part;
    this.record = notes.record;
    this.#value = value;
    this.#members = members;
    this.#spans = spans;
  }

  get value(): Event['value'] {
    return (this.#value ??= JSON.parse(this.bytes.toString('utf8')) as Event['value']);
  }

  get members(): readonly Member[] {
    return (this.#members ??= this.#findMembers());
  }

  find(name: KnownName): Member | undefined {
    if (this.#members || !this.#spans) return findMember(this.members, name);
    return findNamed(this.bytes, this.#spans, name);
  }

  /** A copy of the event and its bytes that keeps what was found in it. */
  onCopy(): TextEvent {
    const { givenId, part } = this;
    const record = this.record && Buffer.from(this.record);
    const findings = { members: this.#members, spans: this.#spans };
    const bytes = Buffer.from(this.bytes);
    return new TextEvent(bytes, this.type, this.origin, { givenId, part, record }, findings);
  }

  release(): void {
    this.#value = this.#members = this.#spans = undefined;
  }

  #findMembers(): Member[] {
    return this.#spans ? membersAt(this.bytes, this.#spans) : scanMembers(this.bytes).members;
  }
}

const nothing = {};

/** The same event with other notes; its record stays where they have none. */
export function noted(event: Event, notes: EventNotes): Event {
  const { bytes, type, origin, record } = event;
  return new TextEvent(bytes, type, origin, { record, ...notes });
}

/** The same with the messageId that an earlier run gave to it, if any. */
export function withGivenId(item: Event | Problem, givenId: string | undefined): Event | Problem {
  if (givenId === undefined) return item;
  return isProblem(item) ? { ...item, givenId } : noted(item, { givenId });
}

/**
 * The same event, or a copy if its bytes are part of a much larger buffer, which it would keep in memory. Unlike that
 * of `detachEvent`, the copy keeps what was found in the event, since it is sent soon.
 */
export function compactEvent(event: Event): Event {
  const { bytes, record } = event;
  if (isCompact(bytes) && (!record || isCompact(record))) return event;
  return event instanceof TextEvent ? event.onCopy() : detachEvent(event);
}

function isCompact(bytes: Buffer): boolean {
  return bytes.buffer.byteLength <= Math.max(2 * bytes.length, Buffer.poolSize);
}

/** A copy that does not keep the buffer in memory that the event was read into. */
export function detachEvent(event: Event): Event {
  if (event.detached) return event.detached();
  const { bytes, type, origin, givenId, part, record } = event;
  const notes = { givenId, part, record: record && detached(record) };
  return new TextEvent(detached(bytes), type, origin, notes);
}

function detached(bytes: Buffer): Buffer {
  return Buffer.from(new Uint8Array(bytes).buffer);
}
