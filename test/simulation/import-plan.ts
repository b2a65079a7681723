import type { Random } from '../../src/fixtures/random.js';
import { plannedDestination, hour, minute, second, day, type PlannedDestination } from './plan.js';

/** Something that happens to an import at a time, in milliseconds since the beginning. */
export type ImportHappening = { readonly at: number } &
  /** As Ctrl-C does, a signal or the power; the same command is run again later. */
  (
    | { readonly kind: 'interrupt' | 'kill' | 'cut power'; readonly downMs: number }
    /** A kill between two steps of the next commit. */
    | { readonly kind: 'kill in a commit'; readonly step: number; readonly downMs: number }
    | { readonly kind: 'jump'; readonly byMs: number }
    | { readonly kind: 'fill disk'; readonly forMs: number }
    | { readonly kind: 'fail commits' | 'fail flushes'; readonly count: number }
  );

/** All that chance decides about the world of an import, as plain data. */
export interface ImportPlan {
  readonly seed: number;
  readonly days: number;
  /** One: the target. */
  readonly destinations: readonly PlannedDestination[];
  readonly happenings: readonly ImportHappening[];
  /** Lines of each file. */
  readonly files: readonly number[];
  /** 0: all in the main thread. */
  readonly threads: number;
  readonly users: number;
  readonly concurrency: number;
  readonly retryWindowMs: number;
  readonly isOrdered: boolean;
  readonly allUrls: boolean;
  /** How long the disk takes for a flush. */
  readonly flushMs: number;
  /** Events per second; null without a limit. */
  readonly rate: number | null;
}

export function importPlanOf(seed: number, days: number, random: Random): ImportPlan {
  const when = (): number =>
    Math.min(
      random.next() * random.pick([second, 10 * second, minute, 10 * minute, hour, 6 * hour, day]),
      (days - 0.5) * day,
    );
  const concurrency = random.pick([1, 2, 10, 64]);
  const threads = Math.min(concurrency, random.pick([0, 0, 1, 2, 3]));
  return {
    seed,
    days,
    destinations: [plannedDestination(0, when, random)],
    happenings: accidents(when, random),
    files: Array.from({ length: random.pick([1, 1, 2, 4]) }, () =>
      random.whole(1, random.pick([5, 50, 300, 1_500])),
    ),
    threads,
    users: random.pick([1, 3, 20, 1_000]),
    concurrency,
    retryWindowMs: random.pick([10 * minute, 4 * hour, 4 * hour, day]),
    isOrdered: threads === 0 && random.next() < 0.4,
    allUrls: random.next() < 0.2,
    flushMs: random.pick([4, 4, 100, 2_000]),
    rate: random.pick([null, null, 1, 20, 200]),
  };
}

function accidents(when: () => number, random: Random): ImportHappening[] {
  const all = Array.from({ length: random.pick([0, 1, 2, 5, 10]) }, () => {
    const at = when();
    const downMs = random.pick([second, minute, hour]) * random.next();
    return random.pick<ImportHappening>([
      { at, kind: 'interrupt', downMs },
      { at, kind: 'kill', downMs },
      { at, kind: 'kill in a commit', step: random.whole(0, 2), downMs },
      { at, kind: 'kill in a commit', step: random.whole(0, 2), downMs },
      { at, kind: 'cut power', downMs },
      { at, kind: 'jump', byMs: random.pick([-day, -hour, -second, second, hour]) },
      { at, kind: 'fill disk', forMs: random.pick([second, minute, 10 * minute]) },
      { at, kind: 'fail commits', count: random.pick([1, 1, 3]) },
      { at, kind: 'fail flushes', count: 1 },
    ]);
  });
  return all.sort((a, b) => a.at - b.at);
}
