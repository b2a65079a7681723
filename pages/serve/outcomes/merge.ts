import type { Outcome } from './outcome.js';

/**
 * One list of several, the newest first, with one outcome for each event and destination: the
 * newest. A dead letter adds its id to what the live list knows of it.
 */
export function mergeOutcomes(lists: readonly (readonly Outcome[])[]): Outcome[] {
  const filled = lists.filter((list) => list.length > 0);
  if (filled.length < 2) return [...(filled[0] ?? [])];
  return newestOf(filled.flat());
}

/** One outcome for each event and destination, the newest first. */
export function newestOf(outcomes: readonly Outcome[]): Outcome[] {
  const found = new Map<string, Outcome>();
  for (const outcome of outcomes) {
    const known = found.get(outcome.key);
    found.set(outcome.key, known ? joined(known, outcome) : outcome);
  }
  return [...found.values()].sort((one, other) => compare(other.at, one.at));
}

function joined(one: Outcome, other: Outcome): Outcome {
  // The list of waiting events is current; an outcome from the stream may be older.
  const [older, newer] = knownAt(one) <= knownAt(other) ? [one, other] : [other, one];
  if (older.state !== newer.state) return newer;
  const attempts = newer.attempts.length > 0 ? newer.attempts : older.attempts;
  const deliveryId = newer.deliveryId ?? older.deliveryId;
  const deadLetterId = newer.deadLetterId ?? older.deadLetterId;
  const response = newer.response ?? older.response;
  return { ...newer, attempts, deliveryId, deadLetterId, ...(response && { response }) };
}

function knownAt({ knownAt: known, at }: Outcome): string {
  return known ?? at;
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
