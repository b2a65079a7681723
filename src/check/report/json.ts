import type { ReportedResult } from '../result.js';
import type { ClientCertificateNote, Report } from './model.js';

/** A line of JSON for each check, for the client certificate if there is one, and for the summary; members are those of docs/check.md. */
export function jsonLines({ run: { results, summary }, clientCertificate }: Report): string[] {
  const { pass, warn, fail, na, info, score } = summary;
  const last = { type: 'summary', pass, warn, fail, na, info, score };
  const certificate = clientCertificate ? [certificateLine(clientCertificate)] : [];
  return [...results.map(checkLine), ...certificate, JSON.stringify(last)];
}

function certificateLine({ daysLeft, end, isEnding, text }: ClientCertificateNote): string {
  const verdict = isEnding ? 'warn' : 'info';
  const endsAt = new Date(end).toISOString();
  return JSON.stringify({ type: 'clientCertificate', verdict, message: text, daysLeft, endsAt });
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
