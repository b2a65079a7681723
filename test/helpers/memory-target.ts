import type { Outcome } from '../../src/delivery/outcome.js';
import type { Outgoing, Target } from '../../src/delivery/target.js';

type OutcomeOf = (outgoing: Outgoing, index: number) => Partial<Outcome> | undefined;

/** A target that only records events. The outcome `undefined` lets an event wait. */
export class MemoryTarget implements Target {
  readonly urls = ['memory:'];
  readonly sent: Outgoing[] = [];
  mostInFlight = 0;
  interruptions = 0;
  readonly #response: OutcomeOf;
  readonly #maxInFlight: number;
  readonly #waiting = new Set<(outcome: Partial<Outcome>) => void>();
  #inFlight = 0;
  #wakers: (() => void)[] = [];

  constructor(response: OutcomeOf = () => ({}), maxInFlight = Infinity) {
    this.#response = response;
    this.#maxInFlight = maxInFlight;
  }

  /** The events that were sent, by a member of theirs. */
  values(member = 'event'): unknown[] {
    return this.sent.map(({ event }) => event.value[member]);
  }

  send(outgoing: Outgoing, done: (outcome: Outcome) => void): void {
    const noted = { ...outgoing };
    const response = this.#response(noted, this.sent.push(noted) - 1);
    this.mostInFlight = Math.max(this.mostInFlight, ++this.#inFlight);
    const end = (part: Partial<Outcome>): void => {
      this.#inFlight--;
      const { messageId } = outgoing.stamp;
      done({ verdict: 'delivered', messageId, attempts: [], ...part });
      for (const wake of this.#wakers.splice(0)) wake();
    };
    if (response) setImmediate(end, response);
    else if (this.interruptions > 0) end({ verdict: 'pending' });
    else this.#waiting.add(end);
  }

  room(): Promise<void> | undefined {
    if (this.#inFlight < this.#maxInFlight) return undefined;
    return this.#until(() => this.#inFlight < this.#maxInFlight);
  }

  drain(): Promise<void> {
    return this.#until(() => this.#inFlight === 0);
  }

  /** Completes at most `count` waiting events, the oldest first. */
  release(part: Partial<Outcome> = {}, count = Infinity): void {
    for (const end of [...this.#waiting].slice(0, count)) {
      this.#waiting.delete(end);
      end(part);
    }
  }

  interrupt(): void {
    this.interruptions++;
    this.release({ verdict: 'pending' });
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  async #until(isSo: () => boolean): Promise<void> {
    while (!isSo()) await new Promise<void>((resolve) => this.#wakers.push(resolve));
  }
}
