import type { Summary } from '../ledger/summary.js';

/** The total of two plans that were sent one after the other. */
export function addSummaries(first: Summary, second: Summary): Summary {
  const sum = (name: 'read' | 'delivered' | 'rejected' | 'failed' | 'skipped'): number =>
    first[name] + second[name];
  const delivered = sum('delivered');
  const seconds = Math.round((first.seconds + second.seconds) * 1000) / 1000;
  // Percentiles cannot be added: use those of the plan with more deliveries.
  const main = first.delivered > second.delivered ? first : second;
  return {
    read: sum('read'),
    delivered,
    rejected: sum('rejected'),
    failed: sum('failed'),
    skipped: sum('skipped'),
    pending: first.pending + second.pending,
    retries: first.retries + second.retries,
    bytes: first.bytes + second.bytes,
    seconds,
    eventsPerSecond: seconds > 0 ? Math.round(delivered / seconds) : 0,
    latencyMs: main.latencyMs.p50 === null ? first.latencyMs : main.latencyMs,
    deadLetter: second.deadLetter ?? first.deadLetter,
    resumed: first.resumed || second.resumed,
  };
}
