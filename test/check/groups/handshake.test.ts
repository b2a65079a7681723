import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { checksFor } from '../../../src/check/groups/index.js';
import { analytics } from '../../../src/check/senders/analytics.js';
import { vendors } from '../../../src/check/settings.js';
import { presets } from '../../../src/sign/schemes/index.js';
import { verifyRequest } from '../../../src/sign/index.js';
import { startEndpoint, type Arrived, type Behaviour } from '../helpers/endpoint.js';
import { runSome, verdictOf } from '../helpers/run-some.js';
import type { Vendor } from '../../../src/check/options.js';

type Answer = (request: Arrived) => { type?: string; text: string; headers?: object };

const answering =
  (answer: Answer): Behaviour =>
  (request, response) => {
    const { type = 'text/plain', text, headers } = answer(request);
    response.writeHead(200, { 'Content-Type': type, ...headers }).end(text);
  };

const json = ({ body }: Arrived) => JSON.parse(body.toString());
const queryOf = ({ message }: Arrived) => new URL(message.url!, 'http://x').searchParams;
const hmac = (text: string, secret = 'topsecret') =>
  createHmac('sha256', secret).update(text).digest('hex');

const right = /^pass: HTTP 200 with the right answer$/;

const rows: [Vendor, string, Answer, RegExp][] = [
  ['slack', 'text', (request) => ({ text: json(request).challenge }), right],
  [
    'slack',
    'JSON',
    (request) => ({ text: JSON.stringify({ challenge: json(request).challenge }) }),
    right,
  ],
  [
    'slack',
    'a form',
    (request) => ({
      type: 'application/x-www-form-urlencoded',
      text: `challenge=${json(request).challenge}`,
    }),
    right,
  ],
  ['slack', 'ok', () => ({ text: 'ok' }), /^fail: the response does not have the challenge/],
  ['twitch', 'the challenge', (request) => ({ text: json(request).challenge }), right],
  [
    'twitch',
    'the challenge as JSON',
    (request) => ({ text: JSON.stringify(json(request).challenge) }),
    /^fail: the response has more than the challenge/,
  ],
  ['meta', 'the challenge', (request) => ({ text: queryOf(request).get('hub.challenge')! }), right],
  [
    'meta',
    'the token',
    (request) => ({ text: queryOf(request).get('hub.verify_token')! }),
    /^fail/,
  ],
  [
    'zoom',
    'both tokens',
    (request) => {
      const { plainToken } = json(request).payload;
      return { text: JSON.stringify({ plainToken, encryptedToken: hmac(plainToken) }) };
    },
    right,
  ],
  [
    'zoom',
    'the HMAC of another secret',
    (request) => {
      const { plainToken } = json(request).payload;
      return { text: JSON.stringify({ plainToken, encryptedToken: hmac(plainToken, 'other') }) };
    },
    /^fail: encryptedToken is not the HMAC-SHA256/,
  ],
  [
    'zoom',
    'null',
    () => ({ text: 'null' }),
    /^fail: the body of the response is not a JSON object/,
  ],
  [
    'cloudevents',
    'the origin',
    ({ message }) => ({
      text: '',
      headers: { 'WebHook-Allowed-Origin': message.headers['webhook-request-origin'] },
    }),
    right,
  ],
  ['cloudevents', 'nothing', () => ({ text: '' }), /^fail: WebHook-Allowed-Origin is missing/],
];

describe('handshakes', () => {
  it.each(rows)('%s answered with %s', async (vendor, _, answer, verdict) => {
    const { url } = await startEndpoint(answering(answer));
    const handshake = { vendor, token: 'verify-me' };
    expect(await verdictOf(url, [`handshake.${vendor}`], { handshake })).toMatch(verdict);
  });

  it.each(vendors)('%s fails where it is answered with an error', async (vendor) => {
    const { url } = await startEndpoint(() => 404);
    const handshake = { vendor, token: 'verify-me' };
    expect(await verdictOf(url, [`handshake.${vendor}`], { handshake })).toBe(
      'fail: HTTP 404, expected 2xx',
    );
  });

  it('meta sends the verify token, and needs one', async () => {
    const { url, arrived } = await startEndpoint();
    const handshake = { vendor: 'meta', token: 'verify me' } as const;
    await runSome(`${url}?own=1`, ['handshake.meta'], { handshake });
    expect(Object.fromEntries(queryOf(arrived[0]!))).toMatchObject({
      own: '1',
      'hub.mode': 'subscribe',
      'hub.verify_token': 'verify me',
      'hub.challenge': expect.stringMatching(/^\d+$/),
    });
    const without = { handshake: { vendor: 'meta' } } as const;
    expect(await verdictOf(url, ['handshake.meta'], without)).toMatch(
      /^na: needs the verify token/,
    );
  });

  it('twitch is signed, and has the headers of Twitch in any scheme', async () => {
    for (const name of ['twitch', 'x-signature']) {
      const { url, arrived } = await startEndpoint();
      const signing = { scheme: presets.get(name)!, secrets: ['topsecret'] };
      const handshake = { vendor: 'twitch' } as const;
      await runSome(url, ['handshake.twitch'], { handshake, signing });
      const { message, body } = arrived[0]!;
      expect(message.headers).toMatchObject({
        'twitch-eventsub-message-type': 'webhook_callback_verification',
        'twitch-eventsub-message-id': json(arrived[0]!).subscription.id,
        'twitch-eventsub-message-timestamp': expect.any(String),
      });
      const { headers } = message;
      const secret = 'topsecret';
      expect(verifyRequest({ scheme: name, secret, body, headers })).toMatchObject({ valid: true });
    }
  });

  it('only the one that is asked for is in a run', () => {
    const idsFor = (vendor?: Vendor) =>
      checksFor({ sender: analytics, ...(vendor && { handshake: { vendor } }) })
        .map(({ id }) => id)
        .filter((id) => id.startsWith('handshake.'));
    expect(idsFor()).toEqual([]);
    expect(idsFor('zoom')).toEqual(['handshake.zoom']);
  });
});
