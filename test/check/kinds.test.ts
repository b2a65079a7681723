import { describe, expect, it } from 'vitest';
import { checksFor } from '../../src/check/groups/index.js';
import type { CheckReport } from '../../src/check/result.js';
import { runChecks } from '../../src/check/run.js';
import { selectChecks } from '../../src/check/select.js';
import { sampleSender } from '../../src/check/senders/sample.js';
import { senderOf } from '../../src/check/senders/index.js';
import { presets } from '../../src/sign/schemes/index.js';
import { presentable } from '../../src/check/presentable.js';
import { rightEndpoint, secret, verifiers } from './helpers/right-endpoints.js';
import { startEndpoint, type Endpoint } from './helpers/hook.js';
import { fastClock } from './helpers/fast-clock.js';
import { settingsFor } from './helpers/run-some.js';

async function run(endpoint: Endpoint, scheme: string, only: string[]): Promise<CheckReport> {
  const preset = presets.get(scheme)!;
  const settings = settingsFor(await startEndpoint(endpoint), {
    signing: { scheme: preset, secrets: [secret] },
    sender: senderOf(preset),
  });
  const checks = selectChecks(checksFor(settings), { only }, settings.sender.usual.name);
  const { signal } = new AbortController();
  return runChecks({ checks, settings, signal, clock: fastClock(20) });
}

const isForm = (type: string): boolean => type.startsWith('application/x-www-form-urlencoded');
const failed = ({ results }: CheckReport) =>
  results.filter(({ verdict }) => verdict === 'fail').map(({ check }) => check.id);

describe('an event of another kind than the usual one', () => {
  it.each([
    ['x-signature', ({ body }) => body.includes('"type":"delete"')],
    ['github', ({ header }) => header('x-github-event') === 'ping'],
    ['slack', ({ header, body }) => isForm(header('content-type')) && body.includes('command=')],
    ['twilio', ({ header }) => header('content-type') === 'application/json'],
  ] satisfies [string, (hook: Parameters<Endpoint>[0]) => boolean][])(
    'is forged, too: %s',
    async (scheme, isUnverified) => {
      const verify = verifiers[scheme]!;
      const endpoint: Endpoint = (hook) => (isUnverified(hook) || verify(hook) ? 204 : 401);
      const found = failed(
        await run(endpoint, scheme, ['accept', 'sign.missing', 'sign.wrong-key', 'sign.tampered']),
      );
      expect(found).toEqual(['sign.missing', 'sign.wrong-key', 'sign.tampered']);
    },
  );

  it('is not judged if it is a form at a URL for JSON', async () => {
    const right = rightEndpoint(verifiers.slack!);
    const report = await run(
      (hook) => (isForm(hook.header('content-type')) ? 415 : right(hook)),
      'slack',
      ['accept', 'sign.missing'],
    );
    const slash = report.results.find(({ check }) => check.id === 'accept.slash_command')!;
    expect([slash.verdict, slash.message]).toEqual(['na', 'this URL takes no forms: HTTP 415']);
    expect(failed(report)).toEqual([]);
    expect(report.incomplete).toBeUndefined();
  });

  it('is varied where the usual one is refused', async () => {
    const right = rightEndpoint(verifiers.github!);
    const report = await run(
      (hook) => (hook.header('x-github-event') === 'issues' ? 500 : right(hook)),
      'github',
      ['accept', 'sign.raw-bytes', 'tolerate', 'dup.again'],
    );
    expect(failed(report)).toEqual(['accept.issues']);
  });
});

it('an endpoint that accepts nothing after the load is not judged in full', async () => {
  let isBroken = false;
  const right = rightEndpoint(verifiers['x-signature']!);
  let count = 0;
  const report = await run(
    (hook) => {
      isBroken ||= ++count > 60;
      return isBroken ? 503 : right(hook);
    },
    'x-signature',
    ['accept', 'load'],
  );
  expect(report.incomplete).toContain(
    'load.parallel: the endpoint accepts no valid event any more',
  );
  expect(report.summary.score).toBeNull();
});

it('what a capture tells its receiver alone is in no shared report', () => {
  const headers = {
    authorization: 'Bearer CAPSECRET1',
    cookie: 'session=CAPSECRET2',
    'x-api-key': 'CAPSECRET3',
    'x-shop-event': 'sale',
  };
  const text = JSON.stringify({
    ...{ type: 'request', method: 'POST', path: '/in?token=CAPSECRET4', headers, body: '{"a":1}' },
  });
  const sample = { name: 'order', text, where: '--body order.json' };
  const sender = sampleSender([sample], { scheme: undefined, keepsPath: true });
  const settings = { ...settingsFor('http://127.0.0.1:1/'), signing: undefined, sender };
  const { headers: sent = [], path } = sender.usual.make({ id: 'one', nowMs: 0 });
  const request = {
    method: 'POST',
    url: `http://127.0.0.1:1${path!}`,
    headers: sent,
    body: Buffer.from('{}'),
    isValid: true,
  };
  const response = {
    status: 500,
    headers: ['X-Echo', 'Bearer CAPSECRET1'],
    body: Buffer.from('you sent CAPSECRET2 and CAPSECRET3 and CAPSECRET4'),
    bodyEnd: 'complete' as const,
    interim: [],
  };
  const evidence = { checkId: 'x', request, response, durationMs: 1 };
  const shown = presentable({ outcome: 'failed', message: 'HTTP 500', evidence }, settings);
  expect(shown.sharedCurl).not.toContain('CAPSECRET');
  expect(shown.sharedCurl).toContain('x-shop-event: sale');
  expect(
    String(shown.evidence!.response!.body) + shown.evidence!.response!.headers.join(),
  ).not.toContain('CAPSECRET');
  expect(shown.curl).toContain('CAPSECRET3');
});
