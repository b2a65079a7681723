import { ReasonCounts } from '../ledger/reason-counts.js';
import type { Summary } from '../ledger/summary.js';
import { UrlStats } from '../ledger/url-stats.js';

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
    skippedBy: {
      filter: first.skippedBy.filter + second.skippedBy.filter,
      integrations: first.skippedBy.integrations + second.skippedBy.integrations,
      endpoints: first.skippedBy.endpoints + second.skippedBy.endpoints,
      earlier: first.skippedBy.earlier + second.skippedBy.earlier,
    },
    pending: first.pending + second.pending,
    earlier: {
      delivered: first.earlier.delivered + second.earlier.delivered,
      rejected: first.earlier.rejected + second.earlier.rejected,
      failed: first.earlier.failed + second.earlier.failed,
    },
    reasons: reasonsOf(first, second),
    ...urlsOf(first, second),
    retries: first.retries + second.retries,
    bytes: first.bytes + second.bytes,
    seconds,
    eventsPerSecond: seconds > 0 ? Math.round(delivered / seconds) : 0,
    latencyMs: main.latencyMs.p50 === null ? first.latencyMs : main.latencyMs,
    deadLetter: second.deadLetter ?? first.deadLetter,
    resumed: first.resumed || second.resumed,
  };
}

function reasonsOf(...summaries: readonly Summary[]): Summary['reasons'] {
  const reasons = new ReasonCounts();
  for (const summary of summaries) {
    for (const { code, count } of summary.reasons) reasons.add(code, count);
  }
  return reasons.list();
}

function urlsOf(first: Summary, second: Summary): Pick<Summary, 'urls'> {
  if (!first.urls || !second.urls) return {};
  const urls = new UrlStats(first.urls.map(({ url }) => url));
  for (const summary of [first, second]) urls.add(summary.urls ?? []);
  const list = urls.list();
  return { urls: list.length > 0 ? list : first.urls };
}
