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
  only: readonly string[] = ['accept', 'sign.missing', 'dup.again'],
): Promise<CheckReport> {
  const preset = presets.get(scheme ?? '');
  const settings = settingsFor(await startEndpoint(endpoint), {
    signing: preset && { scheme: preset, secrets },
    sender: senderOf(preset),
  });
  const checks = selectChecks(checksFor(settings), { only }, settings.sender.usual.name);
  return runChecks({ checks, settings, signal: new AbortController().signal });
}

/** As the standard library of Python writes it. */
function pythonText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(pythonText).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(
    ([name, member]) => `${JSON.stringify(name)}: ${pythonText(member)}`,
  );
  return `{${members.join(', ')}}`;
}

function sortedText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(sortedText).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${sortedText(member)}`).join(',')}}`;
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
    expect(report.isConclusive).toBe(false);
    expect(report.endedEarly).toContain(`use --scheme ${expected}`);
    expect(report.results[0]!.message).toContain(`use --scheme ${expected}`);
  });

  it('with another secret is told so, and no scheme is named', async () => {
    const report = await run(right('github'), 'github', ['another secret']);
    expect(verdicts(report)).toEqual(['na']);
    expect(report.endedEarly).toContain(
      'the secret or the scheme (github) is not that of the endpoint, or it parses the body before',
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

  it.each([
    ['json.dumps of Python', (value: unknown) => pythonText(value)],
    ['json_encode of PHP', (value: unknown) => JSON.stringify(value).replaceAll('/', '\\/')],
    ['a serializer that sorts members', (value: unknown) => sortedText(value)],
  ])('since it serializes bodies again, by %s, has failed for that', async (name, serialize) => {
    const endpoint: Endpoint = (hook) => {
      const body = Buffer.from(serialize(JSON.parse(hook.body.toString())));
      return verifiers.github!({ ...hook, body }) ? 204 : 401;
    };
    const report = await run(endpoint, 'github', [secret], ['accept', 'sign.raw-bytes']);
    const failed = report.results.filter(({ verdict }) => verdict === 'fail');
    expect(failed.map(({ check }) => check.id)).toEqual(['sign.raw-bytes.space']);
    expect(failed[0]!.message).toContain(`as ${name} writes it`);
    expect(report.isConclusive).toBe(true);
  });

  it('for what they are, although it verifies them, has failed', async () => {
    const endpoint: Endpoint = (hook) => (verifiers.github!(hook) ? 400 : 401);
    const report = await run(endpoint, 'github');
    expect(report.results.find(({ check }) => check.id === 'accept.push')!.verdict).toBe('fail');
    expect(report.endedEarly).toBe('the endpoint accepted no valid event');
  });

  it('and expects an older secret is told so', async () => {
    const report = await run(right('github'), 'github', ['the new secret', secret]);
    expect(report.endedEarly).toContain('it accepts an older secret');
  });

  it('and does not verify another scheme is told so', async () => {
    const endpoint: Endpoint = (hook) =>
      hook.header('x-slack-signature') !== '' || verifiers.github!(hook) ? 204 : 401;
    const report = await run(endpoint, 'github', ['another secret']);
    expect(report.endedEarly).toContain('events signed as slack are accepted with any secret');
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
