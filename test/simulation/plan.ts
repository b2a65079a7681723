import type { Random } from '../../src/fixtures/random.js';

export const second = 1_000;
export const minute = 60 * second;
export const hour = 60 * minute;
export const day = 24 * hour;

/** How an endpoint behaves for some time. */
export type Mode =
  | { readonly kind: 'up'; readonly afterMs: number }
  /** Slower than the timeout. */
  | { readonly kind: 'slow' }
  | { readonly kind: 'hanging' }
  | { readonly kind: 'refusing' }
  | { readonly kind: 'resetting' }
  | { readonly kind: 'no-name' }
  /** Its name has a private address. */
  | { readonly kind: 'lied-to' }
  | { readonly kind: 'untrusted' }
  /** 103, and then nothing. */
  | { readonly kind: 'interim' }
  | { readonly kind: 'status'; readonly status: number; readonly retryAfterSeconds?: number }
  /** Every second request fails. */
  | { readonly kind: 'half' };

/** From this time on; until the next one. */
export interface Phase {
  readonly at: number;
  readonly mode: Mode;
}

export interface PlannedUrl {
  readonly host: string;
  readonly life: readonly Phase[];
}

export interface PlannedDestination {
  readonly name: string;
  readonly urls: readonly PlannedUrl[];
}

/** Something that happens at a time, in milliseconds since the beginning. */
export type Happening = { readonly at: number } & (
  | {
      readonly kind: 'send';
      readonly source: number;
      readonly first: number;
      readonly count: number;
      readonly shape: 'plain' | 'large' | 'odd id' | 'no id';
    }
  /** The same batch again. */
  | { readonly kind: 'send again'; readonly first: number }
  | { readonly kind: 'restart' | 'kill' | 'cut power'; readonly downMs: number }
  | { readonly kind: 'switch'; readonly destination: number; readonly isOn: boolean }
  /** A reload with another number of URLs, or without a destination. */
  | { readonly kind: 'reload'; readonly destination: number; readonly change: 'drop' | 'restore' }
  | { readonly kind: 'redeliver' }
  | { readonly kind: 'delete user' }
  | { readonly kind: 'jump'; readonly byMs: number }
  | { readonly kind: 'fill disk'; readonly forMs: number }
  | { readonly kind: 'fail commits' | 'fail flushes'; readonly count: number }
  | { readonly kind: 'damage' }
);

/** All that chance decides about a world, as plain data. */
export interface Plan {
  readonly seed: number;
  readonly days: number;
  readonly destinations: readonly PlannedDestination[];
  /** Of each source, the destinations. */
  readonly sources: readonly (readonly number[])[];
  readonly happenings: readonly Happening[];
}

/** How long all troubles of one URL may last together: each second of them costs a probe. */
const troubleBudget = 6 * hour;

export function planOf(seed: number, days: number, random: Random): Plan {
  const when = timesOf(days, random);
  const destinations = Array.from({ length: sizeFrom(random, 20) }, (_, index) =>
    plannedDestination(index, when, random),
  );
  const sources = Array.from({ length: random.whole(1, 3) }, () =>
    destinations.flatMap((_, index) => (random.next() < 0.7 ? [index] : [])),
  );
  const happenings = [
    ...traffic(when, sources.length, random),
    ...accidents(when, destinations.length, random),
  ];
  happenings.sort((a, b) => a.at - b.at);
  return { seed, days, destinations, sources, happenings };
}

/** Times in a world: most are near a few of them, where accidents and traffic meet. */
export type When = () => number;

function timesOf(days: number, random: Random): When {
  const end = days * day;
  const busy = Array.from({ length: 4 }, () => random.whole(0, end - day));
  return () => {
    if (random.next() < 0.2) return random.whole(0, end);
    const span = random.pick([10 * second, minute, 10 * minute, hour, 12 * hour]);
    return random.pick(busy) + random.whole(0, span);
  };
}

