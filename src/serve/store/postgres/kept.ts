import type { Clock } from '../../../clock.js';
import { tryLock } from '../../../store/postgres/advisory-lock.js';
import type { KeptEvents, ReadBlock, ReadKeptOptions } from '../../kept/kept-events.js';
import { keepsNothing, retentionNow, type KeepSettings } from '../../kept/settings.js';
import type { DeletedUser } from '../deleted-users.js';
import { CountChanges, countChangesSql, type StoreParts } from './context.js';
import { countKept, keptCounter } from './kept-blocks.js';
import { deleteNext, Pass, type BlockRange } from './kept-pass.js';
import { readKeptBlocks } from './kept-reader.js';
import { finishRemovals, removeUsersFromBlocks } from './kept-removal.js';

const sweepEveryMs = 2_000;

export interface PostgresKeptOptions {
  readonly parts: () => StoreParts;
  readonly clock: Clock;
  /** This many events were dropped before the end of their retention. */
  readonly onDropped: (events: number) => void;
  /** Runs this work; what is wrong with the store is thrown as a StateError. */
  readonly withStateErrors: <T>(work: () => Promise<T>) => Promise<T>;
}

/**
 * Kept events in a store that instances share. The blocks in which events waited stay after these have ended, so that
 * there is no second copy; a column of hashes finds the blocks of a user. One instance at a time deletes old blocks.
 */
export class PostgresKept implements KeptEvents {
  settings: KeepSettings = keepsNothing;
  readonly #options: PostgresKeptOptions;
  /** By the retention of the blocks. */
  readonly #oldPasses = new Map<number, Pass>();
  readonly #dropPass = new Pass();
  #isConfigured = false;
  #sweptAt = -Infinity;
  #sweeping: Promise<void> | undefined;
  #isClosed = false;

  constructor(options: PostgresKeptOptions) {
    this.#options = options;
  }

  configure(settings: KeepSettings): void {
    this.settings = settings;
    this.#isConfigured = true;
  }

  async *read(options?: ReadKeptOptions): AsyncGenerator<ReadBlock> {
    const { shared, names } = this.#options.parts();
    const { database: queries, schema } = shared;
    const blocks = readKeptBlocks({ queries, schema }, names, options);
    for (;;) {
      const next = await this.#options.withStateErrors(() => blocks.next());
      if (next.done) return;
      yield next.value;
    }
  }

  remove(users: readonly DeletedUser[], mayContinue: () => boolean): Promise<boolean> {
    const { parts, clock, withStateErrors } = this.#options;
    return withStateErrors(() => removeUsersFromBlocks(parts(), users, { clock, mayContinue }));
  }

  /** Deletes blocks that are too old or too many, unless that was done a moment ago. @throws StoreUnavailable */
  sweep(): Promise<void> {
    const now = this.#options.clock.monotonic();
    if (!this.#isConfigured || this.#sweeping || now - this.#sweptAt < sweepEveryMs)
      return Promise.resolve();
    this.#sweptAt = now;
    this.#sweeping = this.#sweep().finally(() => (this.#sweeping = undefined));
    return this.#sweeping;
  }

  /** Resolves when nothing is written anymore. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#sweeping?.catch(() => undefined);
  }

  async #sweep(): Promise<void> {
    const errors: unknown[] = [];
    for (const step of [
      () => this.#deleteOld(),
      () => finishRemovals(this.#options.parts()),
      () => this.#dropAbove(this.settings.maxBytes),
    ]) {
      await step().catch((error: unknown) => errors.push(error));
    }
    if (errors.length > 0) throw errors[0];
  }

  async #deleteOld(): Promise<void> {
    const { database, schema } = this.#options.parts().shared;
    for (let keptMs = -Infinity; ;) {
      const [next] = await database.query<{ ms: number | null }>(
        `SELECT min(kept_ms) AS ms FROM ${schema}.event_block WHERE kept_ms > $1`,
        [keptMs],
      );
      if (typeof next?.ms !== 'number') return;
      keptMs = next.ms;
      const before = database.now() - retentionNow(this.settings, keptMs);
      const pass = this.#oldPasses.get(keptMs) ?? new Pass();
      this.#oldPasses.set(keptMs, pass);
      const where = 'kept_ms = $3 AND queued_at <= $4';
      await this.#delete(pass, { by: 'queued_at', where, values: [keptMs, before] });
    }
  }

  async #dropAbove(maxBytes: number): Promise<void> {
    const excess = (await this.#bytes()) - maxBytes;
    if (excess <= 0) return;
    const blocks = { by: 'id', where: 'kept_ms IS NOT NULL', values: [] } as const;
    await this.#delete(this.#dropPass, blocks, excess, (events) => this.#options.onDropped(events));
  }

  /** What is kept, in bytes. */
  async #bytes(): Promise<number> {
    const { database, schema } = this.#options.parts().shared;
    const [row] = await database.query<{ bytes: number }>(
      `SELECT ((SELECT coalesce(sum(n), 0) FROM ${schema}.count WHERE what = $1)
       + (SELECT coalesce(sum(n), 0) FROM (${countChangesSql(`${schema}.count_change`)}) AS changed
          WHERE what = $1))::float8 AS bytes`,
      [keptCounter],
    );
    return row!.bytes;
  }

  /** Deletes blocks of this many bytes, unless another instance does. Blocks with waiting events are never deleted. */
  async #delete(
    pass: Pass,
    blocks: BlockRange,
    maxBytes = Infinity,
    onDeleted: (events: number) => void = () => undefined,
  ): Promise<void> {
    const { clock, parts } = this.#options;
    const { database, schema } = parts().shared;
    pass.resume(clock.monotonic());
    for (let left = maxBytes; left > 0 && !this.#isClosed;) {
      const began = clock.monotonic();
      const deleted = await database
        .transaction(async (tx) => {
          if (!(await tryLock(tx, `evfwd kept ${schema}`, 2))) return undefined;
          const gone = await deleteNext(tx, schema, blocks, pass, left);
          const counts = new CountChanges();
          countKept(counts, -gone.bytes);
          counts.write(tx, schema);
          return gone;
        })
        .catch((error: unknown) => {
          pass.noteFailure();
          throw error;
        });
      if (!deleted) return;
      left -= deleted.bytes;
      if (deleted.events > 0) onDeleted(deleted.events);
      pass.moveTo(left > 0 ? (deleted.place ?? pass.place) : pass.place, clock.monotonic() - began);
      if (deleted.place === null) return;
    }
  }
}
