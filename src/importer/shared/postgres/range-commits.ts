import { systemClock } from '../../../clock.js';
import { GroupWriter } from '../../../store/postgres/group-writer.js';
import type { Database } from '../../../store/postgres/database.js';
import type { CommitResult, ItemCommit, ItemRef } from '../item.js';

/** Parts in one statement, at most: each number of them is a statement of its own, which is prepared. */
const maxParts = 4;
/** Statements at the same time; what comes meanwhile is stored together by the next one. */
const parallelStatements = 2;

interface Pending {
  readonly item: ItemRef;
  readonly commit: ItemCommit;
  result: CommitResult | undefined;
}

/**
 * Stores commits of parts that have neither retries nor dead letters, those that come together in one statement: a
 * thread that sends has a long way from one response to its next request. Whoever takes a part next puts its own
 * attempt into `taken`, reads the progress with it, and so refuses what comes later.
 */
export class RangeCommits {
  readonly #database: Database;
  readonly #schema: string;
  readonly #slot: number;
  readonly #writer: GroupWriter<Pending>;

  /** `slot`: that of the totals to add to. */
  constructor(database: Database, schema: string, slot: number) {
    this.#database = database;
    this.#schema = schema;
    this.#slot = slot;
    this.#writer = new GroupWriter<Pending>({
      clock: systemClock,
      write: (group) => this.#write(group),
      weightOf: () => 1,
      maxWeight: maxParts,
      parallel: parallelStatements,
      isAlone: () => true,
    });
  }

  /** @throws StoreUnavailable; whether it was stored is unknown, and it may be repeated */
  async store(item: ItemRef, commit: ItemCommit): Promise<CommitResult> {
    const pending: Pending = { item, commit, result: undefined };
    await this.#writer.add(pending);
    return pending.result!;
  }

  async #write(group: readonly Pending[]): Promise<void> {
    const stored = await this.#database.query<{ part: number }>(
      statementFor(group.length, this.#schema),
      [this.#slot, ...group.flatMap(valuesOf)],
      { isPrepared: true },
    );
    for (const { part } of stored) group[part]!.result = 'stored';
    for (const pending of group) pending.result ??= await this.#resultBefore(pending);
  }

  /** Of a commit that changed nothing: it was stored already, when its response was lost, or the part is lost. */
  async #resultBefore({ item, commit }: Pending): Promise<CommitResult> {
    const { run, id, job } = item;
    const found = await this.#database.query(
      `SELECT FROM ${this.#schema}.part WHERE run = $1 AND id = $2 AND job = $3 AND taken = $4
         AND (progress->>'sequence')::int >= $5`,
      [run, id, job.id, job.attempt, commit.progress.sequence],
    );
    return found.length > 0 ? 'stored' : 'lost';
  }
}

/** What a commit adds to the totals, sorted by name. */
export function changesOf({ stats, latency }: ItemCommit): [names: string[], values: number[]] {
  const changes = [
    ...Object.entries(stats),
    ...Object.entries(latency).map(([bucket, n]) => [`latency:${bucket}`, n] as const),
  ].filter(([, change]) => change !== 0);
  changes.sort(([a], [b]) => (a < b ? -1 : 1));
  return [changes.map(([name]) => name), changes.map(([, change]) => change)];
}

/** In the order of the parameters of `statementFor`. */
function valuesOf({ item: { run, id, job }, commit }: Pending): unknown[] {
  const { progress } = commit;
  const fence = [run, id, job.id, job.attempt, progress.sequence];
  return [...fence, JSON.stringify(progress), ...changesOf(commit)];
}

const valuesPerPart = 8;

/**
 * Stores the progress of so many parts, and adds what those that are ours add to the totals; returns their indexes.
 * Totals are locked in the order of their names, so that two statements do not deadlock. Each part has a statement of its
 * own in it, so that it is found by its key whatever the planner expects of the table.
 */
function statementFor(parts: number, schema: string): string {
  const all = Array.from({ length: parts }, (_, part) => {
    const parameter = (n: number): string => `$${1 + part * valuesPerPart + n}`;
    const [run, id, job, attempt, sequence] = [1, 2, 3, 4, 5].map(parameter);
    const [progress, names, values] = [6, 7, 8].map(parameter);
    return {
      update: `stored${part} AS (
        UPDATE ${schema}.part SET progress = ${progress}, attempt = ${attempt}
        WHERE run = ${run} AND id = ${id} AND job = ${job} AND taken = ${attempt}
          AND coalesce((progress->>'sequence')::int, 0) < ${sequence} RETURNING run)`,
      changes: `SELECT stored${part}.run, change.*
        FROM stored${part}, unnest(${names}::text[], ${values}::bigint[]) AS change (name, value)`,
      index: `SELECT ${part} AS part FROM stored${part}`,
    };
  });
  return `WITH ${all.map(({ update }) => update).join(', ')}, added AS (
      INSERT INTO ${schema}.run_stat AS stat (run, slot, name, value)
      SELECT run, $1::int, name, sum(value)::bigint
      FROM (${all.map(({ changes }) => changes).join(' UNION ALL ')}) AS changes
      GROUP BY run, name ORDER BY run, name
      ON CONFLICT (run, slot, name) DO UPDATE SET value = stat.value + excluded.value)
    ${all.map(({ index }) => index).join(' UNION ALL ')}`;
}
