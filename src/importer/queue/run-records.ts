import type { QueueConnection } from './connection.js';
import { RunKeys, runsKey } from './keys.js';
import { foreignPlan, planFormat, type Plan } from './plan.js';
import { isOpen, type RunHead, type RunRecord, type RunStatus } from './run-record.js';
import type { FailureLimit } from '../stop-rule.js';

const unknownProgram = 'unknown version';
const headFields = ['status', 'stopReason', 'total', 'createdAt', 'endedAt', 'publicHash'];
const fields = [...headFields, 'stopAfter'];

/** Reads runs. A plan never changes and may be long, so it is read once and kept while its run is open. */
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
  async list(): Promise<RunHead[]> {
    const { client } = this.#connection;
    const runs = await this.#connection.run(() => client.zrange(runsKey(this.#prefix), '0', '-1'));
    const rows = await this.#connection.pipeline((pipeline) => {
      for (const run of runs) pipeline.hmget(this.#keyOf(run), ...fields);
    });
    const heads = runs.flatMap((run, index) => headOf(run, rows[index] as Row) ?? []);
    this.#keepPlans(heads);
    return heads;
  }

  async find(run: string): Promise<RunRecord | undefined> {
    // Anything else could be the key of something else.
    if (!/^[a-z0-9-]+$/.test(run)) return undefined;
    const { client } = this.#connection;
    const row = await this.#connection.run(() => client.hmget(this.#keyOf(run), ...fields));
    const head = headOf(run, row);
    if (!head) return undefined;
    const plan = await this.#planOf(run);
    const stopAfter = row.at(-1);
    // A stopped run may go on with another limit.
    return {
      ...head,
      plan: stopAfter ? { ...plan, stopAfter: JSON.parse(stopAfter) as FailureLimit } : plan,
    };
  }

  async #planOf(run: string): Promise<Plan> {
    const known = this.#plans.get(run);
    if (known) return known;
    const { client } = this.#connection;
    const text = await this.#connection.run(() => client.hget(this.#keyOf(run), 'plan'));
    // It may have been removed in the meantime.
    if (text === null) return foreignPlan(0, unknownProgram);
    const plan = planOf(text);
    this.#plans.set(run, plan);
    return plan;
  }

  #keepPlans(heads: readonly RunHead[]): void {
    const open = new Set(heads.filter((head) => isOpen(head)).map(({ id }) => id));
    for (const run of this.#plans.keys()) if (!open.has(run)) this.#plans.delete(run);
  }

  #keyOf(run: string): string {
    return new RunKeys(this.#prefix, run).record;
  }
}

type Row = readonly (string | null)[];

function headOf(id: string, row: Row): RunHead | undefined {
  const [status, stopReason, total, createdAt, endedAt, publicHash] = row;
  if (!status) return undefined;
  return {
    id,
    publicHash: publicHash ?? null,
    status: status as RunStatus,
    stopReason: stopReason ?? null,
    total: numberOf(total),
    createdAt: Number(createdAt),
    endedAt: numberOf(endedAt),
  };
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
