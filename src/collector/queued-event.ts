import type { Outcome } from '../deliver/outcome.js';
import type { Event, Origin } from '../events/event.js';
import { scanMembers, type Member } from '../events/members.js';
import type { Outgoing } from '../target.js';
import { withId, type SharedOutcome } from './recipient.js';

/**
 * An event whose text stands in a batch. Thousands of them wait for an answer, and few are looked at
 * once more when it has come: so it takes the place of the event that was sent, and keeps no more of
 * it than its text. What was parsed is let go of, and parsed anew where it is asked for.
 */
export class QueuedEvent implements Event {
  bytes: Buffer;
  readonly depth: number;
  readonly origin: Origin;
  declare readonly givenId?: string;
  declare readonly part?: number;
  readonly #outgoing: Outgoing;
  readonly #done: (outcome: Outcome) => void;

  constructor(outgoing: Outgoing, done: (outcome: Outcome) => void) {
    const { bytes, depth, origin, givenId, part } = outgoing.event;
    this.bytes = bytes;
    this.depth = depth;
    this.origin = origin;
    if (givenId !== undefined) this.givenId = givenId;
    if (part !== undefined) this.part = part;
    this.#outgoing = outgoing;
    this.#done = done;
    outgoing.event = this;
  }

  get value(): Readonly<Record<string, unknown>> {
    return JSON.parse(this.bytes.toString('utf8')) as Readonly<Record<string, unknown>>;
  }

  get members(): readonly Member[] {
    return scanMembers(this.bytes).members;
  }

  get messageId(): string {
    return this.#outgoing.stamp.messageId;
  }

  /** Lets go of the buffer that the file was read into. */
  detach(): void {
    this.bytes = Buffer.from(this.bytes);
  }

  end(outcome: SharedOutcome): void {
    this.#done(withId(outcome, this.#outgoing.stamp.messageId));
  }
}