/** Mostly few. */
function sizeFrom(random: Random, most: number): number {
  return Math.min(most, random.whole(1, random.pick([1, 2, 3, 3, 5, most])));
}

export function plannedDestination(index: number, when: When, random: Random): PlannedDestination {
  const name = `d${index}`;
  const count = random.pick([1, 1, 2, 2, 3, 5]);
  const urls = Array.from({ length: count }, (_, url) => ({
    host: `u${url}.${name}.example`,
    life: lifeOf(when, random),
  }));
  return { name, urls };
}

function lifeOf(when: When, random: Random): Phase[] {
  const life: Phase[] = [{ at: 0, mode: up(random) }];
  let left = troubleBudget;
  const troubles = random.pick([0, 1, 1, 2, 4, 8]);
  for (let i = 0; i < troubles && left > 0; i++) {
    const at = when();
    const forMs = Math.min(left, durationOf(random));
    left -= forMs;
    life.push({ at, mode: trouble(random) }, { at: at + forMs, mode: up(random) });
  }
  return life.sort((a, b) => a.at - b.at);
}

function durationOf(random: Random): number {
  return (
    random.pick([3 * second, 20 * second, minute, 10 * minute, hour, 5 * hour]) *
    (0.5 + random.next())
  );
}

function up(random: Random): Mode {
  return { kind: 'up', afterMs: random.pick([1, 5, 30, 300, 2_000]) };
}

function trouble(random: Random): Mode {
  const kind = random.pick([
    ...(['slow', 'hanging', 'refusing', 'resetting', 'no-name', 'lied-to'] as const),
    ...(['untrusted', 'interim', 'half', 'status', 'status', 'status'] as const),
  ]);
  if (kind !== 'status') return { kind };
  const status = random.pick([500, 503, 503, 504, 599, 429, 408, 425, 404, 400, 301, 410]);
  const retryAfterSeconds = random.pick([0, 1, 30, 600, 3_600, 86_400, 1_000_000_000]);
  return random.next() < 0.4 ? { kind, status, retryAfterSeconds } : { kind, status };
}

function traffic(when: When, sources: number, random: Random): Happening[] {
  const sent: Happening[] = [];
  const batches = random.pick([20, 40, 80]);
  let first = 0;
  for (let i = 0; i < batches; i++) {
    // Between two milliseconds of the time of day: timers of different batches do not fire together.
    const at = when() + i / batches;
    const count = random.pick([1, 1, 1, 5, 20, 100]);
    const shape = random.pick([
      'plain',
      'plain',
      'plain',
      'plain',
      'large',
      'odd id',
      'no id',
    ] as const);
    sent.push({ at, kind: 'send', source: random.whole(0, sources - 1), first, count, shape });
    if (random.next() < 0.1) sent.push({ at: at + durationOf(random), kind: 'send again', first });
    first += count;
  }
  return sent;
}

function accidents(when: When, destinations: number, random: Random): Happening[] {
  return Array.from({ length: random.pick([0, 2, 5, 10]) }, () => {
    const at = when();
    const destination = random.whole(0, destinations - 1);
    const downMs = random.pick([second, minute, hour, day]) * random.next();
    return random.pick<Happening>([
      { at, kind: 'restart', downMs },
      { at, kind: 'kill', downMs },
      { at, kind: 'kill', downMs },
      { at, kind: 'cut power', downMs },
      { at, kind: 'switch', destination, isOn: random.next() < 0.5 },
      { at, kind: 'reload', destination, change: random.pick(['drop', 'restore'] as const) },
      { at, kind: 'redeliver' },
      { at, kind: 'delete user' },
      { at, kind: 'jump', byMs: random.pick([-day, -hour, -second, second, hour]) },
      { at, kind: 'fill disk', forMs: durationOf(random) },
      { at, kind: 'fail commits', count: random.pick([1, 1, 5, 100]) },
      { at, kind: 'fail flushes', count: random.pick([1, 1, 3]) },
      { at, kind: 'damage' },
    ]);
  });
}
