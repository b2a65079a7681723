import { type Check, type CheckResult, notApplicable } from '../../../src/check/check.js';
import type { Exchange } from '../../../src/check/exchange.js';
import { Prober } from '../../../src/check/prober.js';
import { analytics } from '../../../src/check/senders/analytics.js';
import { Session } from '../../../src/check/session.js';
import { fastClock } from './fast-clock.js';
import type { CheckSettings } from '../../../src/check/settings.js';

export interface Evaluated {
  readonly results: ReadonlyMap<string, CheckResult>;
  readonly exchanges: readonly Exchange[];
}

/** Runs checks one after the other, those that look at the others last. */
export async function evaluate(
  checks: readonly Check[],
  url: string,
  changes: Partial<CheckSettings> = {},
): Promise<Evaluated> {
  const settings = { ...defaults, url: new URL(url), ...changes };
  const session = new Session(settings, new AbortController().signal, undefined, fastClock(50));
  const results = new Map<string, CheckResult>();
  const last = checks.filter(({ stage }) => stage === 'observe');
  for (const check of [...checks.filter((one) => !last.includes(one)), ...last]) {
    const reason = check.skipIf?.(settings);
    const prober = new Prober(session, check.id);
    if (reason === undefined) await check.send?.(prober);
    results.set(
      check.id,
      reason === undefined ? await check.evaluate(prober) : notApplicable(reason),
    );
  }
  session.close();
  return { results, exchanges: session.exchanges };
}

/** What was found by id, without what passed. */
export async function foundBy(
  checks: readonly Check[],
  url: string,
  changes?: Partial<CheckSettings>,
): Promise<Record<string, CheckResult['outcome']>> {
  const { results } = await evaluate(checks, url, changes);
  const found = [...results].map(([id, result]) => [id, result.outcome] as const);
  return Object.fromEntries(found.filter(([, one]) => one !== 'passed'));
}

const defaults: Omit<CheckSettings, 'url'> = {
  headers: [],
  sender: analytics,
  ca: [],
  deadlineMs: 5_000,
  rate: 1_000,
  isStrict: false,
};
