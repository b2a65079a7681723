import { describe, expect, it } from 'vitest';
import { leakCheck, hasStackTrace } from '../../../src/check/groups/sign-leak.js';
import { signingBy } from '../../helpers/signing.js';
import { startEndpoint, type Answer, type Hook } from '../helpers/hook.js';
import { foundBy, evaluate } from '../helpers/evaluate.js';
import { hmac, rightEndpoint, secret, verifiers } from '../helpers/right-endpoints.js';
import { eventChecks } from '../helpers/sender-checks.js';

const verify = verifiers['x-signature']!;
const right = ({ body }: Hook) => hmac('sha1', secret, body);
const bytes = Buffer.from(secret);

describe('sign.leak', () => {
  const [signing] = signingBy('x-signature', secret);

  const leaks: [string, (hook: Hook) => Answer][] = [
    ['the expected signature', (hook) => [401, `expected ${right(hook)}`]],
    ['the expected signature', (hook) => [403, `{"expected":"${right(hook).toUpperCase()}"}`]],
    [
      'the expected signature',
      (hook) => [400, Buffer.from(right(hook), 'hex').toString('base64').replaceAll('/', '\\/')],
    ],
    ['the secret', () => [401, `does not match with the key ${secret}`]],
    ['the secret', () => [401, `key: ${bytes.toString('hex')}`]],
    ['a stack trace', () => [500, new Error('bad signature').stack!]],
    ['a stack trace', () => [401, 'Traceback (most recent call last):\n  File "hook.py"']],
  ];

  it.each(leaks)('fails for %s in the response', async (leak, refuse) => {
    const url = await startEndpoint((hook) => (verify(hook) ? 204 : refuse(hook)));
    const { results } = await evaluate([leakCheck], url, { signing });
    const { outcome, message } = results.get('sign.leak')!;
    expect([outcome, message]).toEqual([
      'failed',
      expect.stringContaining(`forged event has ${leak} in it: HTTP`),
    ]);
  });

  const key = secret.slice('whsec_'.length);

  it.each([key, Buffer.from(key, 'base64').toString('hex')])(
    'fails for a secret without its prefix, or as hex: %s',
    async (text) => {
      const [standard] = signingBy('standard-webhooks', secret);
      const url = await startEndpoint(() => [401, `the key is ${text}`]);
      const found = await foundBy([leakCheck], url, { signing: standard });
      expect(found).toEqual({ 'sign.leak': 'failed' });
    },
  );

  const harmless: [string, (hook: Hook) => Answer][] = [
    ['that is empty', () => 401],
    ['of fixed words', () => [401, 'invalid signature at 2026-11-23T10:12:30.123Z, see /docs:80']],
    [
      'that repeats the request',
      ({ body, header }) => [401, `${header('x-signature')} ${body.toString()}`],
    ],
  ];

  it.each(harmless)('passes for a response %s', async (_, refuse) => {
    const url = await startEndpoint((hook) => (verify(hook) ? 204 : refuse(hook)));
    expect(await foundBy(eventChecks, url, { signing })).not.toHaveProperty('sign.leak');
  });

  it('takes no word that is also a secret for a leak', async () => {
    const [word] = signingBy('x-signature', 'secret');
    const url = await startEndpoint(() => [401, 'wrong secret']);
    expect(await foundBy([leakCheck], url, { signing: word })).toEqual({});
  });

  it('is not judged when no forged event is refused', async () => {
    const url = await startEndpoint(() => [200, secret]);
    expect(await foundBy([leakCheck], url, { signing })).toEqual({ 'sign.leak': 'inconclusive' });
  });

  it('looks at the responses to all forged events', async () => {
    const isCut = (hook: Hook) => hook.header('x-signature').length === 39;
    const endpoint = rightEndpoint(verify);
    const url = await startEndpoint((hook) =>
      isCut(hook) ? [401, `expected ${right(hook)}`] : endpoint(hook),
    );
    expect(await foundBy(eventChecks, url, { signing })).toMatchObject({ 'sign.leak': 'failed' });
  });
});

describe('a stack trace', () => {
  const traces = [
    'Error: bad\n    at verify (/app/hook.js:12:3)',
    'Error: bad<br> &nbsp; &nbsp;at Object.&lt;anonymous&gt; (/app/hook.js:12:3)<br>',
    'at async file:///app/hook.mjs:12:3',
    '{"stack":"Error\\n    at new Hook (webpack-internal:///./src/hook.ts:12:3)"}',
    '    at node:internal/process/task_queues:105:5',
    'Traceback (most recent call last):',
    'panic\n\ngoroutine 1 [running]:',
    '\t/srv/main.go:42 +0x1b',
    '\tat com.acme.Hook.verify(Hook.java:12)',
    '   at Acme.Hook.Verify() in /src/Hook.cs:line 12',
    "app/controllers/hooks_controller.rb:12:in 'verify'",
    '#0 /srv/hook.php(12): verify()',
    '<b>Fatal error</b>: bad in <b>/srv/hook.php</b> on line <b>12</b>',
    '{"file":"/srv/app/Hook.php","line":12}',
    "thread 'main' panicked at src/main.rs:12:5:",
  ];

  it.each(traces)('is found in %j', (text) => {
    expect(hasStackTrace(text)).toBe(true);
  });

  const others = [
    'invalid signature',
    'refused at 10:12:30',
    'refused at 2026-11-23T10:12:30.123+00:00',
    'look at https://example.com/docs for 12:3',
    'at http://localhost:3000/hook',
    '{"error":"invalid_signature","line":12}',
  ];

  it.each(others)('is not found in %j', (text) => {
    expect(hasStackTrace(text)).toBe(false);
  });
});
