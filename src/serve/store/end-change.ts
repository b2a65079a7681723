import type { ResponseExcerpt, RetryState } from '../../delivery/outcome.js';
import type { Change } from '../../storage/group-commit.js';
import type { SqlValue } from '../../storage/sqlite.js';
import type { StoreContext } from './store-context.js';
import { eventColumns, type StoredEvent } from './stored.js';

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
  /** Whether it was read as a waiting retry. */
  readonly wasRetrying: boolean;
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
    const { event, ending, wasRetrying } = this.#options;
    const { nameTable, counts } = this.#context;
    const destination = nameTable.id('destination', this.#options.destination);
    if (ending.kind === 'postponed') {
      this.#postpone(destination, ending);
      return;
    }
    if (ending.kind === 'failed') this.#keepDeadLetter(destination, ending.failure);
    // It may have expired meanwhile.
    if (!this.#context.deleteDelivery(event.id, destination, wasRetrying)) return;
    counts.add(nameTable.id('source', event.source), destination, ending.kind);
  }

  committed(): void {
    this.#options.onCommitted();
  }

  #postpone(destination: number, ending: Ending & { kind: 'postponed' }): void {
    const { event, wasRetrying } = this.#options;
    const { retry, delayMs, code, message } = ending;
    const sql = `UPDATE delivery SET due_at = ?, delay_ms = ?, legs = ?, code = ?, message = ?
      WHERE event = ? AND destination = ?`;
    // The clock may have been set back since the attempt ended.
    const dueAt = Math.min(retry.dueAt, this.#context.clock.now() + delayMs);
    const values = [dueAt, delayMs, JSON.stringify(retry.endpointStates), code, message];
    const changed = this.#context.connection.run(sql, ...values, event.id, destination);
    if (changed > 0 && !wasRetrying) this.#context.lengths.add(destination, 0, 1);
  }

  #keepDeadLetter(destination: number, failure: Failure): void {
    const values = deadLetterValues(destination, this.#context.clock.now(), failure);
    const { id } = this.#options.event;
    const added = this.#context.connection.run(insertDeadLetter, ...values, id, destination);
    this.#context.kept.deadLetter.add(destination, added);
  }
}

/** The first values of `insertDeadLetter`; those of the event and the destination follow. */
export function deadLetterValues(
  destination: number,
  failedAt: number,
  { code, message, attempts, lastStatus, response }: Failure,
): SqlValue[] {
  const text = response ? JSON.stringify(response) : null;
  return [destination, failedAt, code, message, attempts, lastStatus, text];
}

/** Copies an event that waits for a destination. */
export const insertDeadLetter = `INSERT INTO letter
  (destination, failed_at, code, message, attempts, last_status, response, ${eventColumns})
  SELECT ?, ?, ?, ?, ?, ?, ?, ${eventColumns} FROM event
  WHERE id = ? AND EXISTS (SELECT 1 FROM delivery WHERE event = event.id AND destination = ?)`;
