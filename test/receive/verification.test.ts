import twilio from 'twilio';
import { describe, expect, it } from 'vitest';
import { Verification, type VerifyRule } from '../../src/receive/verification.js';
import { requestSigner } from '../../src/sign/request-signer.js';
import { presets } from '../../src/sign/schemes/index.js';
import { received, verifying } from '../listen/listening.js';
import { signed, standardSecret, type SignedOptions } from '../listen/signed.js';

const body = '{"a":1}';
const receivedAt = Date.UTC(2026, 0, 1, 12);

function request(path: string, headers: Record<string, string>) {
  return received({ text: body, path, receivedAt, headers: Object.entries(headers).flat() });
}

const at = (more: SignedOptions = {}): SignedOptions => ({ nowMs: receivedAt, ...more });

describe('the first rule whose path fits decides', () => {
  const rules: VerifyRule[] = [
    { path: '/stripe', scheme: presets.get('stripe')!, secrets: ['new', 'old'] },
    { path: '/any/*', scheme: 'auto', secrets: [standardSecret] },
    { path: '/any/never', scheme: presets.get('github')!, secrets: ['x'] },
    { scheme: presets.get('x-signature')!, secrets: ['usual'] },
  ];
  const verification = new Verification(rules);

  it.each([
    ['/stripe?a=1', signed('stripe', 'old', body, at()), ['valid', 'stripe', null]],
    ['/stripe', signed('stripe', 'other', body, at()), ['invalid', 'stripe', 'mismatch']],
    ['/stripe', {}, ['missing', 'stripe', 'missing']],
    [
      '/any/a',
      signed('standard-webhooks', standardSecret, body, at()),
      ['valid', 'standard-webhooks', null],
    ],
    ['/any/never', signed('shopify', standardSecret, body, at()), ['valid', 'shopify', null]],
    ['/any/a', {}, ['missing', null, 'missing']],
    ['/other', signed('x-signature', 'usual', body), ['valid', 'x-signature', null]],
    ['/other', signed('stripe', 'new', body, at()), ['invalid', 'x-signature', 'scheme_mismatch']],
  ])('%s with %j', (path, headers, expected) => {
    const { signature, scheme, reason } = verification.check(request(path, headers));
    expect([signature, scheme, reason]).toEqual(expected);
  });

  it('and a path without one is unchecked', () => {
    const checked = new Verification(rules.slice(0, 1)).check(request('/other', {}));
    expect(checked).toMatchObject({ signature: 'unchecked', scheme: null, reason: null });
  });
});

it.each([
  [-301_000, 'expired'],
  [301_000, 'future'],
  [-299_000, null],
])('judges a time %i ms from when it was received: %s', (offset, reason) => {
  const headers = signed('svix', standardSecret, body, at({ nowMs: receivedAt + offset }));
  const checked = verifying(standardSecret, 'svix').check(request('/', headers));
  expect(checked).toMatchObject({ reason, webhookId: 'msg_1', signedAt: receivedAt + offset });
});

it.each([
  ['stripe', false, 301_000, null],
  ['stripe', true, 301_000, 'future'],
  ['stripe', true, 299_000, null],
  ['stripe', true, -301_000, 'expired'],
  ['twitch', true, 601_000, 'future'],
  ['convoy-advanced', true, 301_000, 'future'],
] as const)(
  '%s, judging times ahead: %s, judges %i ms as %s',
  (name, judgesFuture, offset, reason) => {
    const headers = signed(name, 'usual', body, at({ nowMs: receivedAt + offset }));
    const rules = [{ scheme: presets.get(name)!, secrets: ['usual'] }];
    const checked = new Verification(rules, { judgesFuture }).check(request('/', headers));
    expect(checked).toMatchObject({ reason, signature: reason === null ? 'valid' : 'invalid' });
  },
);

it('makes the URL that a scheme signs of the headers', () => {
  const scheme = presets.get('twilio')!;
  const { headers, url } = requestSigner({ scheme, secrets: ['token'] }, 'the test').sign({
    ...{ body: Buffer.from(body), method: 'POST', url: 'https://example.com/hook?a=1' },
    ...{ id: '', nowMs: receivedAt },
  });
  const path = url!.replace('https://example.com', '');
  const proxied = ['x-forwarded-proto', 'https', 'x-forwarded-host', 'example.com'];
  const judge = (more: string[]) => {
    const given = [...headers.flat(), 'host', 'localhost:4400', ...more];
    return verifying('token', 'twilio').check(received({ text: body, path, headers: given }));
  };
  expect(judge(proxied)).toMatchObject({ signature: 'valid' });
  expect(judge([])).toMatchObject({ signature: 'invalid' });
});

it.each([presets.get('twilio')!, 'auto'] as const)(
  'judges a form of twilio by its Content-Type (%#)',
  (scheme) => {
    const text = 'To=%2B1800&Body=a+b';
    const url = 'http://localhost:4400/hook';
    const value = twilio.getExpectedTwilioSignature('token', url, { To: '+1800', Body: 'a b' });
    const verification = new Verification([{ scheme, secrets: ['token'] }]);
    const judge = (type: string) => {
      const headers = ['host', 'localhost:4400', 'content-type', type, 'x-twilio-signature', value];
      return verification.check(received({ text, path: '/hook', headers }));
    };
    const form = 'application/x-www-form-urlencoded; charset=utf-8';
    expect(judge(form)).toMatchObject({ signature: 'valid', scheme: 'twilio' });
    expect(judge('application/json')).toMatchObject({ signature: 'invalid', reason: 'no_digest' });
  },
);

it('takes a path that a rule names with a slash at its end for that of no other rule', () => {
  const rule = { path: '/a/', scheme: presets.get('github')!, secrets: ['x'] };
  const verification = new Verification([rule]);
  expect(verification.isAmbiguous('/a/?b')).toBe(false);
});

it.each([
  ['/A', true],
  ['/a;b', true],
  ['/a?B', false],
  ['/b', false],
  ['/B/c', false],
  ['/b/C', true],
])('takes %s for a path of another rule: %s', (path, isAmbiguous) => {
  const scheme = presets.get('github')!;
  const rules = [{ path: '/a' }, { path: '/B/*' }, {}].map((rule) => ({
    ...rule,
    scheme,
    secrets: ['x'],
  }));
  expect(new Verification(rules).isAmbiguous(path)).toBe(isAmbiguous);
});

it.each([
  ['empty', ['Svix-Id', ''], null],
  ['given twice', ['Svix-Id', '1', 'svix-id', '2'], null],
  ['given beside an empty one', ['Svix-Id', '', 'svix-id', '2'], null],
  ['there once', ['Svix-Id', '1'], '1'],
])('takes no id of a header that is %s where signatures are not checked', (_name, headers, id) => {
  const verification = new Verification([], { unverified: presets.get('svix')! });
  expect(verification.check(received({ headers })).webhookId).toBe(id);
});

it('reads the id of a webhook whose signature is not checked', () => {
  const unverified = presets.get('standard-webhooks')!;
  const checked = new Verification([], { unverified }).check(request('/', { 'Webhook-Id': 'a' }));
  expect(checked).toMatchObject({ signature: 'unchecked', webhookId: 'a' });
});
