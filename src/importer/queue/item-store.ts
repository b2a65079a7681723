import type { RetryRow } from '../../ledger/retry-row.js';
import type { BullQueues } from './bull-queues.js';
import type { QueueConnection } from './connection.js';
import type {
  CommitResult,
  ItemCommit,
  ItemProgress,
  ItemRef,
  RangeItem,
  RetryBatch,
  StatChanges,
} from './item.js';
import { RunKeys } from './keys.js';
import { commitScript } from './scripts/commit.js';
import { deadLettersScript } from './scripts/dead-letters.js';
import { dueTimesScript } from './scripts/due-times.js';

/** Dead letters that are read at once; what reads them shows, writes or compares them one by one. */
const maxLetterBytes = 1_000_000;

/** Puts items into the queues of a run, and stores what becomes of them. */
export class ItemStore {
  readonly #connection: QueueConnection;
  readonly #queues: BullQueues;
  readonly #prefix: string;
  readonly #now: () => number;

  constructor(
    connection: QueueConnection,
    queues: BullQueues,
    { prefix, now }: { readonly prefix: string; readonly now: () => number },
  ) {
    this.#connection = connection;
    this.#queues = queues;
    this.#prefix = prefix;
    this.#now = now;
  }

  async addRanges(run: string, items: ReadonlyMap<string, RangeItem>): Promise<void> {
    const timestamp = Math.floor(this.#now());
    const jobs = [...items].map(([jobId, data]) => ({
      ...{ name: 'range', data },
      opts: { jobId, timestamp, attempts: 1, removeOnComplete: false, removeOnFail: false },
    }));
    await this.#connection.runForPlan(() => this.#queues.of(run, 'ranges').addBulk(jobs));
  }

  async scheduleRetries(run: string, ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return;
    const { retries } = new RunKeys(this.#prefix, run);
    const times = await this.#connection.script(dueTimesScript, [retries], ids);
    const timestamp = Math.floor(this.#now());
    const jobs = ids.flatMap((jobId, index) => {
      const dueAt = (times as readonly string[])[index]!;
      if (dueAt === '') return [];
      const delay = Math.max(0, Number(dueAt) - timestamp);
      const kept = { removeOnComplete: true, removeOnFail: false };
      return [
        { name: 'retries', data: {}, opts: { jobId, timestamp, delay, attempts: 1, ...kept } },
      ];
    });
    if (jobs.length === 0) return;
    await this.#connection.run(() => this.#queues.of(run, 'retries').addBulk(jobs));
  }

  async retryBatch(run: string, id: string): Promise<RetryBatch | undefined> {
    const { retries } = new RunKeys(this.#prefix, run);
    const text = await this.#connection.run(() => this.#connection.client.hget(retries, id));
    return text === null ? undefined : batchOf(text);
  }

  async commit({ run, kind, id, token }: ItemRef, commit: ItemCommit): Promise<CommitResult> {
    const keys = new RunKeys(this.#prefix, run);
    const { progress, putRetries } = commit;
    const dead = commit.deadLetters.map((line) => Buffer.from(line));
    const put = [...putRetries].flatMap(([batch, value]) => [batch, batchText(value)]);
    const result = await this.#connection.script(
      commitScript,
      [
        ...[keys.lock(kind, id), keys.job(kind, id), keys.record, keys.stats],
        ...[keys.deadLetters, keys.retries, keys.retryStats, keys.latency],
      ],
      [
        ...[token, progress.sequence, progressText(progress)],
        ...[kind === 'retries' ? '1' : '', commit.deleteRetry ?? ''],
        ...[changesText(commit.stats), changesText(commit.latency)],
        ...[dead.length, ...dead, put.length, ...put],
      ],
    );
    return result as CommitResult;
  }

  /** Lines from `start`, at most `limit`, and fewer where they are long: none only at the end of the list. */
  async deadLetters(run: string, start: number, limit: number): Promise<Buffer[]> {
    if (limit <= 0) return [];
    const { deadLetters } = new RunKeys(this.#prefix, run);
    const args = [start, limit, maxLetterBytes];
    return (await this.#connection.scriptBuffers(
      deadLettersScript,
      [deadLetters],
      args,
    )) as Buffer[];
  }
}

/** The sequence first: the script finds it there. */
function progressText({ sequence, ...rest }: ItemProgress): string {
  return JSON.stringify({ sequence, ...rest });
}

/** As a batch is stored: texts of events in Base64, a third longer than they are. */
interface StoredBatch {
  readonly dueAt: number;
  readonly rows: readonly (Omit<RetryRow, 'text'> & { readonly text: string | null })[];
}

/** The time first: a script finds it there. */
function batchText({ dueAt, rows }: RetryBatch): string {
  const stored: StoredBatch = {
    dueAt: Math.ceil(dueAt),
    rows: rows.map((row) => ({ ...row, text: row.text?.toString('base64') ?? null })),
  };
  return JSON.stringify(stored);
}

function batchOf(stored: string): RetryBatch {
  const { dueAt, rows } = JSON.parse(stored) as StoredBatch;
  const textOf = (text: string | null) => (text === null ? null : Buffer.from(text, 'base64'));
  return { dueAt, rows: rows.map((row) => ({ ...row, text: textOf(row.text) })) };
}

/** As JSON, without those that change nothing. */
function changesText(changes: StatChanges): string {
  for (const [name, change] of Object.entries(changes)) {
    // Redis would stop within the script, with half of it done.
    if (!Number.isSafeInteger(change))
      throw new TypeError(`the change of ${name} is not an integer`);
  }
  return JSON.stringify(changes, (_name, value: unknown) => (value === 0 ? undefined : value));
}
