import { createHash, createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { Scheme } from '../../src/sign/schemes/scheme.js';
import type { WebhookTargetOptions } from '../../src/webhook/target.js';
import { WebhookDestination } from '../../src/webhook/webhook-destination.js';
import { reply, startRawServer } from '../helpers/raw-server.js';
import { headerOf, signingBy, standardSecret, verdictOf } from '../helpers/signing.js';
import { VirtualClock } from '../helpers/virtual-clock.js';
import { sendNow, someEvent, webhooks } from '../helpers/webhooks.js';

const minute = 60_000;

/** Sends one event to a server that responds with these statuses, twenty minutes apart. */
async function attempts(
  signing: WebhookTargetOptions['signing'],
  statuses: readonly number[],
  { path = '', messageId = 'm1', clockJumpMs = 0 } = {},
) {
  const clock = new VirtualClock();
  const server = await startRawServer({ response: (_, index) => reply(statuses[index]!) });
  const target = webhooks(server.url + path, {
    ...{ clock, signing, retryWindowMs: 240 * minute, retryDelaysMs: [20 * minute] },
    random: () => 0.5,
  });
  const outcome = sendNow(target, messageId);
  const times: number[] = [];
  for (let sent = 1; sent <= statuses.length; sent++) {
    await server.arrived(sent);
    times.push(clock.now());
    if (sent < statuses.length) {
      await clock.timers(1);
      clock.set(clockJumpMs);
      clock.advance(clock.waits[0]!);
    }
  }
  expect((await outcome).verdict).toBe('delivered');
  const { origin } = new URL(server.url);
  return { requests: server.requests, times, origin };
}

describe('a request that is retried', () => {
  it.each([
    ['standard-webhooks', standardSecret, 'webhook-timestamp'],
    ['svix', standardSecret, 'svix-timestamp'],
    ['slack', 'topsecret', 'x-slack-request-timestamp'],
    ['twitch', 'topsecret', 'twitch-eventsub-message-timestamp'],
    ['stripe', 'topsecret', 'stripe-signature'],
    ['convoy-advanced', 'topsecret', 'x-convoy-signature'],
  ])(
    'is signed by %s with the time of each attempt; id and body stay',
    async (name, secret, time) => {
      const signing = signingBy(name, secret);
      const { requests, times } = await attempts(signing, [503, 503, 200]);
      expect(requests).toHaveLength(3);
      requests.forEach((request, i) => {
        expect(verdictOf(request, signing[0], times[i]!)).toMatchObject({ valid: true });
      });
      expect(verdictOf(requests[0]!, signing[0], times[1]!)).toMatchObject({ reason: 'expired' });
      expect(new Set(requests.map((request) => headerOf(request, time))).size).toBe(3);
      expect(new Set(requests.map(({ body }) => String(body))).size).toBe(1);
      const { id } = signing[0].scheme;
      if (id) {
        const ids = requests.map((request) => headerOf(request, id.header.toLowerCase()));
        expect(ids).toEqual(['m1', 'm1', 'm1']);
      }
    },
  );

  it.each([
    ['forward', 60 * minute],
    ['back', -26 * 60 * minute],
  ])(
    'has the time that the clock shows, if it is set %s between two attempts',
    async (_direction, clockJumpMs) => {
      const signing = signingBy('standard-webhooks', standardSecret);
      const { requests, times } = await attempts(signing, [503, 503, 200], { clockJumpMs });
      expect(times[1]! - times[0]!).toBe(clockJumpMs + 20 * minute);
      requests.forEach((request, i) => {
        expect(verdictOf(request, signing[0], times[i]!)).toMatchObject({ valid: true });
        const timestamp = Number(headerOf(request, 'webhook-timestamp'));
        expect(timestamp).toBe(Math.floor(times[i]! / 1000));
      });
      expect(requests.map((request) => headerOf(request, 'webhook-id'))).toEqual([
        ...['m1', 'm1', 'm1'],
      ]);
    },
  );

  it('has the same bytes with x-signature', async () => {
    const { requests } = await attempts(signingBy('x-signature', 's'), [503, 200]);
    expect(requests[1]).toEqual({ ...requests[0]!, connection: requests[1]!.connection });
    const mac = createHmac('sha1', 's').update(requests[0]!.body).digest('hex');
    expect(headerOf(requests[0]!, 'x-signature')).toBe(mac);
  });

  it('has both signatures of two schemes', async () => {
    const first = signingBy('x-signature', 's');
    const also = signingBy('standard-webhooks', standardSecret);
    const { requests, times } = await attempts([...first, ...also], [503, 200]);
    requests.forEach((request, i) => {
      for (const [one] of [first, also]) {
        expect(verdictOf(request, one, times[i]!)).toMatchObject({ valid: true });
      }
    });
  });
});

describe('a request', () => {
  it('has a signature of each secret in a rotation, and the old one verifies it', async () => {
    const old = 'whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA';
    const { requests, times } = await attempts(
      signingBy('standard-webhooks', standardSecret, old),
      [200],
    );
    expect(headerOf(requests[0]!, 'webhook-signature')!.split(' ')).toHaveLength(2);
    for (const secret of [old, standardSecret]) {
      const [one] = signingBy('standard-webhooks', secret);
      expect(verdictOf(requests[0]!, one, times[0]!)).toMatchObject({ valid: true });
    }
  });

  it('has a second header for the second secret of hookdeck', async () => {
    const { requests } = await attempts(signingBy('hookdeck', 'new', 'old'), [200]);
    const macOf = (key: string) =>
      createHmac('sha256', key).update(requests[0]!.body).digest('base64');
    expect([
      headerOf(requests[0]!, 'x-hookdeck-signature'),
      headerOf(requests[0]!, 'x-hookdeck-signature-2'),
    ]).toEqual([macOf('new'), macOf('old')]);
  });

  it.each(['', '?a=b%20c'])(
    'of twilio has the digest of its body in the query "%s"',
    async (path) => {
      const signing = signingBy('twilio', 'token');
      const { requests, times, origin } = await attempts(signing, [503, 200], { path });
      for (const request of requests) {
        const digest = createHash('sha256').update(request.body).digest('hex');
        expect(request.path).toBe(`/hook${path}${path ? '&' : '?'}bodySHA256=${digest}`);
        expect(verdictOf(request, signing[0], times[0]!, origin)).toMatchObject({ valid: true });
      }
    },
  );

  it('is signed with its URL and method, as they are sent', async () => {
    const scheme: Scheme = {
      ...{
        name: 'acme',
        content: '{method} {url} {body}',
        header: 'X-Acme',
        value: '{signatures}',
      },
      versions: [
        { digest: 'sha256', encoding: 'hex', secret: { encoding: 'utf8' }, item: '{signature}' },
      ],
      judgesFuture: false,
    };
    const { requests, origin } = await attempts([{ scheme, secrets: ['k'] }], [503, 200], {
      path: '/\u00fc?q=1#part',
    });
    for (const request of requests) {
      const text = `POST ${origin}/hook/%C3%BC?q=1 ${String(request.body)}`;
      const mac = createHmac('sha256', 'k').update(text).digest('hex');
      expect(headerOf(request, 'x-acme')).toBe(mac);
    }
  });

  it.each(['a.b', 'a b', 'a\r\nX-Evil: 1', '\u00fc'])(
    'has an id that headers can carry in place of %j',
    async (messageId) => {
      const signing = signingBy('standard-webhooks', standardSecret);
      const { requests, times } = await attempts(signing, [200], { messageId });
      expect(requests[0]!.headers.map(([name]) => name)).not.toContain('X-Evil');
      expect(verdictOf(requests[0]!, signing[0], times[0]!)).toMatchObject({ valid: true });
    },
  );
});

describe('an endpoint that repeats secrets', () => {
  it('shows none of them in what is kept of its response', async () => {
    const old = 'whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAB';
    const signing = [
      ...signingBy('standard-webhooks', standardSecret, old),
      ...signingBy('github', 'also-secret'),
    ];
    const decoded = 'the key in another form!';
    const encoded = Buffer.from(decoded).toString('base64');
    signing.push(...signingBy('svix', `whsec_${encoded}`), ...signingBy('stripe', 'whsec_as-text'));
    const text = `${standardSecret} ${old.slice('whsec_'.length)} also-secret ${decoded} as-text end`;
    const server = await startRawServer({ response: () => reply(400, {}, text) });
    const { attempts: made } = await webhooks(server.url, { signing }).deliver(someEvent);
    expect(made[0]!.response?.body).toBe('*** *** *** *** *** end');
  });
});

describe('WebhookDestination', () => {
  it('signs by the scheme of its options, with all secrets', async () => {
    const server = await startRawServer();
    const destination = new WebhookDestination({
      endpoints: [{ url: server.url }],
      scheme: 'stripe',
      sharedSecret: ['new', 'old'],
    });
    await destination.deliver(someEvent);
    await destination.close();
    for (const secret of ['new', 'old']) {
      const [one] = signingBy('stripe', secret);
      expect(verdictOf(server.requests[0]!, one, Date.now())).toMatchObject({ valid: true });
    }
  });

  it.each<[string, object, RegExp]>([
    ['an unknown scheme', { scheme: 'strip', sharedSecret: 's' }, /^scheme: .*Did you mean stripe/],
    ['a scheme without a secret', { scheme: 'stripe' }, /^scheme needs sharedSecret/],
    ['two secrets where one goes', { scheme: 'github', sharedSecret: ['a', 'b'] }, /2 secrets/],
    ['no secret in the list', { sharedSecret: [] }, /^sharedSecret is empty/],
    ['null as secret', { sharedSecret: null }, /^sharedSecret is neither a string nor bytes/],
    ['a number in the list', { sharedSecret: ['a', 5] }, /^sharedSecret is neither/],
    ['an empty secret in the list', { sharedSecret: ['a', ''] }, /^sharedSecret is empty/],
    [
      'a secret in another form',
      { scheme: 'standard-webhooks', sharedSecret: 'hidden value' },
      /^sharedSecret: the secret is not Base64/,
    ],
    [
      'a header of the scheme',
      {
        ...{ scheme: 'standard-webhooks', sharedSecret: standardSecret },
        endpoints: [{ url: 'http://h/', headers: { 'Webhook-ID': 'hidden-value' } }],
      },
      /^endpoints: the header Webhook-ID is set by the scheme standard-webhooks/,
    ],
  ])('refuses %s', (_what, options, message) => {
    const making = () => new WebhookDestination({ endpoints: [{ url: 'http://h/' }], ...options });
    expect(making).toThrow(message);
    expect(making).not.toThrow(/hidden/);
  });
});
