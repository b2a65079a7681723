import { describe, expect, it } from 'vitest';
import { levelOf } from '../../../src/check/check.js';
import { timeChecks } from '../../../src/check/groups/time.js';
import type { CheckSettings } from '../../../src/check/settings.js';
import { analytics } from '../../../src/check/senders/analytics.js';
import { presets } from '../../../src/sign/schemes/index.js';
import { signingBy, standardSecret } from '../../helpers/signing.js';
import { startEndpoint, type Hook } from '../helpers/hook.js';
import { foundBy, evaluate } from '../helpers/evaluate.js';
import { hmac, secret, verifiers } from '../helpers/right-endpoints.js';

describe('time.*', () => {
  const [signing] = signingBy('slack', standardSecret);
  const age = ({ header }: Hook) => Date.now() / 1000 - Number(header('x-slack-request-timestamp'));

  const receivers: [string, (seconds: number) => boolean, string[]][] = [
    ['ignores the time', () => true, ['time.old', 'time.future']],
    ['allows the future', (seconds) => seconds < 300, ['time.future']],
    ['allows the past', (seconds) => seconds > -300, ['time.old']],
    ['allows one minute', (seconds) => Math.abs(seconds) < 60, ['time.skew']],
    ['allows no clock ahead', (seconds) => seconds >= -1 && seconds < 300, ['time.skew']],
    [
      'compares milliseconds with seconds',
      (seconds) => seconds < -300,
      ['time.future', 'time.skew'],
    ],
    ['allows five minutes', (seconds) => Math.abs(seconds) < 300, []],
  ];

  it.each(receivers)('fails for a receiver that %s what names it', async (_, accepts, ids) => {
    const url = await startEndpoint((hook) => (accepts(age(hook)) ? 204 : 400));
    const ofAge = timeChecks.filter(({ id }) => id !== 'time.unsigned');
    const found = await foundBy(ofAge, url, { signing });
    expect(found).toEqual(Object.fromEntries(ids.map((id) => [id, 'failed'])));
  });

  it('time.unsigned fails for a receiver that accepts a signature of the body alone, too', async () => {
    const verifyWith = (hook: Hook): boolean =>
      verifiers.slack!(hook) ||
      hook.header('x-slack-signature') === `v0=${hmac('sha256', secret, hook.body)}`;
    const [slack] = signingBy('slack', secret);
    const sloppy = await startEndpoint((hook) => (verifyWith(hook) ? 204 : 401));
    const right = await startEndpoint((hook) => (verifiers.slack!(hook) ? 204 : 401));
    const unsigned = timeChecks.filter(({ id }) => id === 'time.unsigned');
    expect(await foundBy(unsigned, sloppy, { signing: slack })).toEqual({
      'time.unsigned': 'failed',
    });
    expect(await foundBy(unsigned, right, { signing: slack })).toEqual({});
  });

  it.each([...presets.values()])('applies to $name if it signs a time', ({ name, timestamp }) => {
    const [one] = signingBy(name, standardSecret);
    const reasons = timeChecks.map((check) => check.skipIf!(settingsWith(one)));
    expect(reasons.map((reason) => reason === undefined)).toEqual(
      timeChecks.map(() => timestamp !== undefined),
    );
  });

  it('does not apply to an own scheme that does not say how old a signature may be', async () => {
    const { toleranceMs, ...scheme } = signing.scheme;
    expect(toleranceMs).toBe(300_000);
    const { results, exchanges } = await evaluate(timeChecks, 'http://127.0.0.1:1/', {
      signing: { ...signing, scheme },
    });
    expect(results.get('time.old')?.message).toMatch('how old a signature may be');
    expect(exchanges).toEqual([]);
  });

  it('takes a time ahead as a warning of stripe alone, whose own library allows it', () => {
    const future = timeChecks.find(({ id }) => id === 'time.future')!;
    const timed = ['standard-webhooks', 'svix', 'stripe', 'slack', 'twitch', 'convoy-advanced'];
    const levels = timed.map((name) => {
      const [one] = signingBy(name, standardSecret);
      return levelOf(future, settingsWith(one));
    });
    expect(levels).toEqual(['must', 'must', 'should', 'must', 'should', 'should']);
  });
});

function settingsWith(signing: CheckSettings['signing']): CheckSettings {
  const url = new URL('http://127.0.0.1:1/');
  const others = { headers: [], ca: [], deadlineMs: 1, rate: 1, isStrict: false };
  return { url, signing, sender: analytics, ...others };
}
