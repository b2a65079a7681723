import type { PlannedDestination } from './plan.js';
import type { Report } from './world.js';

/** Runs that a search for a shorter history may take. */
const maxRuns = 200;

/** What a search may take out of a plan. */
interface Reducible {
  readonly destinations: readonly PlannedDestination[];
  readonly happenings: readonly unknown[];
}

/** A plan with fewer happenings that comes to the same violation, but for its numbers. */
export async function shortest<Plan extends Reducible>(
  plan: Plan,
  violation: string,
  run: (plan: Plan) => Promise<Report>,
): Promise<Plan> {
  const kind = kindOf(violation);
  let runs = 0;
  const stillFails = async (smaller: Plan): Promise<boolean> => {
    if (runs++ >= maxRuns) return false;
    const found = (await run(smaller)).violation;
    return found !== undefined && kindOf(found) === kind;
  };
  let best = plan;
  const happenings = await fewer(plan.happenings, (kept) =>
    stillFails({ ...best, happenings: kept }),
  );
  best = { ...best, happenings };
  for (const [index, destination] of best.destinations.entries()) {
    const quiet: PlannedDestination = {
      ...destination,
      urls: destination.urls.map((url) => ({ ...url, life: url.life.slice(0, 1) })),
    };
    const destinations = best.destinations.with(index, quiet);
    if (await stillFails({ ...best, destinations })) best = { ...best, destinations };
  }
  return best;
}

/** Leaves out parts, large ones first, as long as the rest still fails. */
async function fewer<Item>(
  items: readonly Item[],
  stillFails: (kept: readonly Item[]) => Promise<boolean>,
): Promise<readonly Item[]> {
  let kept = items;
  for (let size = Math.ceil(kept.length / 2); size >= 1; size = Math.floor(size / 2)) {
    for (let at = 0; at < kept.length;) {
      const rest = [...kept.slice(0, at), ...kept.slice(at + size)];
      if (await stillFails(rest)) kept = rest;
      else at += size;
    }
  }
  return kept;
}

function kindOf(violation: string): string {
  return violation.replace(/[\d.]+/g, '#').replace(/[ud]#\S*/g, '');
}
