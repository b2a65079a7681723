import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Event, Problem } from '../events/event.js';
import type { Checkpoint } from '../ledger/progress.js';
import { restOf } from '../ledger/resume.js';
import { identify, type AudienceName } from './identify.js';
import type { AudienceStore, Plan } from './store.js';

/** A plan is read as two files: the invalid lines of the list, then the changes. */
export const problemFile = 0;
export const changeFile = 1;

/** The names of a plan's files; they differ, since no list has a name that ends with a slash. */
export function planFiles(plan: Plan, { property }: AudienceName): readonly [string, string] {
  return [plan.file, `audience ${property}/`];
}

/** How many are read from the store at once. */
const pageSize = 500;

/** What earlier runs have left of a plan, as events and problems. */
export async function* readPlan(
  store: AudienceStore,
  plan: Plan,
  name: AudienceName,
  checkpoint: Checkpoint,
): AsyncGenerator<(Event | Problem)[]> {
  const [listFile, file] = planFiles(plan, name);
  yield* left(checkpoint, problemFile, (after) => store.problems(after, pageSize, listFile));
  yield* left(checkpoint, changeFile, (after) =>
    store
      .changes(after, pageSize)
      .map((change) => identify(name, change, plan.madeAt, { file, line: change.line })),
  );
}

async function* left(
  checkpoint: Checkpoint,
  file: number,
  pageAfter: (line: number) => (Event | Problem)[],
): AsyncGenerator<(Event | Problem)[]> {
  const rest = restOf(checkpoint, file);
  let after = (rest?.start.line ?? 1) - 1;
  for (let page = pageAfter(after); page.length > 0; page = pageAfter(after)) {
    after = page.at(-1)!.origin.line;
    // Nothing else here waits: without this, signals and responses are not handled.
    await nextTurn();
    yield rest ? page.filter(({ origin }) => rest.takes(origin.line, origin.length)) : page;
  }
}
