import { ReasonCounts, type ReasonCount } from '../../ledger/reason-counts.js';
import type { Summary } from '../../ledger/summary.js';
import type { UrlCounts } from '../../ledger/url-stats.js';
import type { StatChanges } from './item.js';
import type { PlannedTarget } from './plan.js';
import type { RunProblem, RunSnapshot } from './run-record.js';

/** The summary of a run over all its workers. */
export interface RunSummary extends Summary {
  /** Its id. */
  readonly run: string;
  /** Why ranges could not be worked on; their lines count as 0. */
  readonly problems: readonly RunProblem[];
}

/** What a summary has besides a snapshot. */
export interface RunSummaryOptions {
  /** Events without a final status. */
  readonly pending: number;
  /** Where this process has written the dead letters; null if it has written none. */
  readonly deadLetterPath: string | null;
  /** Whether the run was there already. */
  readonly isJoined: boolean;
  /** Milliseconds since 1970 by the clock of the server. */
  readonly now: number;
}

export function runSummaryOf(snapshot: RunSnapshot, options: RunSummaryOptions): RunSummary {
  const { record, stats, latency, problems } = snapshot;
  const of = (name: string): number => stats[name] ?? 0;
  const [delivered, rejected, failed] = [of('delivered'), of('rejected'), of('failed')];
  const [skipped, disabled, unwanted] = [of('skipped'), of('disabled'), of('unwanted')];
  const seconds = Math.max(0, (record.endedAt ?? options.now) - record.createdAt) / 1000;
  const urls = urlsOf(record.plan.target, stats);
  return {
    read: delivered + rejected + failed + skipped + options.pending,
    ...{ delivered, rejected, failed, skipped },
    skippedBy: {
      filter: skipped - disabled - unwanted,
      integrations: disabled,
      endpoints: unwanted,
      earlier: 0,
    },
    pending: options.pending,
    earlier: { delivered: 0, rejected: 0, failed: 0 },
    reasons: reasonsOf(stats),
    ...(urls.length > 0 && { urls }),
    retries: of('retries'),
    bytes: of('bytes'),
    seconds: Math.round(seconds * 1000) / 1000,
    eventsPerSecond: seconds > 0 ? Math.round(delivered / seconds) : 0,
    latencyMs: {
      p50: latency.percentile(0.5),
      p95: latency.percentile(0.95),
      p99: latency.percentile(0.99),
    },
    deadLetter: rejected + failed > 0 ? options.deadLetterPath : null,
    resumed: options.isJoined,
    run: record.id,
    problems,
  };
}

function reasonsOf(stats: StatChanges): ReasonCount[] {
  const reasons = new ReasonCounts();
  for (const [code, count] of countsBelow('reason:', stats)) reasons.add(code, count);
  return reasons.list();
}

/** One per URL, in order; empty with a single one. Endpoints may share a URL, apart from its query. */
function urlsOf(target: PlannedTarget, stats: StatChanges): UrlCounts[] {
  if (target.kind === 'collector' || target.endpoints.length === 1) return [];
  const byUrl = new Map<string, UrlCounts>();
  target.endpoints.forEach(({ url }, index) => {
    const before = byUrl.get(url) ?? { url, delivered: 0, failed: 0, lastReason: null };
    byUrl.set(url, {
      url,
      delivered: before.delivered + (stats[`url:${index}:delivered`] ?? 0),
      failed: before.failed + (stats[`url:${index}:failed`] ?? 0),
      lastReason: before.lastReason ?? mostFrequent(`url:${index}:reason:`, stats),
    });
  });
  return [...byUrl.values()];
}

/** Of several workers nobody knows the last reason; the most frequent one says more anyway. */
function mostFrequent(prefix: string, stats: StatChanges): string | null {
  const [first] = countsBelow(prefix, stats).sort(([, a], [, b]) => b - a);
  return first?.[0] ?? null;
}

function countsBelow(prefix: string, stats: StatChanges): [name: string, count: number][] {
  return Object.entries(stats)
    .filter(([name, count]) => name.startsWith(prefix) && count > 0)
    .map(([name, count]) => [name.slice(prefix.length), count]);
}
