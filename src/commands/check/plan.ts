import { levelOf, type Check } from '../../check/check.js';
import type { CheckSettings } from '../../check/settings.js';
import type { Io } from '../shared/command.js';
import { print } from '../shared/output.js';
import type { CheckFlags } from './command.js';

/** How many requests these checks send; those that do not apply send none. */
export function plannedRequests(checks: readonly Check[], settings: CheckSettings): number {
  return checks.reduce((sum, check) => sum + requestsOf(check, settings), 0);
}

/** What would be sent, a line for each check. */
export function printPlan(
  checks: readonly Check[],
  settings: CheckSettings,
  { json }: CheckFlags,
  io: Io,
): void {
  const rows = checks.map((check) => ({
    id: check.id,
    level: levelOf(check, settings),
    requests: requestsOf(check, settings),
    sends: check.skipIf?.(settings) ?? check.sends,
  }));
  const requests = plannedRequests(checks, settings);
  if (json) {
    for (const row of rows) print(io, JSON.stringify({ type: 'plan', ...row }));
    print(io, JSON.stringify({ type: 'summary', checks: rows.length, requests }));
    return;
  }
  const width = Math.max(...rows.map(({ id }) => id.length));
  for (const { id, level, requests: count, sends } of rows) {
    print(io, `${id.padEnd(width)}  ${level.padEnd(6)}  ${String(count).padStart(3)}  ${sends}`);
  }
  print(io, `\n${rows.length} checks, about ${requests} requests; nothing was sent`);
}

function requestsOf({ requests, skipIf }: Check, settings: CheckSettings): number {
  if (skipIf?.(settings) !== undefined) return 0;
  return typeof requests === 'function' ? requests(settings) : requests;
}
