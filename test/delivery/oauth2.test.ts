import { describe, expect, it } from 'vitest';
import { OAuth2Token, type TokenResponse } from '../../src/delivery/oauth2.js';
import type { OAuth2Settings } from '../../src/delivery/oauth2-settings.js';
import { privateAddressCode } from '../../src/net/private-networks.js';
import { withResolvers } from '../../src/with-resolvers.js';
import { VirtualClock } from '../helpers/virtual-clock.js';

const settings: OAuth2Settings = {
  tokenUrl: 'https://id.example.com/token?tenant=query-secret',
  clientId: 'my app',
  clientSecret: 'a:b/secret',
};

type Respond = (call: number) => TokenResponse | Promise<TokenResponse>;

const json = (body: object, status = 200): TokenResponse => ({
  status,
  text: JSON.stringify(body),
});
const tokens: Respond = (call) =>
  json({ access_token: `t${call}`, token_type: 'Bearer', expires_in: 3_600 });

function tokenWith(respond: Respond, changes: Partial<OAuth2Settings> = {}, proxy?: string) {
  const clock = new VirtualClock();
  const requests: { url: string; headers: Readonly<Record<string, string>>; form: string }[] = [];
  const token = new OAuth2Token({
    settings: { ...settings, ...changes },
    proxy,
    clock,
    post: async (url, headers, form) => {
      requests.push({ url, headers, form });
      return respond(requests.length);
    },
  });
  return { token, clock, requests };
}

describe('a token', () => {
  it('is asked for with id and secret in a Basic header, each encoded as in a form', async () => {
    const { token, requests } = tokenWith(tokens, { scope: 'a b', audience: 'https://api/' });
    expect(token.line).toBeUndefined();
    expect(await token.fetch()).toBeUndefined();
    expect(token.line).toBe('Authorization: Bearer t1\r\n');
    const [{ url, headers, form }] = requests as [(typeof requests)[0]];
    expect(url).toBe(settings.tokenUrl);
    expect(Buffer.from(headers.Authorization!.slice(6), 'base64').toString()).toBe(
      'my+app:a%3Ab%2Fsecret',
    );
    expect(headers['Content-Type']).toBe('application/x-www-form-urlencoded');
    expect(Object.fromEntries(new URLSearchParams(form))).toEqual({
      ...{ grant_type: 'client_credentials', scope: 'a b', audience: 'https://api/' },
    });
  });

  it('is asked for with id and secret in the body where that is set', async () => {
    const { token, requests } = tokenWith(tokens, { authMethod: 'body' });
    await token.fetch();
    expect(requests[0]!.headers.Authorization).toBeUndefined();
    expect(Object.fromEntries(new URLSearchParams(requests[0]!.form))).toEqual({
      ...{ grant_type: 'client_credentials', client_id: 'my app', client_secret: 'a:b/secret' },
    });
  });

  it('is fetched once, however many ask for it', async () => {
    const { promise, resolve } = withResolvers();
    const { token, requests } = tokenWith((call) => promise.then(() => tokens(call)));
    const all = Promise.all(Array.from({ length: 20 }, () => token.fetch()));
    resolve();
    await all;
    expect(requests).toHaveLength(1);
  });

  it.each([
    [3_600, 60],
    [300, 30],
    ['600', 60],
    [10, 1],
  ])(
    'with a life of %s s is used until its end, and fetched anew %s s before',
    async (life, margin) => {
      const { token, clock, requests } = tokenWith((call) =>
        json({ access_token: `t${call}`, expires_in: life }),
      );
      await token.fetch();
      const lifeMs = Number(life) * 1_000;
      clock.advance(lifeMs - margin * 1_000 - 1);
      expect(token.line).toContain('t1');
      expect(requests).toHaveLength(1);
      clock.advance(1);
      expect(token.line).toContain('t1');
      await token.fetch();
      expect(requests).toHaveLength(2);
      expect(token.line).toContain('t2');
    },
  );

  it('is not used any more at its end, although no other could be had', async () => {
    const { token, clock } = tokenWith((call) =>
      call === 1 ? json({ access_token: 't1', expires_in: 100 }) : { status: 503, text: '' },
    );
    await token.fetch();
    clock.advance(95_000);
    expect(token.line).toContain('t1');
    expect((await token.fetch())?.reason).toContain('HTTP 503');
    expect(token.line).toContain('t1');
    clock.advance(5_000);
    expect(token.line).toBeUndefined();
  });

  it.each([undefined, 0, -1, null, 'never'])(
    'without an end (%s) is used for an hour',
    async (life) => {
      const { token, clock } = tokenWith((call) =>
        json({ access_token: `t${call}`, expires_in: life }),
      );
      await token.fetch();
      clock.advance(3_599_999);
      expect(token.line).toContain('t1');
      clock.advance(1);
      expect(token.line ?? '').not.toContain('t1');
    },
  );

  it('that was refused is not used again, another one is', async () => {
    const { token } = tokenWith(tokens);
    await token.fetch();
    const first = token.line!;
    token.refused(first);
    expect(token.line).toBeUndefined();
    await token.fetch();
    // Requests that were in flight with the first one are refused, too.
    token.refused(first);
    expect(token.line).toContain('t2');
  });

  it('that is refused just after another one was is replaced within a second, and used until then', async () => {
    const { token, clock, requests } = tokenWith(tokens);
    await token.fetch();
    token.refused(token.line!);
    await token.fetch();
    clock.advance(400);
    token.refused(token.line!);
    expect(token.line).toContain('t2');
    expect(token.lineAfterRefusal).toBeUndefined();
    const next = token.fetch();
    clock.advance(599);
    await Promise.resolve();
    expect(requests).toHaveLength(2);
    clock.advance(1);
    expect(await next).toBeUndefined();
    expect(token.lineAfterRefusal).toContain('t3');
    // The same holds for the one after it.
    token.refused(token.line!);
    expect(token.line).toContain('t3');
    expect(token.lineAfterRefusal).toBeUndefined();
  });

  it('is masked with the one before it, id and secret', async () => {
    const { token } = tokenWith(tokens);
    await token.fetch();
    token.refused(token.line!);
    await token.fetch();
    expect(token.secrets()).toEqual(expect.arrayContaining(['a:b/secret', 't1', 't2']));
  });
});

