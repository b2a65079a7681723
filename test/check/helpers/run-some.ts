import { allChecks } from '../../../src/check/groups/index.js';
import { analytics } from '../../../src/check/senders/analytics.js';
import type { Check } from '../../../src/check/check.js';
import type { ReportedResult } from '../../../src/check/result.js';
import { runChecks } from '../../../src/check/run.js';
import type { CheckSettings } from '../../../src/check/settings.js';
import { fastClock } from './fast-clock.js';
import { presets } from '../../../src/sign/schemes/index.js';

/** The settings of a run with the secret `topsecret`, and enough rate for a test. */
export function settingsFor(url: string, changes: Partial<CheckSettings> = {}): CheckSettings {
  return {
    url: new URL(url),
    headers: [],
    signing: { scheme: presets.get('x-signature')!, secrets: ['topsecret'] },
    sender: analytics,
    ca: [],
    deadlineMs: 5_000,
    rate: 1_000,
    isStrict: false,
    ...changes,
  };
}

/** Runs these checks by id, or checks that are passed, and returns their results. */
export async function runSome(
  url: string,
  which: readonly (string | Check)[],
  changes: Partial<CheckSettings> = {},
): Promise<readonly ReportedResult[]> {
  const { signal } = new AbortController();
  const settings = settingsFor(url, changes);
  const chosen = which.map((one) => (typeof one === 'string' ? checkNamed(one) : one));
  const clock = fastClock(50);
  return (await runChecks({ checks: chosen, settings, signal, clock })).results;
}

/** The last of them: `pass: HTTP 200`. The others come before it, for checks that look at their events. */
export async function verdictOf(...options: Parameters<typeof runSome>): Promise<string> {
  const { verdict, message } = (await runSome(...options)).at(-1)!;
  return `${verdict}: ${message}`;
}

function checkNamed(id: string): Check {
  const found = allChecks(analytics).find((check) => check.id === id);
  if (!found) throw new Error(`there is no check ${id}`);
  return found;
}
