import type { Clock } from '../../clock.js';
import type { Connection } from './connection.js';

/** An event that still waits after this time is given up, tried or not. */
export const maxWaitMs = 7 * 24 * 60 * 60 * 1000;
/** How exactly that is known. */
const markEveryMs = 60 * 60 * 1000;

/** How long events wait, told by their ids: now and then the last id is marked with the time. */
export class Ages {
  readonly #connection: Connection;
  readonly #clock: Clock;
  /** The oldest first. */
  #marks: Mark[];
  /** Of the transaction under way. */
  #added: Mark | undefined;

  constructor(connection: Connection, clock: Clock) {
    this.#connection = connection;
    this.#clock = clock;
    this.#marks = connection
      .all('SELECT at, event FROM mark ORDER BY at')
      .map(({ at, event }) => ({ at: Number(at), event: Number(event) }));
  }

  /** Events up to this id have waited too long; 0 for none. */
  get expired(): number {
    const before = this.#clock.now() - maxWaitMs;
    return this.#marks.findLast(({ at }) => at <= before)?.event ?? 0;
  }

  /** Whether a transaction would mark this id, the last there is. */
  isDue(event: number): boolean {
    const { at, event: marked } = this.#marks.at(-1) ?? { at: -Infinity, event: 0 };
    return event > marked && this.#clock.now() >= at + markEveryMs;
  }

  /** At the end of a transaction, with the last id there is. */
  write(event: number): void {
    if (!this.isDue(event)) return;
    const now = this.#clock.now();
    this.#added = { at: now, event };
    this.#connection.run('INSERT OR REPLACE INTO mark VALUES (?, ?)', now, event);
    this.#connection.run('DELETE FROM mark WHERE event < ?', this.expired);
  }

  committed(): void {
    if (!this.#added) return;
    const { expired } = this;
    this.#marks = [...this.#marks.filter(({ event }) => event >= expired), this.#added];
    this.#added = undefined;
  }

  rolledBack(): void {
    this.#added = undefined;
  }
}

interface Mark {
  /** Milliseconds since 1970. */
  readonly at: number;
  /** The last event that had come by then. */
  readonly event: number;
}