describe('a token endpoint that fails', () => {
  it.each<[string, Respond]>([
    ['returned HTTP 500', () => ({ status: 500, text: '<html>' })],
    ['returned HTTP 400 (invalid_scope)', () => json({ error: 'invalid_scope' }, 400)],
    ['returned HTTP 400', () => json({ error: 'x'.repeat(99) }, 400)],
    ['returned HTTP 302', () => ({ status: 302, text: '' })],
    ['sent no JSON object; check tokenUrl', () => ({ status: 200, text: '<html>token</html>' })],
    ['sent no JSON object; check tokenUrl', () => ({ status: 200, text: '["t"]' })],
    ['sent no JSON object; check tokenUrl', () => ({ status: 200, text: undefined })],
    ['sent no access_token', () => json({ token: 't' })],
    ['sent no access_token', () => json({ access_token: 'a\r\nX: b' })],
    ['sent no access_token', () => json({ access_token: '' })],
    ['sent a token that is no bearer token', () => json({ access_token: 't', token_type: 'mac' })],
    ...(
      [
        ['ECONNREFUSED', ': connection refused'],
        ['ECONNRESET', ': connection closed before a response'],
        ['ENOTFOUND', ': host name not found'],
        [
          'EMFILE',
          ': this process has no file descriptor left for a connection; raise its limit (ulimit -n, LimitNOFILE)',
        ],
        [
          privateAddressCode,
          ': loopback and private addresses are refused without allowPrivateNetworks: true; nothing was sent',
        ],
        [
          'SELF_SIGNED_CERT_IN_CHAIN',
          ': its certificate is not trusted (SELF_SIGNED_CERT_IN_CHAIN)',
        ],
        ['UND_ERR_SOCKET', ' (UND_ERR_SOCKET)'],
        [undefined, ''],
      ] as const
    ).map(([code, text]): [string, Respond] => [
      `cannot be reached${text}`,
      () => Promise.reject(Object.assign(new Error('secret'), { code })),
    ]),
    [
      'does not respond',
      () => Promise.reject(Object.assign(new Error('slow'), { name: 'TimeoutError' })),
    ],
  ])('%s', async (reason, respond) => {
    const { token } = tokenWith(respond);
    expect(await token.fetch()).toEqual({
      reason: `the token endpoint https://id.example.com/token ${reason}`,
      isInvalidClient: false,
    });
    expect(token.line).toBeUndefined();
  });

  it('is said to be behind its proxy', async () => {
    const { token } = tokenWith(
      () => Promise.reject(Object.assign(new Error('secret'), { code: 'ECONNREFUSED' })),
      {},
      'http://user:pass@proxy.example.com:8080',
    );
    expect((await token.fetch())?.reason).toBe(
      'the token endpoint https://id.example.com/token cannot be reached through its proxy: connection refused',
    );
  });

  it('is named where it refuses the credentials', async () => {
    const { token } = tokenWith(() => json({ error: 'invalid_client' }, 401));
    expect(await token.fetch()).toEqual({
      reason:
        'the token endpoint https://id.example.com/token refuses clientId or clientSecret (invalid_client); check them',
      isInvalidClient: true,
    });
  });

  it('is asked again after a second', async () => {
    const { token, clock, requests } = tokenWith((call) =>
      call === 1 ? { status: 500, text: '' } : tokens(call),
    );
    expect((await token.fetch())?.reason).toContain('HTTP 500');
    clock.advance(999);
    expect((await token.fetch())?.reason).toContain('HTTP 500');
    expect(requests).toHaveLength(1);
    clock.advance(1);
    expect(await token.fetch()).toBeUndefined();
  });
});
