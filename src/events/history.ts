import { tracks, view, type Call } from './history-calls.js';
import { makePerson, type Person } from './history-people.js';
import { seeded, type Random } from './random.js';

/** How many events the sample history has. */
export const historyLength = 1000;

const peopleCount = 120;
/** Enough for a view, an alias, an identify and something after them. */
const fewestEvents = 5;

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
/** Thirty days, the last of them 2026-10-31. */
const endMs = Date.UTC(2026, 10, 1);
const beginMs = endMs - 30 * dayMs;

/**
 * A month of a small shop: 1,000 events of 120 users as NDJSON lines (without line ends), in the
 * order of their timestamps. Each user comes anonymously, signs up (alias, identify), and goes on
 * with a userId. It is the same on every call.
 */
export function* history(): Generator<string, void> {
  const random = seeded(20_261_031);
  const people = Array.from({ length: peopleCount }, (_, index) => makePerson(index + 1, random));
  const counts = shareOut(random);
  const times = people.flatMap((person, index) => journey(person, counts[index]!, random));
  times.sort((one, other) => one.at - other.at);
  for (const { at, person, call } of times) {
    yield JSON.stringify(toEvent(at, person, call, random));
  }
}

interface Moment {
  readonly at: number;
  readonly person: Person;
  readonly call: Call;
}

/** How many events each person gets: a few at least, the rest by chance. */
function shareOut(random: Random): number[] {
  const counts = Array.from({ length: peopleCount }, () => fewestEvents);
  for (let left = historyLength - peopleCount * fewestEvents; left > 0; left--) {
    counts[random.whole(0, peopleCount - 1)]!++;
  }
  return counts;
}

function journey(person: Person, count: number, random: Random): Moment[] {
  const calls = callsOf(person, count, random);
  const times = timesOf(count, random);
  return calls.map((call, index) => ({ at: times[index]!, person, call }));
}

function callsOf(person: Person, count: number, random: Random): Call[] {
  const { userId, anonymousId, traits, company } = person;
  const visits = Array.from({ length: Math.min(random.whole(1, 3), count - 4) }, () => ({
    anonymousId,
    ...view(person, random),
  }));
  const signUp = [
    { type: 'alias', previousId: anonymousId, userId },
    { type: 'identify', userId, anonymousId, traits },
  ];
  const joining = company ? [{ type: 'group', userId, ...company }] : [];
  const calls: Call[] = [...visits, ...signUp, ...joining];
  const tracked = tracks(random);
  while (calls.length < count) {
    const call = random.next() < 0.3 ? view(person, random) : tracked.next().value;
    calls.push({ userId, anonymousId, ...call });
  }
  return calls;
}

/** Times that only go up: a first visit of some minutes, then until the end of the month. */
function timesOf(count: number, random: Random): number[] {
  const begin = beginMs + random.whole(0, 29 * dayMs);
  const visit = [begin];
  while (visit.length < fewestEvents) {
    visit.push(visit.at(-1)! + random.whole(1_000, 4 * minuteMs));
  }
  const later = Array.from({ length: count - fewestEvents }, () =>
    random.whole(visit.at(-1)!, endMs - minuteMs),
  ).sort((one, other) => one - other);
  // A millisecond a step keeps those apart that chance has put together.
  return [...visit, ...later].map((time, step) => time + step);
}

function toEvent(at: number, { context }: Person, call: Call, random: Random): object {
  const { type, userId, anonymousId, ...rest } = call;
  return {
    type,
    messageId: random.uuid(),
    timestamp: new Date(at).toISOString(),
    userId,
    anonymousId,
    context,
    ...rest,
  };
}
