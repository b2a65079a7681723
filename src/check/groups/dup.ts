import { acceptance, allAccepted } from '../acceptance.js';
import {
  type Check,
  inconclusive,
  type CheckResult,
  failed,
  notApplicable,
  passed,
} from '../check.js';
import { type Exchange, described } from '../exchange.js';
import type { Prober } from '../prober.js';
import { systemClock } from '../../clock.js';
import type { CheckSettings } from '../settings.js';

const times = 3;
const parallel = 5;

/** How long the effect of an event is waited for, in milliseconds. */
export interface EffectTiming {
  /** Between two counts. */
  readonly stepMs: number;
  /** A receiver may work in the background: until then the count may rise. */
  readonly limitMs: number;
  /** How long the count has to stay the same before the event is sent: earlier ones may still be at work. */
  readonly restMs: number;
  /** After the first rise, at least: a repeat may have an effect a little later. */
  readonly quietMs: number;
}

const usualTiming: EffectTiming = { stepMs: 200, limitMs: 3_000, restMs: 600, quietMs: 500 };

/** The same event more than once, as senders repeat it when a response was lost. */
export const dupChecks: readonly Check[] = [
  {
    id: 'dup.again',
    level: 'must',
    stage: 'parallel',
    title: 'Accepts an event that it already has',
    sends: 'the same valid event three times, one after the other',
    requests: times,
    passes: '2xx each',
    why: 'A sender repeats an event when a response was lost. Anything but 2xx makes it repeat for hours (Standard Webhooks: idempotency key; GitHub: the same id on redelivery).',
    fix: 'Look up the id of the event. If it is known, return 200 and do nothing: no 409, and no error from a unique index.',
    cause: 'repeats',
    evaluate: async (prober) => repeatsAccepted(await sendAgain(prober)),
  },
  {
    id: 'dup.parallel',
    level: 'should',
    stage: 'exclusive',
    title: 'Accepts the same event five times at once',
    sends: 'the same valid event five times at once',
    requests: parallel,
    passes: '2xx each',
    why: 'A sender that timed out sends the event again while the first request is still being handled.',
    fix: 'Let the database decide which request was first: INSERT … ON CONFLICT DO NOTHING on the id of the event, then return 200 to all. A SELECT before the INSERT is a race.',
    cause: 'repeats',
    evaluate: async (prober) => allAccepted(await sendAtOnce(prober), 'a parallel repeat'),
  },
  effectCheck(),
];

/** The same event, one after the other. */
async function sendAgain(prober: Prober): Promise<Exchange[]> {
  const event = prober.event();
  const exchanges: Exchange[] = [];
  for (let sent = 0; sent < times; sent++) {
    exchanges.push(await prober.sendEvent(event));
  }
  return exchanges;
}

/** The first one is judged by other checks. */
function repeatsAccepted([first, ...repeats]: readonly Exchange[]): CheckResult {
  if (acceptance(first!).outcome !== 'passed') {
    return inconclusive(`the event itself was not accepted: ${described(first!)}`, first);
  }
  return allAccepted(repeats, 'a repeat');
}

/** At a rate that does not allow all at once, one after the other. */
async function sendAtOnce(prober: Prober): Promise<Exchange[]> {
  const { session } = prober;
  const event = prober.event();
  const isPaced = session.pace.rate >= parallel;
  if (isPaced) await session.pace.take(parallel);
  const send = () => prober.send(() => prober.validRequest(event), { isPaced });
  return Promise.all(Array.from({ length: parallel }, send));
}

/** @param timing for tests */
export function effectCheck(timing: EffectTiming = usualTiming): Check {
  return {
    id: 'dup.effect',
    level: ({ probe }) => (probe ? 'must' : 'info'),
    levelText: 'required with `--probe`, else information',
    stage: 'exclusive',
    title: 'A repeated event has one effect',
    sends: 'with --probe, the same valid event three times; the probe counts before and after',
    requests: ({ probe }) => (probe ? times : 0),
    passes: 'the count rises by exactly 1',
    why: 'Every sender repeats events at times. Without deduplication by its id, an order is placed or an email is sent twice (Standard Webhooks: idempotency key).',
    fix: 'Store the id of the event with a unique index, in the same transaction as the effect, and do nothing if it is there already.',
    skipIf: ({ probe, sender }) =>
      probe && !sender.id ? 'needs --id-path or --id-header, so that events have ids' : undefined,
    evaluate: async (prober) => {
      const { probe } = prober.settings;
      if (!probe) {
        return passed('cannot be seen from outside; --probe counts the effects with a command');
      }
      return evaluateEffect(prober, probe, timing);
    },
  };
}

type Probe = NonNullable<CheckSettings['probe']>;
type Count = () => Promise<number>;
type Sleep = (ms: number) => Promise<void>;

/** The probe itself has failed. */
class ProbeFailed extends Error {}

async function evaluateEffect(
  prober: Prober,
  probe: Probe,
  timing: EffectTiming,
): Promise<CheckResult> {
  const count = () => probe(prober.session.signal).catch(fail);
  const sleep: Sleep = (ms) => prober.session.sleep(ms);
  try {
    const before = await settledCount(count, timing, sleep);
    if (before === undefined)
      return notApplicable('the count of the probe changes although no event is sent');
    const exchanges = await sendAgain(prober);
    const accepted = allAccepted(exchanges, 'the event that is counted');
    if (accepted.outcome !== 'passed') return inconclusive(accepted.message, accepted.evidence);
    return evaluateRise(await riseOf(count, before, timing, sleep), timing, exchanges[0]!);
  } catch (error) {
    if (error instanceof ProbeFailed) return notApplicable(error.message);
    throw error;
  }
}

function fail(error: unknown): never {
  const message = error instanceof Error ? error.message : String(error);
  throw new ProbeFailed(message);
}

function evaluateRise(rise: number, { limitMs }: EffectTiming, evidence: Exchange): CheckResult {
  if (rise === 1) return passed(`the count rose by 1 for ${times} requests`, evidence);
  if (rise === 0) {
    const within = `within ${limitMs / 1000} s`;
    return failed(
      `the count did not rise ${within}: the event has no effect, or the probe does not count it`,
      evidence,
    );
  }
  return failed(`the count rose by ${rise} for the same event, expected 1`, evidence);
}

/** Undefined if the count does not come to rest. */
async function settledCount(
  count: Count,
  { stepMs, limitMs, restMs }: EffectTiming,
  sleep: Sleep,
): Promise<number | undefined> {
  const end = systemClock.monotonic() + limitMs;
  let last = await count();
  let restsSince = systemClock.monotonic();
  while (systemClock.monotonic() < end) {
    await sleep(stepMs);
    const next = await count();
    const now = systemClock.monotonic();
    if (next !== last) restsSince = now;
    if (now - restsSince >= restMs) return next;
    last = next;
  }
  return undefined;
}

/** By how much the count rises. Work in the background that takes long for one event takes as long for a repeat. */
async function riseOf(
  count: Count,
  before: number,
  timing: EffectTiming,
  sleep: Sleep,
): Promise<number> {
  const { stepMs, limitMs, quietMs } = timing;
  const startedAt = systemClock.monotonic();
  let endMs = limitMs;
  for (;;) {
    const rise = (await count()) - before;
    const elapsedMs = systemClock.monotonic() - startedAt;
    if (rise === 1) endMs = Math.min(endMs, 2 * elapsedMs + quietMs);
    if ((rise !== 0 && rise !== 1) || elapsedMs >= endMs) return rise;
    await sleep(stepMs);
  }
}
