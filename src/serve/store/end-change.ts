import type { ResponseExcerpt, RetryState } from '../../delivery/outcome.js';
import type { Change } from '../../storage/group-commit.js';
import type { StoreContext } from './store-context.js';
import { eventColumns, eventValues, type StoredEvent } from './stored.js';

/** Why an event was given up. */
export interface Failure {
  /** Stable: `status_404`, `timeout`, `private_address`, … */
  readonly code: string;
  /** One sentence for a person. */
  readonly message: string;
  /** All attempts. */
  readonly attempts: number;
  readonly lastStatus: number | null;
  /** What the last response said; unknown of an event that expired. */
  readonly response?: ResponseExcerpt | undefined;
}

/** How a round of attempts at one destination ended. */
export type Ending =
  | { readonly kind: 'delivered' | 'skipped' }
  | { readonly kind: 'failed'; readonly failure: Failure }
  | {
      readonly kind: 'postponed';
      readonly retry: RetryState;
      /** Delay from the last attempt to the next one, in milliseconds. */
      readonly delayMs: number;
      readonly code: string;
      readonly message: string;
    };

export interface EndChangeOptions {
  readonly event: StoredEvent;
  /** Name. */
  readonly destination: string;
  readonly ending: Ending;
  /** Called when reads of the store see the ending. */
  readonly onCommitted: () => void;
}

/** Records how an event ended at a destination or when it is retried; repeated until durable. */
export class EndChange implements Change {
  readonly rows = 1;
  readonly #context: StoreContext;
  readonly #options: EndChangeOptions;

  constructor(context: StoreContext, options: EndChangeOptions) {
    this.#context = context;
    this.#options = options;
  }

  write(): void {
    const { event, ending } = this.#options;
    const { nameTable, counts, queue } = this.#context;
    const destination = nameTable.id('destination', this.#options.destination);
    if (ending.kind === 'postponed') {
      this.#postpone(destination, ending);
      return;
    }
    // It may have expired meanwhile.
    if (!queue.remove(destination, event.id)) return;
    if (ending.kind === 'failed') keepDeadLetter(this.#context, destination, event, ending.failure);
    counts.add(nameTable.id('source', event.source), destination, ending.kind);
  }

  committed(): void {
    this.#options.onCommitted();
  }

  #postpone(destination: number, ending: Ending & { kind: 'postponed' }): void {
    const { queue, clock } = this.#context;
    const { retry, delayMs, code, message } = ending;
    // The clock may have been set back since the attempt ended.
    const dueAt = Math.min(retry.dueAt, clock.now() + delayMs);
    const { endpointStates } = retry;
    const next = { endpointStates, dueAt, delayMs, code, message };
    queue.postpone(destination, this.#options.event, next);
  }
}

/** Within a transaction: stores an event that was given up at a destination. */
export function keepDeadLetter(
  { connection, clock, kept, nameTable }: StoreContext,
  destination: number,
  { source, receivedAt, event, stamp }: StoredEvent,
  { code, message, attempts, lastStatus, response }: Failure,
): void {
  const text = response ? JSON.stringify(response) : null;
  const why = [destination, clock.now(), code, message, attempts, lastStatus, text];
  const values = eventValues(nameTable.id('source', source), receivedAt, stamp, event.bytes);
  connection.run(insertDeadLetter, ...why, ...values);
  kept.deadLetter.add(destination, 1);
}

const insertDeadLetter = `INSERT INTO letter
  (destination, failed_at, code, message, attempts, last_status, response, ${eventColumns})
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;
