import { median } from './median.js';

/**
 * Runs the contenders of a case in turn, round after round, so that other load on the machine affects
 * all of them equally. Resolves to `{ contender: [result, …] }` and what was skipped.
 *
 * A result has `seconds`, mostly `events`, `cpuSeconds` and `peakMb`, `p99Ms` of responses; and a `rate` of its own if that is
 * not `events` per `seconds`.
 */
export async function measureCase(contenders, rounds, onRun) {
  const results = new Map(contenders.map(({ name }) => [name, []]));
  for (let round = 0; round < rounds; round++) {
    for (const { name, run, rounds: ownRounds = rounds } of contenders) {
      if (round >= ownRounds) continue;
      onRun(`${name}, ${round + 1}/${rounds}`);
      const result = await run();
      const rate = result.events / result.seconds;
      results.get(name).push({ rate, ...result });
    }
  }
  return results;
}

/** The median of each number that the results of one contender have. */
export function summarize(results) {
  const metrics = ['seconds', 'rate', 'cpuSeconds', 'peakMb', 'p99Ms', 'events'];
  return Object.fromEntries(
    metrics.map((metric) => [metric, median(results.map((result) => result[metric]))]),
  );
}

/**
 * The result of a promise: the median over the rounds of subject / peer, or of the subject's own
 * number without a peer. Undefined if one of both was not measured.
 */
export function judge({ subject, peer, metric = 'rate', atLeast, atMost }, results) {
  const own = results.get(subject) ?? [];
  const others = peer === undefined ? own : (results.get(peer) ?? []);
  const rounds = Math.min(own.length, others.length);
  const values = Array.from({ length: rounds }, (_, i) =>
    peer === undefined ? own[i][metric] : own[i][metric] / others[i][metric],
  );
  const value = median(values);
  if (value === undefined) return undefined;
  const holds = value >= (atLeast ?? -Infinity) && value <= (atMost ?? Infinity);
  return { value, holds: atLeast === undefined && atMost === undefined ? undefined : holds };
}
