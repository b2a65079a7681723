import { describe, expect, it } from 'vitest';
import { checksFor } from '../../src/check/groups/index.js';
import { runChecks } from '../../src/check/run.js';
import type { CheckReport } from '../../src/check/result.js';
import { selectChecks } from '../../src/check/select.js';
import { senderOf } from '../../src/check/senders/index.js';
import { presets } from '../../src/sign/schemes/index.js';
import { rightEndpoint, secret, verifiers } from './helpers/right-endpoints.js';
import { startEndpoint, type Endpoint } from './helpers/hook.js';
import { settingsFor } from './helpers/run-some.js';

async function run(
  endpoint: Endpoint,
  scheme: string | undefined,
  secrets = [secret],
): Promise<CheckReport> {
  const preset = presets.get(scheme ?? '');
  const settings = settingsFor(await startEndpoint(endpoint), {
    signing: preset && { scheme: preset, secrets },
    sender: senderOf(preset),
  });
  const selection = { only: ['accept', 'sign.missing', 'dup.again'] };
  const checks = selectChecks(checksFor(settings), selection, settings.sender.usual.name);
  return runChecks({ checks, settings, signal: new AbortController().signal });
}

const right = (scheme: string): Endpoint => rightEndpoint(verifiers[scheme]!);
const verdicts = ({ results }: CheckReport) => [...new Set(results.map(({ verdict }) => verdict))];

describe('an endpoint that refuses every valid event', () => {
  it.each([
    ['x-signature', 'github'],
    ['github', 'stripe'],
    ['stripe', 'x-signature'],
    ['stripe', 'slack'],
    ['github', 'standard-webhooks'],
    ['standard-webhooks', 'shopify'],
    ['x-signature', 'twilio'],
  ])('has not failed: checked as %s, it is said to expect %s', async (asked, expected) => {
    const report = await run(right(expected), asked);
    expect(verdicts(report)).toEqual(['na']);
    expect(report.isJudged).toBe(false);
    expect(report.endedEarly).toContain(`use --scheme ${expected}`);
    expect(report.results[0]!.message).toContain(`use --scheme ${expected}`);
  });

  it('with another secret is told so, and no scheme is named', async () => {
    const report = await run(right('github'), 'github', ['another secret']);
    expect(verdicts(report)).toEqual(['na']);
    expect(report.endedEarly).toContain(
      'the secret or the scheme (github) is not that of the endpoint',
    );
    expect(report.endedEarly).not.toContain('--scheme');
  });

  it('is not said to expect a scheme that it does not verify', async () => {
    // Without the header of GitHub it accepts everything.
    const endpoint: Endpoint = (hook) =>
      hook.header('x-hub-signature-256') === '' || verifiers.github!(hook) ? 204 : 401;
    const report = await run(endpoint, 'github', ['another secret']);
    expect(report.endedEarly).not.toContain('--scheme');
  });

  it('without a secret is told to pass one', async () => {
    const report = await run(right('x-signature'), undefined);
    expect(report.endedEarly).toContain('none was signed; pass the secret');
  });

  it.each([400, 401, 403])('with HTTP %i is not judged', async (status) => {
    expect(verdicts(await run(() => status, 'x-signature'))).toEqual(['na']);
  });

  it.each([404, 422, 500])('with HTTP %i has failed', async (status) => {
    const report = await run(() => status, 'x-signature');
    expect(report.results.find(({ check }) => check.id === 'accept.track')!.verdict).toBe('fail');
  });

  it('after a valid one has failed', async () => {
    let count = 0;
    const report = await run(() => (count++ === 0 ? 204 : 401), 'x-signature');
    expect(verdicts(report)).toContain('fail');
  });
});
