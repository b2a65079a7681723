import { describe, expect, it } from 'vitest';
import { Verification } from '../../../src/receive/verification.js';
import { presets } from '../../../src/sign/schemes/index.js';
import { listening, raw, verifying } from '../listening.js';
import { signed } from '../signed.js';

const body = '{"type":"track","event":"E","userId":"u"}';
const hourAgo = Date.now() - 3_600_000;

describe('with --enforce', () => {
  it.each([
    ['no signature', {}, 'missing', 'missing'],
    ['another secret', signed('stripe', 'other', body), 'invalid', 'mismatch'],
    ['an old time', signed('stripe', 'shh', body, { nowMs: hourAgo }), 'invalid', 'expired'],
    ['a malformed header', { 'stripe-signature': 't=1' }, 'invalid', expect.any(String)],
  ])(
    '%s gets 401, and the reason is in the capture alone',
    async (_name, headers, verdict, reason) => {
      const verification = verifying('shh', 'stripe');
      const { url, got } = await listening({ verification, isEnforced: true });
      const response = await fetch(url, { method: 'POST', body, headers });
      expect(response.status).toBe(401);
      expect(response.headers.get('content-type')).toBe('application/json');
      expect(await response.text()).toBe(
        '{"error":{"code":"signature_invalid","message":"the signature of this request is missing or not valid"}}',
      );
      expect(got()).toMatchObject([{ signature: verdict, reason, response: { status: 401 } }]);
    },
  );

  it('a valid signature gets 200', async () => {
    const { url } = await listening({ verification: verifying('shh', 'stripe'), isEnforced: true });
    const headers = signed('stripe', 'shh', body);
    expect((await fetch(url, { method: 'POST', body, headers })).status).toBe(200);
  });

  it('a path that no rule covers gets 401', async () => {
    const rule = { path: '/a', scheme: presets.get('github')!, secrets: ['shh'] };
    const { url, got } = await listening({
      verification: new Verification([rule]),
      isEnforced: true,
    });
    const headers = signed('github', 'shh', body);
    const statusOf = async (path: string) =>
      (await fetch(url + path, { method: 'POST', body, headers })).status;
    expect([await statusOf('/a'), await statusOf('/b')]).toEqual([200, 401]);
    expect(got().map(({ signature }) => signature)).toEqual(['valid', 'unchecked']);
  });

  it.each([
    ['/stripe', 401],
    ['/stripe/', 401],
    ['//stripe', 401],
    ['/%73tripe', 401],
    ['/./stripe', 401],
    ['http://host/stripe', 401],
    ['/stripe#a', 401],
    ['/a//b/', 200],
    ['http://host/b', 200],
  ])('%s, signed for all other paths, gets %i', async (path, status) => {
    const rules = [
      { path: '/stripe', scheme: presets.get('stripe')!, secrets: ['shh'] },
      { scheme: presets.get('github')!, secrets: ['shh'] },
    ];
    const { port } = await listening({ verification: new Verification(rules), isEnforced: true });
    const headers = Object.entries(signed('github', 'shh', body)).map(([k, v]) => `${k}: ${v}`);
    const head = [`POST ${path} HTTP/1.1`, 'Host: a', 'Connection: close', ...headers];
    const sent = [...head, `Content-Length: ${body.length}`, '', body].join('\r\n');
    expect((await raw(port, sent)).text).toContain(`HTTP/1.1 ${status} `);
  });

  it('a fault comes first, and a body that is too large before both', async () => {
    const { url } = await listening({ secret: 's', isEnforced: true, faults: ['status=503'] });
    const statusOf = async (sent: string) =>
      (await fetch(url, { method: 'POST', body: sent })).status;
    expect(await statusOf('x')).toBe(503);
    expect(await statusOf('x'.repeat(1_048_577))).toBe(413);
  });
});

it('without it, every signature gets 200', async () => {
  const { url, got } = await listening({ secret: 'shh' });
  expect((await fetch(url, { method: 'POST', body })).status).toBe(200);
  expect(got()).toMatchObject([{ signature: 'missing', reason: 'missing', scheme: 'x-signature' }]);
});
