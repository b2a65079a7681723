import { describe, expect, it } from 'vitest';
import { checkAuth } from '../../src/webhook/auth.js';
import type { EndpointAuth } from '../../src/webhook/endpoint.js';
import { UsageError } from '../../src/errors.js';
import { WebhookTarget } from '../../src/webhook/target.js';
import type { Outcome } from '../../src/delivery/outcome.js';
import { systemClock, type Clock } from '../../src/clock.js';
import { startApi, startTokenServer } from '../helpers/token-server.js';
import { startProxy } from '../helpers/proxy.js';
import { startReceiver } from '../helpers/receiver.js';

const event = (n: number) =>
  ({ type: 'track', event: 'E', userId: 'u', messageId: `m${n}` }) as const;

/** A clock of its own, so that no other test shares its tokens. */
function ownClock(): Clock {
  return { ...systemClock };
}

async function deliver(
  url: string,
  auth: EndpointAuth,
  count = 1,
  options: { readonly retryWindowMs?: number } = {},
): Promise<Outcome[]> {
  const clock = ownClock();
  const endpoints = [{ url, auth }];
  const target = new WebhookTarget({ endpoints, clock, retryDelaysMs: [1], ...options });
  const all = Promise.all(Array.from({ length: count }, (_, n) => target.deliver(event(n))));
  const outcomes = await all;
  await target.close();
  return outcomes;
}

const oauth2 = (tokenUrl: string) => ({
  oauth2: { tokenUrl, clientId: 'app', clientSecret: 'client-secret' },
});

