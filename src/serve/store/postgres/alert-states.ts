import type { SharedStore } from '../../../store/postgres/open.js';
import {
  alertEveryMs,
  firstAlertState,
  type AlertState,
  type AlertStates,
} from '../../alerts/alert-states.js';

/** What the last alerts about destinations said, for all instances. By the clock of the server. */
export class PostgresAlertStates implements AlertStates {
  readonly #shared: SharedStore;

  constructor(shared: SharedStore) {
    this.#shared = shared;
  }

  async read(): Promise<ReadonlyMap<string, AlertState>> {
    const { database, schema } = this.#shared;
    const rows = await database.query<AlertState & { readonly destination: string }>(
      `SELECT destination, is_down AS "isDown", since, last_dead_letter AS "lastDeadLetter", certificate_end AS "certificateEnd", at FROM ${schema}.alert`,
    );
    return new Map(rows.map(({ destination, ...state }) => [destination, state]));
  }

  async begin(destination: string, lastDeadLetter: number): Promise<void> {
    const { database, schema } = this.#shared;
    const { isDown, since, certificateEnd, at } = firstAlertState(lastDeadLetter);
    await database.query(
      `INSERT INTO ${schema}.alert (destination, is_down, since, last_dead_letter, certificate_end, at)
       VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING`,
      [destination, isDown, since, lastDeadLetter, certificateEnd, at],
    );
  }

  /** The instance that changes the row sends the alert: the others find a last alert of less than a minute ago. */
  async claim(destination: string, known: AlertState): Promise<boolean> {
    const { database, schema } = this.#shared;
    const { isDown, lastDeadLetter, certificateEnd } = known;
    const rows = await database.query(
      `UPDATE ${schema}.alert SET at = ${schema}.now_ms()
       WHERE destination = $1 AND is_down = $2 AND last_dead_letter = $3
         AND certificate_end = $4 AND (at <= ${schema}.now_ms() - $5 OR at > ${schema}.now_ms() + $5)
       RETURNING at`,
      [destination, isDown, lastDeadLetter, certificateEnd, alertEveryMs],
    );
    return rows.length > 0;
  }

  async set(destination: string, reported: AlertState): Promise<void> {
    const { database, schema } = this.#shared;
    // The time is that of the claim, by the clock of the server.
    const { isDown, since, lastDeadLetter, certificateEnd } = reported;
    await database.query(
      `UPDATE ${schema}.alert SET is_down = $2, since = $3, last_dead_letter = $4, certificate_end = $5
       WHERE destination = $1`,
      [destination, isDown, since, lastDeadLetter, certificateEnd],
    );
  }

  flush(): void {
    // `set` has made it durable.
  }
}
