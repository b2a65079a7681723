import type { HeldJob } from '../../../store/postgres/jobs.js';
import type { Transaction } from '../../../store/postgres/queries.js';
import type { Row } from '../../../storage/sqlite.js';
import type { ReadEvent } from '../../kept/block.js';
import { DeletedUserKeys } from '../deleted-user-keys.js';
import {
  maxEndedReplays,
  type Progress,
  type ReplayRequest,
  type ReplayStore,
  type StoredReplay,
} from '../../kept/replay-store.js';
import { bytesOfSeenKey, seenKey } from '../seen-key.js';
import type { StoreParts } from './context.js';
import { deletedUserOf, replayOf, type DeletedUserColumns } from '../records.js';
import { NewBlocks } from './new-blocks.js';
import { WaitingEvents } from './waiting-events.js';

const takenAtOnce = 16;
/** A deletion request may be committed after others whose ids are higher by up to this. */
const lateNumbers = 1_000;

/** The queue with a job for each running replay: the instance that holds it works on the replay. */
export const replayQueue = 'replays';

type ReplayJob = HeldJob<{ readonly replay: string }>;

export interface PostgresReplaysOptions {
  readonly parts: () => StoreParts;
  /** Events were queued for a destination. */
  readonly onQueued: (destination: string) => void;
  /** Runs this work; what is wrong with the store is thrown as a StateError. */
  readonly withStateErrors: <T>(work: () => Promise<T>) => Promise<T>;
}

/**
 * Replays of a store that instances share. One transaction stores the position of a replay and queues its events; it is
 * refused when another instance works on the replay.
 */
export class PostgresReplays implements ReplayStore {
  readonly #options: PostgresReplaysOptions;
  readonly #held = new Map<string, ReplayJob>();
  /** Which of these were stopped, here or by another instance. */
  readonly #stopped = new Set<string>();
  readonly #removed = new DeletedUserKeys();
  #lastDeletion = 0;
  #running = 0;

  constructor(options: PostgresReplaysOptions) {
    this.#options = options;
  }

  get running(): number {
    return this.#running;
  }

  list(): Promise<StoredReplay[]> {
    return this.#options.withStateErrors(() => this.#read());
  }