describe('the auth of an endpoint', () => {
  it.each<[string, EndpointAuth, string]>([
    ['a bearer token', { bearer: 'abc' }, 'Bearer abc'],
    [
      'user and password',
      { basic: { user: 'me', password: 'a:b' } },
      `Basic ${Buffer.from('me:a:b').toString('base64')}`,
    ],
  ])('sends %s with each request', async (_what, auth, expected) => {
    const receiver = await startReceiver();
    await deliver(receiver.url, auth, 2);
    expect(receiver.requests.map(({ headers }) => headers.authorization)).toEqual([
      expected,
      expected,
    ]);
    await receiver.close();
  });

  it('fetches the token through the proxy of its own URL', async () => {
    const tokens = await startTokenServer();
    const proxy = await startProxy();
    const api = await startApi((token) => token === 'token-1');
    const tokenUrl = tokens.url.replace('127.0.0.1', 'id.example.test');
    const auth = { oauth2: { ...oauth2(tokenUrl).oauth2, proxy: proxy.url } };
    const [outcome] = await deliver(api.url, auth, 1, { retryWindowMs: 0 });
    expect(outcome).toMatchObject({ verdict: 'delivered' });
    expect(proxy.requests.map(({ authority }) => authority)).toEqual([new URL(tokenUrl).host]);
    await api.close();
  });

  it('fetches one token for many events', async () => {
    const tokens = await startTokenServer();
    const api = await startApi((token) => token === 'token-1');
    const outcomes = await deliver(api.url, oauth2(tokens.url), 50);
    expect(outcomes.every(({ verdict }) => verdict === 'delivered')).toBe(true);
    expect(tokens.requests).toHaveLength(1);
    await api.close();
  });

  it.each([0, 60_000])(
    'sends an event again at once with another token after a 401, with a retry window of %s ms',
    async (retryWindowMs) => {
      const tokens = await startTokenServer();
      const api = await startApi((token) => token === 'token-2');
      const [outcome] = await deliver(api.url, oauth2(tokens.url), 1, { retryWindowMs });
      expect(outcome).toMatchObject({
        verdict: 'delivered',
        attempts: [
          { attempt: 1, status: 401, verdict: 'retry' },
          { attempt: 2, status: 200, verdict: 'delivered' },
        ],
      });
      expect(tokens.requests).toHaveLength(2);
      await api.close();
    },
  );

  it('takes a second 401 as the answer', async () => {
    const tokens = await startTokenServer();
    const api = await startApi(() => false);
    const [outcome] = await deliver(api.url, oauth2(tokens.url));
    expect(outcome).toMatchObject({ verdict: 'failed', code: 'status_401' });
    expect(api.requests).toHaveLength(2);
    await api.close();
  });

  it('does not take an endpoint for down because a token was refused', async () => {
    const tokens = await startTokenServer();
    const api = await startApi((token) => token !== 'token-1');
    const outcomes = await deliver(api.url, oauth2(tokens.url), 100);
    expect(outcomes.every(({ verdict }) => verdict === 'delivered')).toBe(true);
    expect(tokens.requests).toHaveLength(2);
    await api.close();
  });

  it('retries while there is no token, and says why', async () => {
    const tokens = await startTokenServer((call) =>
      call < 2 ? { status: 503, body: 'busy' } : { body: { access_token: 't' } },
    );
    const api = await startApi((token) => token === 't');
    const clock = ownClock();
    const endpoints = [{ url: api.url, auth: oauth2(tokens.url) }];
    const target = new WebhookTarget({
      endpoints,
      clock,
      retryDelaysMs: [1_100],
      random: () => 0.5,
    });
    const outcome = await target.deliver(event(1));
    expect(outcome).toMatchObject({
      verdict: 'delivered',
      attempts: [
        {
          ...{ status: null, error: 'oauth2', verdict: 'retry' },
          detail: `the token endpoint ${tokens.url} returned HTTP 503`,
        },
        { status: 200 },
      ],
    });
    expect(api.requests).toHaveLength(1);
    await target.close();
    await api.close();
  });

  it('ends what waits for a token when the target is closed', async () => {
    const tokens = await startTokenServer(() => new Promise(() => undefined));
    const target = new WebhookTarget({
      endpoints: [{ url: 'http://127.0.0.1:9/', auth: oauth2(tokens.url) }],
      clock: ownClock(),
    });
    const outcome = target.deliver(event(1));
    await expect.poll(() => tokens.requests.length).toBe(1);
    await target.close();
    expect(await outcome).toMatchObject({ verdict: 'pending' });
  });

  it('ends what waits for a token as not sent when the target is interrupted', async () => {
    let answer: (token: object) => void = () => undefined;
    const token = new Promise<object>((resolve) => (answer = resolve));
    const tokens = await startTokenServer(async () => ({ body: await token }));
    const api = await startApi(() => true);
    for (const returnsRetries of [false, true]) {
      const endpoints = [{ url: api.url, auth: oauth2(tokens.url) }];
      const before = tokens.requests.length;
      const target = new WebhookTarget({
        ...{ endpoints, concurrency: 2, returnsRetries, clock: ownClock() },
      });
      const outcomes = Promise.all([1, 2, 3].map((n) => target.deliver(event(n))));
      await expect.poll(() => tokens.requests.length).toBe(before + 1);
      target.interrupt();
      const interrupted = { verdict: 'pending', code: 'interrupted', attempts: [] };
      expect(await outcomes).toMatchObject([interrupted, interrupted, interrupted]);
      await target.drain();
      await target.close();
    }
    answer({ access_token: 't' });
    await api.close();
    expect(api.requests).toHaveLength(0);
  });

  it('sends what is new after what waited for a token was handed back', async () => {
    let answer: (token: object) => void = () => undefined;
    const token = new Promise<object>((resolve) => (answer = resolve));
    const tokens = await startTokenServer(async () => ({ body: await token }));
    const api = await startApi(() => true);
    const endpoints = [{ url: api.url, auth: oauth2(tokens.url) }];
    const target = new WebhookTarget({
      ...{ endpoints, concurrency: 1, returnsRetries: true, clock: ownClock() },
    });
    const first = target.deliver(event(1));
    await expect.poll(() => tokens.requests.length).toBe(1);
    target.interruptUnsent();
    expect(await first).toMatchObject({ verdict: 'pending', attempts: [] });
    const second = target.deliver(event(2));
    answer({ access_token: 't' });
    expect(await second).toMatchObject({ verdict: 'delivered' });
    expect(api.requests).toHaveLength(1);
    await target.close();
    await api.close();
  });

  it.each([0, 60_000])(
    'lets whoever sends stop when the credentials are refused, with a retry window of %s ms',
    async (retryWindowMs) => {
      const refusal = { status: 401, body: { error: 'invalid_client' } };
      const tokens = await startTokenServer((call) =>
        call === 1 ? { body: { access_token: 'first' } } : refusal,
      );
      const api = await startApi(() => api.requests.length <= 3);
      const reasons: string[] = [];
      const target = new WebhookTarget({
        ...{ endpoints: [{ url: api.url, auth: oauth2(tokens.url) }], clock: ownClock() },
        ...{ retryWindowMs, concurrency: 1, returnsRetries: true },
        onRefused: (queue, reason) => {
          reasons.push(`${queue}: ${reason}`);
          target.interrupt();
        },
      });
      const all = [1, 2, 3, 4, 5, 6].map((n) => target.deliver(event(n)));
      const outcomes = await Promise.all(all);
      expect(outcomes.map(({ verdict }) => verdict)).toEqual([
        ...['delivered', 'delivered', 'delivered', 'pending', 'pending', 'pending'],
      ]);
      expect(reasons).toEqual([
        `0: the token endpoint ${tokens.url} refuses clientId or clientSecret (invalid_client); check them`,
      ]);
      // No attempt without a token counts.
      expect(outcomes.flatMap(({ attempts }) => attempts.map(({ error }) => error))).toEqual(
        [1, 2, 3, 4].map(() => null),
      );
      await target.close();
      await api.close();
    },
  );

  it('is masked in what the endpoint sends back', async () => {
    const tokens = await startTokenServer();
    const api = await startApi(() => false);
    const [outcome] = await deliver(api.url, oauth2(tokens.url));
    const text = JSON.stringify(outcome);
    expect(text).toContain('"x-request-id":"***"');
    expect(text).not.toMatch(/token-\d|client-secret/);
    await api.close();
  });
});

