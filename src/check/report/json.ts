import type { ReportedResult } from '../result.js';
import type { Report } from './model.js';

/** A line of JSON for each check, and one for the summary; members are those of docs/check.md. */
export function jsonLines({ run: { results, summary } }: Report): string[] {
  const { pass, warn, fail, na, info, score } = summary;
  const last = { type: 'summary', pass, warn, fail, na, info, score };
  return [...results.map(checkLine), JSON.stringify(last)];
}

function checkLine({ check, level, verdict, message, durationMs, curl }: ReportedResult): string {
  const duration = Math.round(durationMs * 1000) / 1000;
  const members = {
    id: check.id,
    level,
    verdict,
    message,
    durationMs: duration,
    curl: curl ?? null,
  };
  return JSON.stringify({ type: 'check', ...members });
}
