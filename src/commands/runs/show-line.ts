import { isReadable, urlsOf, type RunDetails } from './run-details.js';
import { runLine, type RunLine } from './run-line.js';

/** The line of a run, and after its members those that only `show` has. Times are ISO 8601. */
export function showLine(details: RunDetails): RunLine {
  const { snapshot } = details;
  const { record, workers, nextDueAt, failedRetries } = snapshot;
  return Object.assign(runLine(snapshot), {
    createdAt: timeText(record.createdAt),
    endedAt: record.endedAt === null ? null : timeText(record.endedAt),
    stopReason: record.stopReason,
    ...planMembers(details),
    ...countMembers(details),
    nextAttemptAt: Number.isFinite(nextDueAt) ? timeText(nextDueAt) : null,
    failedRetries,
    workers: workers.map(({ id, items }) => ({ id, items })),
    notices: noticeMembers(details),
  });
}

function planMembers({ snapshot: { record } }: RunDetails): object {
  const { plan } = record;
  if (!isReadable(plan)) return { files: null, target: null };
  const files = plan.files.map(({ path }) => path);
  return { files, target: { kind: plan.target.kind, urls: urlsOf(plan) } };
}

function countMembers({ summary }: RunDetails): object {
  const { reasons, skippedBy, urls, retries, bytes, seconds, eventsPerSecond } = summary;
  const counts = {
    reasons,
    skippedBy: {
      filter: skippedBy.filter,
      integrations: skippedBy.integrations,
      endpoints: skippedBy.endpoints,
    },
  };
  return {
    ...counts,
    ...(urls && { urls }),
    ...{ retries, bytes, seconds, eventsPerSecond, latencyMs: summary.latencyMs },
  };
}

function noticeMembers({ snapshot: { record }, notices }: RunDetails): object[] {
  if (!isReadable(record.plan)) return [];
  const urls = urlsOf(record.plan);
  return notices.map(({ url, notice }) => ({
    url: urls[url] ?? null,
    state: notice.kind,
    ...(notice.kind === 'paused' && { until: timeText(notice.untilMs) }),
    ...(notice.kind === 'down' && { since: timeText(notice.sinceMs) }),
  }));
}

function timeText(ms: number): string {
  return new Date(ms).toISOString();
}
