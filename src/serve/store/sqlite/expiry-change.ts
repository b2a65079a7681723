import type { Change } from '../../../storage/group-commit.js';
import type { Row } from '../../../storage/sqlite.js';
import type { StoreContext } from './store-context.js';
import { maxWaitMs, type QueuedEvent, type StoredEvent } from '../stored.js';
import {
  type ExpireOptions,
  expiryFailure,
  type ExpiryPosition,
  type Failure,
} from '../service-store.js';

const allNotAttempted = Number.MAX_SAFE_INTEGER;

export interface ExpiryChangeOptions extends ExpireOptions {
  /** With the position to continue from; undefined when no other event can have expired. */
  readonly resolve: (next: ExpiryPosition | undefined) => void;
  readonly reject: (error: unknown) => void;
}

/** Turns events that have waited too long for a destination into dead letters. */
export class ExpiryChange implements Change {
  readonly rows = 1;
  readonly #context: StoreContext;
  readonly #options: ExpiryChangeOptions;
  #done: (readonly [StoredEvent, Failure])[] = [];
  #next: ExpiryPosition | undefined;
  /** Why the events could not be read. */
  #failure: unknown;

  constructor(context: StoreContext, options: ExpiryChangeOptions) {
    this.#context = context;
    this.#options = options;
  }

  write(): void {
    const { nameTable } = this.#context;
    const destination = nameTable.id('destination', this.#options.destination);
    this.#failure = undefined;
    let found: QueuedEvent[] = [];
    try {
      found = this.#found(destination);
    } catch (error) {
      // Other changes of the transaction do not need this read.
      this.#failure = error;
    }
    this.#done = found.map((event) => this.#giveUp(destination, event));
  }

  durable(): void {
    if (this.#failure !== undefined) {
      this.#options.reject(this.#failure);
      return;
    }
    for (const [event, failure] of this.#done) this.#options.onExpired(event, failure);
    this.#options.resolve(this.#next);
  }

  failed(error: unknown): void {
    this.#options.reject(error);
  }

  #found(destination: number): QueuedEvent[] {
    const { unused, from, limit } = this.#options;
    const { loadedUpTo, keepsRetries } = unused();
    const notAttempted = this.#notAttempted(destination, Math.max(loadedUpTo, from.notAttempted));
    if (this.#mayHaveMore(notAttempted)) {
      this.#next = { ...from, notAttempted: notAttempted.at(-1)!.id };
      return notAttempted.filter((event) => this.#isOld(event));
    }
    const rows = keepsRetries ? [] : this.#retries(destination);
    const last = rows.at(-1);
    const { queue } = this.#context;
    const retries = rows.flatMap(({ event }) => queue.retry(destination, Number(event)) ?? []);
    if (rows.length === limit && last) {
      const { due_at, event } = last;
      this.#next = {
        ...from,
        notAttempted: allNotAttempted,
        dueAt: Number(due_at),
        retry: Number(event),
      };
      return [...notAttempted, ...retries].filter((event) => this.#isOld(event));
    }
    const parked = keepsRetries ? [] : this.#parked(destination);
    this.#next = this.#mayHaveMore(parked)
      ? { ...from, notAttempted: allNotAttempted, parked: parked.at(-1)!.id }
      : undefined;
    return [...notAttempted, ...retries, ...parked].filter((event) => this.#isOld(event));
  }

  #notAttempted(destination: number, after: number): StoredEvent[] {
    const { queue } = this.#context;
    // Earlier changes of this transaction may have ended some of them.
    queue.write();
    // Nearly always the first one is young, and the others need not be read.
    const first = queue.notAttempted(destination, after, 1);
    if (first.every((event) => this.#isYoung(event))) return first;
    return queue.notAttempted(destination, after, this.#options.limit);
  }

  #parked(destination: number): StoredEvent[] {
    const { queue } = this.#context;
    const { from, limit } = this.#options;
    return queue.users
      .parkedAfter(destination, from.parked, limit)
      .flatMap((id) => queue.parked(destination, id) ?? []);
  }

  #retries(destination: number): Row[] {
    const { connection, clock } = this.#context;
    const { dueAt, retry } = this.#options.from;
    const before = clock.now() - maxWaitMs;
    return connection.all(selectAttempted, destination, before, dueAt, retry, this.#options.limit);
  }

  /** Events after a young one are younger, unless it was queued while the clock was ahead. */
  #mayHaveMore(notAttempted: readonly StoredEvent[]): boolean {
    const isFull = notAttempted.length === this.#options.limit;
    return isFull && !notAttempted.some((event) => this.#isYoung(event));
  }

  #isYoung(event: StoredEvent): boolean {
    return !this.#isOld(event) && event.queuedAt <= this.#context.clock.now();
  }

  #isOld({ queuedAt }: StoredEvent): boolean {
    return queuedAt <= this.#context.clock.now() - maxWaitMs;
  }

  #giveUp(destination: number, event: QueuedEvent): readonly [StoredEvent, Failure] {
    const { counts, nameTable, queue } = this.#context;
    const failure = expiryFailure(event.endpointDeliveries);
    queue.remove(destination, event.id);
    this.#context.deadLetters.keep(destination, event, failure);
    counts.add(nameTable.id('source', event.source), destination, 'failed');
    return [event, failure];
  }
}

/** No retry waits longer than its window, so one that is due later cannot have expired. */
const selectAttempted = `SELECT due_at, event FROM retry
  WHERE destination = ? AND due_at <= ? AND (due_at, event) > (?, ?) ORDER BY due_at, event LIMIT ?`;
