import type { QueueConnection } from './connection.js';
import { RunKeys, runsKey } from './keys.js';
import { foreignPlan, planFormat, type Plan } from './plan.js';
import type { RunRecord, RunStatus } from './run-record.js';
import type { MaxFailures } from '../stop-rule.js';

const unknownProgram = 'unknown version';
const fields = ['status', 'stopReason', 'total', 'createdAt', 'endedAt', 'stopAfter'] as const;

/** Reads runs. The text of a plan never changes and may be long, so it is read once. */
export class RunRecords {
  readonly #connection: QueueConnection;
  readonly #prefix: string;
  readonly #plans = new Map<string, Plan>();

  constructor(connection: QueueConnection, prefix: string) {
    this.#connection = connection;
    this.#prefix = prefix;
  }

  /** Keeps the plan of a run that was just stored, so that it is not read again. */
  note(run: string, plan: Plan): void {
    this.#plans.set(run, plan);
  }

  /** Oldest first. */
  async list(): Promise<RunRecord[]> {
    const { client } = this.#connection;
    const runs = await this.#connection.run(() => client.zrange(runsKey(this.#prefix), '0', '-1'));
    this.#forgetOthers(runs);
    return this.#read(runs);
  }

  async find(run: string): Promise<RunRecord | undefined> {
    // Anything else could be the key of something else.
    if (!/^[a-z0-9-]+$/.test(run)) return undefined;
    const [record] = await this.#read([run]);
    return record;
  }

  async #read(runs: readonly string[]): Promise<RunRecord[]> {
    await this.#readPlans(runs);
    const rows = await this.#connection.pipeline((pipeline) => {
      for (const run of runs) pipeline.hmget(this.#keyOf(run), ...fields);
    });
    return runs.flatMap((run, index) => {
      const plan = this.#plans.get(run) ?? foreignPlan(0, unknownProgram);
      return recordOf(run, plan, rows[index] as Row);
    });
  }

  async #readPlans(runs: readonly string[]): Promise<void> {
    const unknown = runs.filter((run) => !this.#plans.has(run));
    if (unknown.length === 0) return;
    const texts = await this.#connection.pipeline((pipeline) => {
      for (const run of unknown) pipeline.hget(this.#keyOf(run), 'plan');
    });
    for (const [index, run] of unknown.entries()) {
      const text = texts[index] as string | null;
      // A run that is not there may be made later.
      if (text !== null) this.#plans.set(run, planOf(text));
    }
  }

  #forgetOthers(runs: readonly string[]): void {
    const known = new Set(runs);
    for (const run of this.#plans.keys()) if (!known.has(run)) this.#plans.delete(run);
  }

  #keyOf(run: string): string {
    return new RunKeys(this.#prefix, run).record;
  }
}

type Row = readonly (string | null)[];

function recordOf(id: string, plan: Plan, row: Row): RunRecord[] {
  const [status, stopReason, total, createdAt, endedAt, stopAfter] = row;
  if (!status) return [];
  return [
    {
      id,
      // A stopped run may go on with another limit.
      plan: stopAfter ? { ...plan, stopAfter: JSON.parse(stopAfter) as MaxFailures } : plan,
      status: status as RunStatus,
      stopReason: stopReason ?? null,
      total: numberOf(total),
      createdAt: Number(createdAt),
      endedAt: numberOf(endedAt),
    },
  ];
}

function numberOf(text: string | null | undefined): number | null {
  return text == null ? null : Number(text);
}

/** Of a plan of another format, only what messages need. */
function planOf(text: string): Plan {
  const plan = parsed(text);
  const { format, program } = plan;
  if (format === planFormat) return plan as Plan;
  return foreignPlan(
    typeof format === 'number' ? format : 0,
    typeof program === 'string' ? program : unknownProgram,
  );
}

function parsed(text: string): Partial<Plan> {
  try {
    return (JSON.parse(text) ?? {}) as Partial<Plan>;
  } catch {
    return {};
  }
}
