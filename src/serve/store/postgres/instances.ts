import { createHash, randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import type { SharedStore } from '../../../store/postgres/open.js';
import { version } from '../../../version.js';
import type { Instance } from '../../cluster.js';

/** An instance without a sign of life for this long is not shown. */
const goneAfterMs = 15_000;
const forgetAfterMs = 24 * 60 * 60 * 1000;

/** The instances that share a store. */
export class Instances {
  readonly id = `${hostname()}-${process.pid}-${randomBytes(2).toString('hex')}`;
  readonly #shared: SharedStore;
  readonly #startedAt: number;
  #configHash = '';
  #all: readonly Instance[] = [];

  constructor(shared: SharedStore) {
    this.#shared = shared;
    this.#startedAt = shared.database.now();
  }

  /** Those that were heard of lately, the oldest first. */
  get all(): readonly Instance[] {
    return this.#all;
  }

  /** Tells the others what it has as its configuration: only a hash of it is stored. */
  configure(configuration: string): void {
    this.#configHash = createHash('sha256').update(configuration).digest('hex').slice(0, 12);
    // After an error it is sent with the next beat.
    void this.beat().catch(() => undefined);
  }

  /** Says that this one is there, and reads who else is. */
  async beat(): Promise<void> {
    const { database, schema } = this.#shared;
    if (this.#configHash === '') return;
    const now = database.now();
    await database.query(
      `INSERT INTO ${schema}.instance (id, started_at, last_seen, version, config_hash) VALUES ($1, $2, $3, $4, $5)
       ON CONFLICT (id) DO UPDATE SET last_seen = EXCLUDED.last_seen, config_hash = EXCLUDED.config_hash`,
      [this.id, this.#startedAt, now, version, this.#configHash],
    );
    await database.query(`DELETE FROM ${schema}.instance WHERE last_seen < $1`, [
      now - forgetAfterMs,
    ]);
    const rows = await database.query(
      `SELECT * FROM ${schema}.instance WHERE last_seen > $1 ORDER BY started_at, id`,
      [now - goneAfterMs],
    );
    this.#all = rows.map((row) => ({
      id: row.id as string,
      startedAt: row.started_at as number,
      lastSeen: row.last_seen as number,
      version: row.version as string,
      configHash: row.config_hash as string,
    }));
  }

  async leave(): Promise<void> {
    const { database, schema } = this.#shared;
    await database.query(`DELETE FROM ${schema}.instance WHERE id = $1`, [this.id]);
  }
}