describe('an auth that cannot be used', () => {
  const wanted = { tokenUrl: 'https://h/t', clientId: 'a', clientSecret: 's' };

  it.each<[unknown, string]>([
    [{}, 'auth must have one of bearer, basic and oauth2'],
    [{ bearer: 'a', basic: {} }, 'auth must have one of bearer, basic and oauth2'],
    [{ bearer: 'a b' }, 'auth.bearer must be a token: visible ASCII characters, without spaces'],
    [
      { bearer: 'Bearer abc' },
      'auth.bearer must be a token: leave out the word Bearer, which is put in front of it',
    ],
    [
      { bearer: 'bearer  a b' },
      'auth.bearer must be a token: leave out the word Bearer, which is put in front of it',
    ],
    [
      { bearer: 'Bearer' + '\r\nX: b' },
      'auth.bearer must be a token: visible ASCII characters, without spaces',
    ],
    [{ bearer: 'a\r\nb' }, 'auth.bearer must be a token: visible ASCII characters, without spaces'],
    [{ basic: { user: 'a' } }, 'auth.basic must have a user and a password, both text'],
    [{ basic: { user: 'a:b', password: '' } }, 'auth.basic.user must not have a colon in it'],
    [
      { oauth2: { ...wanted, clientSecret: '' } },
      'auth.oauth2.clientSecret is missing; it must be text',
    ],
    [
      { oauth2: { ...wanted, tokenUrl: 'ftp://h/' } },
      'auth.oauth2.tokenUrl: not a valid http:// or https:// URL',
    ],
    [{ oauth2: { ...wanted, authMethod: 'post' } }, 'auth.oauth2.authMethod must be basic or body'],
    [{ oauth2: { ...wanted, scope: ['a'] } }, 'auth.oauth2.scope must be text'],
  ])('%j is refused', (auth, message) => {
    expect(() => checkAuth(auth as EndpointAuth, [], 'auth')).toThrow(new UsageError(message));
  });

  it('is one beside a static Authorization header', () => {
    expect(() => checkAuth({ bearer: 'a' }, ['AUTHORIZATION'], 'auth')).toThrow(
      new UsageError('auth sets Authorization, and headers do, too; leave one of them out'),
    );
  });
});
