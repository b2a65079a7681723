import type { Clock } from '../clock.js';
import type { AttemptResult, Fate, Outcome } from '../deliver/outcome.js';
import type { Event, Problem } from '../events/event.js';
import type { Stamp } from '../events/stamp.js';
import type { AttemptLog } from './attempt-log.js';
import { deadLetterLine, type DeadLetter } from './dead-letter.js';
import type { FileWriter } from './file-writer.js';
import { Histogram } from './histogram.js';
import type { Summary } from './summary.js';

export interface LedgerOptions {
  readonly deadLetters: FileWriter;
  readonly log?: AttemptLog | undefined;
  readonly clock: Clock;
  /** Hears of every event that was not delivered and not left out on purpose. */
  readonly onTrouble?: (outcome: Outcome, item: Event | Problem) => void;
}

/** Where every event ends as exactly one outcome, counted; what was not delivered is kept. */
export class Ledger {
  readonly #options: LedgerOptions;
  readonly #startedAt = performance.now();
  readonly #latency = new Histogram();
  readonly #fates: Record<Fate, number> = {
    delivered: 0,
    failed: 0,
    rejected: 0,
    skipped: 0,
    pending: 0,
  };
  #read = 0;
  #retries = 0;
  #bytes = 0;

  constructor(options: LedgerOptions) {
    this.#options = options;
  }

  get read(): number {
    return this.#read;
  }

  count(fate: Fate): number {
    return this.#fates[fate];
  }

  /** An event has been read; its outcome will follow. */
  open(): void {
    this.#read++;
  }

  /** @throws StateError when a dead letter cannot be written. */
  close(item: Event | Problem, stamp: Stamp | undefined, outcome: Outcome): void {
    this.#fates[outcome.verdict]++;
    if (outcome.verdict === 'delivered') this.#bytes += item.bytes.length;
    else if (outcome.verdict !== 'skipped') this.#keep(item, stamp, outcome);
  }

  attempt(result: AttemptResult, messageId: string): void {
    if (result.attempt > 1) this.#retries++;
    this.#latency.add(result.durationMs);
    this.#options.log?.write(result, messageId);
  }

  /** Milliseconds that half of all tries stay below. */
  get medianMs(): number | null {
    return this.#latency.percentile(0.5);
  }

  /** Writes what is left, and sums up. @throws StateError when that cannot be written. */
  async finish(): Promise<Summary> {
    this.#options.deadLetters.close();
    await this.#options.log?.close();
    return this.#summary();
  }

  #keep(item: Event | Problem, stamp: Stamp | undefined, outcome: Outcome): void {
    const letter: DeadLetter = {
      outcome,
      origin: item.origin,
      bytes: item.bytes,
      isJson: 'isJson' in item ? item.isJson : true,
      givenId: stamp?.writesMessageId ? stamp.messageId : item.givenId,
      at: this.#options.clock.now(),
    };
    this.#options.deadLetters.append(deadLetterLine(letter));
    this.#options.onTrouble?.(outcome, item);
  }

  #summary(): Summary {
    const seconds = (performance.now() - this.#startedAt) / 1000;
    const { deadLetters } = this.#options;
    return {
      read: this.#read,
      ...this.#fates,
      retries: this.#retries,
      bytes: this.#bytes,
      seconds: Math.round(seconds * 1000) / 1000,
      eventsPerSecond: Math.round(this.#fates.delivered / seconds),
      latencyMs: {
        p50: this.#latency.percentile(0.5),
        p95: this.#latency.percentile(0.95),
        p99: this.#latency.percentile(0.99),
      },
      deadLetter: deadLetters.isUsed ? deadLetters.path : null,
      resumed: false,
    };
  }
}
