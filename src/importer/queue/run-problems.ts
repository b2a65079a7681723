import { chunksOf } from '../../collections/chunks.js';
import type { QueueConnection } from './connection.js';
import type { ItemKind, RangeItem, RetryBatch } from './item.js';
import { RunKeys } from './keys.js';
import type { RunProblem, RunRecord } from './run-record.js';

/** Different problems that are told apart. */
const maxProblems = 20;
/** Items that are asked for in one round trip. */
const chunkLength = 1_000;

interface Known {
  readonly failed: string;
  readonly problems: readonly RunProblem[];
}

/** Why ranges and retries of runs failed. Read again only when more of them have failed, as there may be many. */
export class RunProblems {
  readonly #connection: QueueConnection;
  readonly #prefix: string;
  readonly #known = new Map<string, Known>();

  constructor(connection: QueueConnection, prefix: string) {
    this.#connection = connection;
    this.#prefix = prefix;
  }

  async read(
    record: RunRecord,
    numbers: Readonly<Record<ItemKind, number>>,
  ): Promise<readonly RunProblem[]> {
    if (numbers.ranges + numbers.retries === 0) return [];
    const failed = `${numbers.ranges} ${numbers.retries} ${await this.#lastIds(record.id)}`;
    const known = this.#known.get(record.id);
    if (known?.failed === failed) return known.problems;
    const [ranges, retries] = await this.#failedIds(record.id, '0');
    const summary = new ProblemSummary(record);
    await this.#addRanges(summary, record.id, ranges);
    await this.#addRetries(summary, record.id, retries);
    this.#known.set(record.id, { failed, problems: summary.problems });
    return summary.problems;
  }

  async #lastIds(run: string): Promise<string> {
    return (await this.#failedIds(run, '-1')).join(' ');
  }

  async #failedIds(run: string, from: string): Promise<[string[], string[]]> {
    const keys = new RunKeys(this.#prefix, run);
    const sets = await this.#connection.pipeline((pipeline) => {
      pipeline.zrange(keys.queue('ranges', 'failed'), from, '-1');
      pipeline.zrange(keys.queue('retries', 'failed'), from, '-1');
    });
    return sets as [string[], string[]];
  }

  async #addRanges(summary: ProblemSummary, run: string, ids: readonly string[]): Promise<void> {
    const keys = new RunKeys(this.#prefix, run);
    for (const part of chunksOf(ids, chunkLength)) {
      const jobs = await this.#connection.pipeline((pipeline) => {
        for (const id of part) pipeline.hmget(keys.job('ranges', id), 'failedReason', 'data');
      });
      for (const [reason, data] of jobs as (string | null)[][]) {
        if (data) summary.add((JSON.parse(data) as RangeItem).file, reason);
      }
    }
  }

  async #addRetries(summary: ProblemSummary, run: string, ids: readonly string[]): Promise<void> {
    const keys = new RunKeys(this.#prefix, run);
    for (const part of chunksOf(ids, chunkLength)) {
      const found = await this.#connection.pipeline((pipeline) => {
        for (const id of part) {
          pipeline.hget(keys.job('retries', id), 'failedReason').hget(keys.retries, id);
        }
      });
      for (let i = 0; i < found.length; i += 2) {
        const [reason, batch] = found.slice(i, i + 2) as (string | null)[];
        const [row] = batch ? (JSON.parse(batch) as RetryBatch).rows : [];
        if (row) summary.add(row.file, reason);
      }
    }
  }
}

/** Counts equal problems. */
class ProblemSummary {
  readonly #record: RunRecord;
  readonly #numbers = new Map<string, RunProblem>();

  constructor(record: RunRecord) {
    this.#record = record;
  }

  get problems(): readonly RunProblem[] {
    return [...this.#numbers.values()];
  }

  add(index: number, reason: string | null | undefined): void {
    const file = this.#record.plan.files[index]?.path ?? '';
    const message = reason ?? 'failed';
    const key = JSON.stringify([file, message]);
    const known = this.#numbers.get(key);
    if (!known && this.#numbers.size === maxProblems) return;
    this.#numbers.set(key, { file, message, ranges: (known?.ranges ?? 0) + 1 });
  }
}
