import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { version } from '../../src/version.js';
import type { WebhookDestinationOptions } from '../../src/webhook/options.js';
import { WebhookDestination } from '../../src/webhook/webhook-destination.js';
import { hasOpenssl } from '../helpers/certificates.js';
import { objectText } from '../helpers/json-text.js';
import { startRawServer, type RawRequest } from '../helpers/raw-server.js';
import { someEvent } from '../helpers/webhooks.js';
import { execFileSync } from '../helpers/run-sync.js';

type Headers = WebhookDestinationOptions['endpoints'][number]['headers'];

/** What arrives of these events. */
async function sent(
  events: readonly (string | typeof someEvent)[],
  options: { headers?: Headers; sharedSecret?: string | Uint8Array; path?: string },
): Promise<readonly RawRequest[]> {
  const { headers, sharedSecret, path } = options;
  const server = await startRawServer();
  const url = new URL(path ?? '/hook', server.url).href;
  const destination = new WebhookDestination({
    endpoints: [{ url, ...(headers && { headers }) }],
    retryWindowMs: 0,
    ...(sharedSecret !== undefined && { sharedSecret }),
  });
  for (const event of events) expect((await destination.deliver(event)).verdict).toBe('delivered');
  await destination.close();
  return server.requests;
}

function header(request: RawRequest, name: string): string[] {
  return request.headers
    .filter(([other]) => other.toLowerCase() === name)
    .map(([, value]) => value);
}

describe('a request', () => {
  it('is a POST with the headers of the interface, and no others but those of HTTP itself', async () => {
    const [request] = await sent([someEvent], {});
    expect(request).toMatchObject({ method: 'POST', path: '/hook' });
    expect(request!.headers.map(([name, value]) => `${name}: ${value}`).sort()).toEqual([
      'Content-Type: application/json',
      `User-Agent: evfwd/${version}`,
      'connection: keep-alive',
      `content-length: ${request!.body.length}`,
      `host: ${header(request!, 'host')[0]!}`,
    ]);
  });

  it('has the static headers as they are', async () => {
    const headers: [string, string][] = [
      ['X-Team', 'growth'],
      ['x-lower', 'a  b'],
      ['X-Twice', '1'],
      ['X-Twice', '2'],
      ['X-Latin', 'caf\u00e9'],
    ];
    const [request] = await sent([someEvent], { headers, sharedSecret: 's' });
    expect(request!.headers.filter(([name]) => /^x-(?!sig)/i.test(name))).toEqual(headers);
    const [other] = await sent([someEvent], {
      headers: { 'X-Team': 'a', Authorization: 'Bearer b' },
    });
    expect([header(other!, 'x-team'), header(other!, 'authorization')]).toEqual([
      ['a'],
      ['Bearer b'],
    ]);
  });

  it('may be for another host than it is sent to', async () => {
    const [request] = await sent([someEvent], { headers: { Host: 'hooks.example.com' } });
    expect(header(request!, 'host')).toEqual(['hooks.example.com']);
  });

  it.each([
    ['/hook?key=a&b=%20c', '/hook?key=a&b=%20c'],
    ['/a/../b', '/b'],
    ['/\u00fc?\u00fc', '/%C3%BC?%C3%BC'],
    ['/#part', '/'],
  ])('to %s goes to the path %s', async (path, expected) => {
    expect((await sent([someEvent], { path }))[0]!.path).toBe(expected);
  });
});

describe('X-Signature', () => {
  it('is absent without a secret', async () => {
    expect(header((await sent([someEvent], {}))[0]!, 'x-signature')).toEqual([]);
  });

  const hmac = (key: string | Uint8Array, body: Buffer): string =>
    createHmac('sha1', key).update(body).digest('hex');

  it('is the HMAC-SHA1 of the very bytes received, whatever they are', async () => {
    const properties = fc.sample(objectText, 100);
    const events = properties.map(
      (text) =>
        `{"type":"track","event":"e\u2028\\u0000","userId":9007199254740993,"properties":${text}}`,
    );
    const requests = await sent(events, { sharedSecret: 'g\u00e9heim \u{1f511}' });
    expect(requests.length).toBe(events.length);
    for (const [i, request] of requests.entries()) {
      expect(request.body.toString('utf8')).toContain(`"properties":${properties[i]!}}`);
      expect(header(request, 'x-signature')).toEqual([hmac('g\u00e9heim \u{1f511}', request.body)]);
    }
  });

  it('takes a key of bytes as it is', async () => {
    const key = Uint8Array.of(0, 255, 128, 10);
    const [request] = await sent([someEvent], { sharedSecret: key });
    expect(header(request!, 'x-signature')).toEqual([hmac(key, request!.body)]);
  });

  it.skipIf(!hasOpenssl)('is what openssl says (needs openssl)', async () => {
    const [request] = await sent([someEvent], { sharedSecret: 'my secret' });
    const printed = execFileSync('openssl', ['dgst', '-sha1', '-hmac', 'my secret'], {
      input: request!.body,
    });
    expect(printed.toString().trim().split(' ').at(-1)).toBe(header(request!, 'x-signature')[0]);
  });
});
