import { describe, expect, it } from 'vitest';
import { maxShared } from '../../../src/listen/share/page.js';
import { sign } from '../../../src/sign/x-signature.js';
import { listening, type Listening } from '../listening.js';

async function pageOf(listener: Listening, ids = listener.got().map(({ id }) => id)) {
  const response = await fetch(`${listener.url}/_evfwd/api/requests.html`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-evfwd-token': listener.token },
    body: JSON.stringify({ ids }),
  });
  expect(response.status).toBe(200);
  return response.text();
}

const post = (
  { url }: Listening,
  body: string,
  headers: Record<string, string> = {},
  path = '/hook',
) => fetch(url + path, { method: 'POST', body, headers });

describe('a page of requests', () => {
  it('has neither secrets nor the values of headers that sign or authorize', async () => {
    const listener = await listening({ secret: 'our secret' });
    const body = '{"type":"track","event":"E","note":"our secret, tok_12345, sid_6789"}';
    const signature = sign(body, 'our secret');
    await post(
      listener,
      body,
      {
        'x-signature': signature,
        'x-shopify-hmac-sha256': 'c2lnbmVk',
        authorization: 'Bearer tok_12345',
        cookie: 'sid=sid_6789',
        'x-api-key': 'key_1',
        'x-team': 'growth',
      },
      '/hook?token=query_1&page=7',
    );
    const page = await pageOf(listener);
    const hidden = [
      'our secret',
      signature,
      'c2lnbmVk',
      'tok_12345',
      'sid_6789',
      'key_1',
      'query_1',
    ];
    expect(hidden.filter((text) => page.includes(text))).toEqual([]);
    expect(page).toContain('<dt>x-team</dt><dd>growth</dd>');
    expect(page).toContain('<dt>authorization</dt><dd>***</dd>');
    expect(page).toContain('/hook?token=***&amp;page=7');
    expect(page).toContain('  &quot;note&quot;: &quot;***, ***, ***&quot;');
  });

  it('hides keys, parts of signatures, and credentials of other names and of the response', async () => {
    const key = Buffer.from('a key of 32 bytes for webhooks!!').toString('base64');
    const listener = await listening({ secret: `whsec_${key}` });
    const hidden = {
      key,
      hex: Buffer.from(key, 'base64').toString('hex'),
      signature: 'c2lnbmF0dXJlIG9mIHRoZSBib2R5',
      jwt: 'eyJhbGciOi.J9',
      hmac: 'abcdef0123',
      token: 'TOKQ/123',
      sig: 'azure_sig',
    };
    await post(
      listener,
      JSON.stringify(hidden),
      {
        'webhook-signature': `v1,${hidden.signature}`,
        'cf-access-jwt-assertion': hidden.jwt,
        'x-acme-hmac': hidden.hmac,
      },
      '/hook?%74oken=TOKQ%2F123&sig=azure_sig',
    );
    const page = await pageOf(listener);
    expect(Object.values(hidden).filter((text) => page.includes(text))).toEqual([]);
    expect(page).not.toContain('TOKQ%2F123');
  });

  it('needs nothing but itself, and shows what was received as text', async () => {
    const listener = await listening();
    const script = '<script>alert(1)</script>';
    await post(listener, `{"type":"track","event":"${script}"}`, { 'x-a': script });
    await post(listener, script, {}, `/${encodeURIComponent(script)}?${script}`);
    const page = await pageOf(listener);
    expect(page).toContain("default-src 'none'");
    expect(page).not.toMatch(/<script|<link rel="stylesheet|<img|url\(/);
    expect(page.match(/<details class="request">/g)).toHaveLength(2);
  });

  it('lists the chosen requests in the order of arrival, and leaves out those that are not kept', async () => {
    const listener = await listening();
    for (const name of ['A', 'B', 'C']) await post(listener, `{"type":"track","event":"${name}"}`);
    const [a, , c] = listener.got().map(({ id }) => id);
    const page = await pageOf(listener, [c!, 'gone-9', a!]);
    expect([...page.matchAll(/<i>track<\/i>(\w)/g)].map(([, name]) => name)).toEqual(['A', 'C']);
    expect(page).toContain('<strong>2</strong>');
  });

  it('opens a single request, and says why its signature is not valid', async () => {
    const listener = await listening({ secret: 'ours' });
    await post(listener, '{"a":1}', { 'x-signature': sign('{"a":1}', 'theirs') });
    const page = await pageOf(listener);
    expect(page).toContain('<details class="request" open>');
    expect(page).toContain('signature invalid');
    expect(page).toContain('class="caveat wrong"');
  });

  it('says what it does not show: bytes, and more requests than anyone reads', async () => {
    const listener = await listening();
    await fetch(`${listener.url}/bytes`, { method: 'PUT', body: new Uint8Array([0, 255]) });
    for (let i = 0; i < maxShared; i++) await post(listener, '');
    const page = await pageOf(listener);
    expect(page).toContain('the newest of 1,001 requests');
    const { id } = listener.got()[0]!;
    const one = await pageOf(listener, [id, id]);
    expect(one).toContain('<strong>1</strong>');
    expect(one).toContain('2 bytes that are not shown');
  });
});
