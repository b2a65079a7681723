import { systemClock } from '../../../clock.js';
import type { Database } from '../../../store/postgres/database.js';
import { GroupWriter } from '../../../store/postgres/group-writer.js';
import type { CommitResult, ItemCommit, ItemRef } from '../item.js';
import { addToTotals, changesOf } from './run-totals.js';

/** Parts in one statement, at most. Each number of them has a text of its own, which a connection prepares once. */
const maxParts = 4;
/** Statements at the same time; commits that come meanwhile are stored together by the next one. */
const parallelStatements = 2;

interface PendingCommit {
  readonly item: ItemRef;
  readonly commit: ItemCommit;
  result: CommitResult | undefined;
}

/**
 * Stores commits of parts that have neither retries nor dead letters; those that come together share a statement. It
 * is one round trip, as a busy thread handles responses late. `taken` is the fencing token: whoever takes a part sets it
 * to its own attempt, so that later commits of the holder before change nothing.
 */
export class PartCommits {
  readonly #database: Database;
  readonly #schema: string;
  readonly #slot: number;
  /** For one part, two, and so on. */
  readonly #statements: readonly string[];
  readonly #writer: GroupWriter<PendingCommit>;
  /** Those whose last attempt has failed. */
  readonly #failed = new WeakSet<ItemCommit>();

  /** `slot`: the one of `run_stat` that this process adds to. */
  constructor(database: Database, schema: string, slot: number) {
    this.#database = database;
    this.#schema = schema;
    this.#slot = slot;
    this.#statements = Array.from({ length: maxParts }, (_, n) => statementFor(n + 1, schema));
    this.#writer = new GroupWriter({
      clock: systemClock,
      write: (group) => this.#write(group),
      maxWeight: maxParts,
      parallel: parallelStatements,
    });
  }

  /**
   * Safe to repeat: a commit that has failed is stored alone, as another part of its statement may be locked.
   * @throws StoreUnavailable: nobody knows whether it was stored
   */
  async store(item: ItemRef, commit: ItemCommit): Promise<CommitResult> {
    const pending: PendingCommit = { item, commit, result: undefined };
    if (this.#failed.has(commit)) await this.#write([pending]);
    else await this.#storeWithOthers(pending);
    return pending.result!;
  }

  async #storeWithOthers(pending: PendingCommit): Promise<void> {
    try {
      await this.#writer.add(pending);
    } catch (error) {
      this.#failed.add(pending.commit);
      throw error;
    }
  }

  async #write(group: readonly PendingCommit[]): Promise<void> {
    const stored = await this.#database.query<{ part: number }>(
      this.#statements[group.length - 1]!,
      [this.#slot, ...group.flatMap(valuesOf)],
      { isPrepared: true },
    );
    for (const { part } of stored) group[part]!.result = 'stored';
    for (const pending of group) pending.result ??= await this.#resultOfUnchanged(pending);
  }

  /** Of a commit that updated no row: it was stored before, and the response was lost, or another worker has the part. */
  async #resultOfUnchanged({ item, commit }: PendingCommit): Promise<CommitResult> {
    const { run, id, job } = item;
    const found = await this.#database.query(
      `SELECT FROM ${this.#schema}.part WHERE run = $1 AND id = $2 AND job = $3 AND taken = $4
         AND (progress->>'sequence')::int >= $5`,
      [run, id, job.id, job.attempt, commit.progress.sequence],
    );
    return found.length > 0 ? 'stored' : 'lost';
  }
}

/** The parameters of each part, behind that of the slot. */
const parameters = [
  ...(['run', 'id', 'job', 'attempt', 'sequence'] as const),
  ...(['progress', 'names', 'values'] as const),
];
type Parameter = (typeof parameters)[number];

function valuesOf({ item: { run, id, job }, commit }: PendingCommit): unknown[] {
  const { progress } = commit;
  const [names, values] = changesOf(commit);
  const all: Record<Parameter, unknown> = {
    ...{ run, id, job: job.id, attempt: job.attempt, sequence: progress.sequence },
    ...{ progress: JSON.stringify(progress), names, values },
  };
  return parameters.map((name) => all[name]);
}

/**
 * The text of a statement that stores the progress of `parts` parts, adds the changes of those that are still held to
 * the totals, and returns their indexes. An UPDATE for each part, not a join: the prepared plan of a join may scan the
 * table.
 */
function statementFor(parts: number, schema: string): string {
  const all = Array.from({ length: parts }, (_, part) => {
    const of = (name: Parameter): string =>
      `$${2 + part * parameters.length + parameters.indexOf(name)}`;
    return {
      update: `stored${part} AS (
        UPDATE ${schema}.part SET progress = ${of('progress')}, attempt = ${of('attempt')}
        WHERE run = ${of('run')} AND id = ${of('id')}
          AND job = ${of('job')} AND taken = ${of('attempt')}
          AND coalesce((progress->>'sequence')::int, 0) < ${of('sequence')} RETURNING run)`,
      changes: `SELECT stored${part}.run, change.* FROM stored${part},
        unnest(${of('names')}::text[], ${of('values')}::bigint[]) AS change (name, value)`,
      index: `SELECT ${part} AS part FROM stored${part}`,
    };
  });
  const changes = all.map((one) => one.changes).join(' UNION ALL ');
  return `WITH ${all.map(({ update }) => update).join(', ')},
    added AS (${addToTotals(schema, '$1', changes)})
    ${all.map(({ index }) => index).join(' UNION ALL ')}`;
}
