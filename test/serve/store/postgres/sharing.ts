import type { ServiceOptions } from '../../../../src/serve/service.js';
import { openSharedState, serverClock } from '../../../../src/serve/store/postgres/open-state.js';
import type { Routing } from '../../../../src/serve/types.js';
import type { SharedStore } from '../../../../src/store/postgres/open.js';
import type { TestStore } from '../../../helpers/postgres.js';
import { testStore } from '../../../helpers/shared-store.js';
import { serving, type Serving } from '../../serving.js';

/** An instance of a service, and its connection. */
export interface SharingInstance extends Serving {
  readonly shared: SharedStore;
}

/** Starts instances with the same routing that share a store; they are stopped after the test. */
export async function sharing(
  at: TestStore,
  routing: Routing,
  count = 2,
  options: Partial<ServiceOptions> = {},
): Promise<SharingInstance[]> {
  const instances: SharingInstance[] = [];
  for (let i = 0; i < count; i++) {
    const { store: shared } = await testStore(at);
    const state = { openState: openSharedState(shared), clock: serverClock(shared) };
    instances.push({ ...(await serving(routing, { ...options, ...state })), shared });
  }
  return instances;
}

/** All rows of a table of the store. */
export function rowsOf(
  { shared }: Pick<SharingInstance, 'shared'>,
  table: string,
): Promise<Record<string, unknown>[]> {
  return shared.database.query(`SELECT * FROM ${shared.schema}.${table}`);
}

/** Whether nothing waits and nothing is left over: no block that is not kept, batch or job. */
export async function isDrained(instance: Pick<SharingInstance, 'shared'>): Promise<boolean> {
  const { database, schema } = instance.shared;
  const [row] = await database.query<{ n: number }>(
    `SELECT (SELECT count(*) FROM ${schema}.event_block WHERE kept_ms IS NULL) + (SELECT count(*) FROM ${schema}.queued_block)
     + (SELECT count(*) FROM ${schema}.retry_batch) + (SELECT count(*) FROM ${schema}_jobs.job) AS n`,
  );
  return row!.n === 0;
}

/** The sum of a counter over the store, folded or not. */
export async function countOf(
  instance: Pick<SharingInstance, 'shared'>,
  what: string,
): Promise<number> {
  const { database, schema } = instance.shared;
  const [row] = await database.query<{ n: string }>(
    `SELECT (SELECT coalesce(sum(n), 0) FROM ${schema}.count WHERE what = $1)
     + (SELECT coalesce(sum((c->>3)::int), 0) FROM ${schema}.count_change, jsonb_array_elements(changes) AS c
        WHERE c->>2 = $1) AS n`,
    [what],
  );
  return Number(row!.n);
}