  async create(id: string, request: ReplayRequest): Promise<void> {
    const { database, jobs, schema } = this.#shared;
    await this.#options.withStateErrors(() =>
      database.transaction(async (tx) => {
        const insert = `INSERT INTO ${schema}.replay (id, request, created_at) VALUES ($1, $2, $3)`;
        tx.send(insert, [id, JSON.stringify(request), database.now()]);
        tx.send(
          `DELETE FROM ${schema}.replay WHERE state <> 'running' AND number <= (
             SELECT number FROM ${schema}.replay WHERE state <> 'running' ORDER BY number DESC LIMIT 1 OFFSET $1)`,
          [maxEndedReplays],
        );
        await jobs.insert(tx, replayQueue, [{ data: { replay: id } }]);
      }),
    );
  }

  async stop(id: string): Promise<boolean> {
    const { database, schema } = this.#shared;
    const stopped = await this.#options.withStateErrors(() =>
      database.query(
        `UPDATE ${schema}.replay SET state = 'stopped', ended_at = $2 WHERE id = $1 AND state = 'running' RETURNING id`,
        [id, database.now()],
      ),
    );
    if (this.#held.has(id)) this.#stopped.add(id);
    return stopped.length > 0;
  }

  async take(): Promise<StoredReplay[]> {
    return this.#options.withStateErrors(async () => {
      const { jobs } = this.#shared;
      const taken = await jobs.fetch<{ readonly replay: string }>(replayQueue, takenAtOnce);
      try {
        return await this.#sort(taken);
      } catch (error) {
        // They are taken again, here or elsewhere.
        await jobs.release(replayQueue, taken).catch(() => undefined);
        throw error;
      }
    });
  }

  /** Returns the replays of the jobs that are ours now; the others are removed or released. */
  async #sort(taken: readonly ReplayJob[]): Promise<StoredReplay[]> {
    const running = await this.#readRunning();
    this.#running = running.size;
    for (const id of this.#held.keys()) if (!running.has(id)) this.#stopped.add(id);
    const over = taken.filter(({ data }) => !running.has(data.replay));
    // This instance lost them and still works on them: they can be taken again once that has ended.
    const again = taken.filter(
      ({ data }) => running.has(data.replay) && this.#held.has(data.replay),
    );
    await this.#removeJobs(over);
    await this.#shared.jobs.release(replayQueue, again);
    const fresh = taken.filter((job) => !over.includes(job) && !again.includes(job));
    for (const job of fresh) {
      this.#held.set(job.data.replay, job);
      this.#stopped.delete(job.data.replay);
    }
    return fresh.map(({ data }) => running.get(data.replay)!);
  }

  isOurs(id: string): boolean {
    const job = this.#held.get(id);
    return job !== undefined && !job.lost.aborted && !this.#stopped.has(id);
  }

  /** If the server is away, the job expires there by itself. */
  async release(id: string): Promise<void> {
    const job = this.#held.get(id);
    if (!job) return;
    try {
      // Read before the job is forgotten here: the replay may have been stopped.
      const isRunning = (await this.#readRunning()).has(id);
      if (isRunning) await this.#shared.jobs.release(replayQueue, [job]);
      else await this.#removeJobs([job]);
    } catch {
      await this.#shared.jobs.release(replayQueue, [job]).catch(() => undefined);
    } finally {
      this.#held.delete(id);
      this.#stopped.delete(id);
    }
  }

  async add({ id, events, position }: Progress, destination: string): Promise<void> {
    const { database, jobs, schema } = this.#shared;
    const parts = this.#options.parts();
    const job = this.#held.get(id);
    if (!job) return;
    const { names } = parts;
    const isQueued = await this.#options.withStateErrors(() =>
      database.transaction(async (tx) => {
        const ours = await jobs.confirm(tx, replayQueue, [job]);
        if (ours.length === 0) return false;
        await this.#readDeletions(tx);
        const wanted = events.filter((event) => !this.#removed.has(event));
        // Nothing is queued twice if the response to a commit was lost.
        const updated = await tx.query(
          `UPDATE ${schema}.replay SET position = $2, sent = sent + $3
           WHERE id = $1 AND state = 'running' AND position IS DISTINCT FROM $2 RETURNING id`,
          [id, JSON.stringify(position), wanted.length],
        );
        if (updated.length === 0) return false;
        const blocks = new NewBlocks();
        const number = names.find('destination', destination);
        for (const { source, receivedAt, event, stamp } of wanted) {
          const replayed = { receivedAt, event, stamp: { ...stamp, replay: id } };
          blocks.add({ ...replayed, source: names.find('source', source) }, [number]);
        }
        await blocks.write(tx, parts);
        return wanted.length > 0;
      }),
    );
    if (isQueued) this.#options.onQueued(destination);
  }

  async end(id: string, state: 'finished' | 'failed', message?: string): Promise<void> {
    const { database, jobs, schema } = this.#shared;
    const job = this.#held.get(id);
    if (!job) return;
    await this.#options.withStateErrors(() =>
      database.transaction(async (tx) => {
        const ours = await jobs.remove(tx, replayQueue, [job]);
        if (ours.length === 0) return;
        tx.send(
          `UPDATE ${schema}.replay SET state = $2, ended_at = $3, message = $4 WHERE id = $1 AND state = 'running'`,
          [id, state, database.now(), message ?? null],
        );
      }),
    );
    this.#held.delete(id);
    this.#stopped.delete(id);
  }

  async hasRoom(destination: string, limit: number): Promise<boolean> {
    const { database, schema } = this.#shared;
    const { names } = this.#options.parts();
    // Each block has at least one waiting event.
    const [row] = await this.#options.withStateErrors(() =>
      database.query<{ n: number }>(
        `SELECT ((SELECT coalesce(sum(waiting_count), 0) FROM (
             SELECT waiting_count FROM ${schema}.queued_block WHERE destination = $1 LIMIT $2) AS blocks)
           + (SELECT count(*) FROM (
             SELECT 1 FROM ${schema}.user_event WHERE destination = $1 AND body IS NOT NULL LIMIT $2) AS parked))::int AS n`,
        [names.find('destination', destination), limit],
      ),
    );
    return row!.n < limit;
  }

  waitingFor(
    destination: string,
  ): (events: readonly ReadEvent[]) => Promise<ReadonlySet<ReadEvent>> {
    const { parts, withStateErrors } = this.#options;
    const waiting = new WaitingEvents(parts(), destination);
    return (events) => withStateErrors(() => waiting.among(events));
  }

  async dead(destination: string, events: readonly ReadEvent[]): Promise<ReadonlySet<ReadEvent>> {
    const { database, schema } = this.#shared;
    const { names } = this.#options.parts();
    const to = names.find('destination', destination);
    const keyOf = ({ source, stamp }: ReadEvent): string =>
      seenKey(names.find('source', source), to, stamp.messageId);
    const rows = await this.#options.withStateErrors(() =>
      database.query<{ seen_key: Buffer }>(
        `SELECT seen_key FROM ${schema}.dead_letter WHERE seen_key = ANY($1)`,
        [events.map((event) => bytesOfSeenKey(keyOf(event)))],
      ),
    );
    const keys = new Set(rows.map(({ seen_key }) => seen_key.toString('latin1')));
    return new Set(events.filter((event) => keys.has(keyOf(event))));
  }

  get #shared() {
    return this.#options.parts().shared;
  }

  async #readRunning(): Promise<Map<string, StoredReplay>> {
    const running = await this.#read(`WHERE state = 'running'`);
    return new Map(running.map((replay) => [replay.id, replay]));
  }

  async #read(where = ''): Promise<StoredReplay[]> {
    const { database, schema } = this.#shared;
    const rows = await database.query<Row>(
      `SELECT * FROM ${schema}.replay ${where} ORDER BY number DESC`,
    );
    return rows.map(replayOf);
  }

  async #removeJobs(over: readonly ReplayJob[]): Promise<void> {
    const { database, jobs } = this.#shared;
    if (over.length === 0) return;
    await database.transaction((tx) => jobs.remove(tx, replayQueue, over));
  }

  /** Reads new deletion requests: events of their users may have been read before they were removed. */
  async #readDeletions(tx: Transaction): Promise<void> {
    const { schema } = this.#shared;
    const rows = await tx.query<DeletedUserColumns & { readonly id: number }>(
      `SELECT id, user_id, received_at FROM ${schema}.deletion WHERE id > $1 ORDER BY id`,
      [this.#lastDeletion - lateNumbers],
    );
    for (const row of rows) this.#removed.add(deletedUserOf(row));
    this.#lastDeletion = rows.at(-1)?.id ?? this.#lastDeletion;
  }
}
