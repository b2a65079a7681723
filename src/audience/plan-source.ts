import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Event, Problem } from '../events/event.js';
import type { Checkpoint } from '../ledger/progress.js';
import { restOf } from '../ledger/resume.js';
import { identify, type AudienceName } from './identify.js';
import type { AudienceStore, Plan } from './store.js';

/** A plan is read as two files: the lines of the list that are no rows, then the changes. */
export const problemFile = 0;
export const changeFile = 1;

/** What the files of a plan are called; no list has a name with a slash at its end. */
export function planFiles(plan: Plan, { property }: AudienceName): readonly [string, string] {
  return [plan.file, `audience ${property}/`];
}

/** So many are taken from the store at once. */
const pageSize = 500;

/** What earlier runs have left of a plan, as events and problems. */
export async function* readPlan(
  store: AudienceStore,
  plan: Plan,
  name: AudienceName,
  place: Checkpoint,
): AsyncGenerator<(Event | Problem)[]> {
  const [listFile, file] = planFiles(plan, name);
  yield* left(place, problemFile, (after) => store.problems(after, pageSize, listFile));
  yield* left(place, changeFile, (after) =>
    store
      .changes(after, pageSize)
      .map((change) => identify(name, change, plan.madeAt, { file, line: change.line })),
  );
}

async function* left(
  place: Checkpoint,
  file: number,
  pageBehind: (line: number) => (Event | Problem)[],
): AsyncGenerator<(Event | Problem)[]> {
  const rest = restOf(place, file);
  let after = (rest?.start.line ?? 1) - 1;
  for (let page = pageBehind(after); page.length > 0; page = pageBehind(after)) {
    after = page.at(-1)!.origin.line;
    // Nothing else here waits: signals and answers need a turn.
    await nextTurn();
    yield rest ? page.filter(({ origin }) => rest.takes(origin.line, origin.length)) : page;
  }
}
