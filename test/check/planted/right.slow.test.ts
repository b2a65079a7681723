import { verify as octokitVerify } from '@octokit/webhooks-methods';
import { formType } from '../../../src/check/events.js';
import { Webhook } from 'standardwebhooks';
import Stripe from 'stripe';
import twilio from 'twilio';
import { describe, expect, it } from 'vitest';
import type { CheckReport } from '../../../src/check/result.js';
import { against, check } from '../helpers/planted.js';
import type { Hook } from '../helpers/hook.js';
import { hmac, secret, verifiers } from '../helpers/right-endpoints.js';

type Verify = (hook: Hook) => boolean | Promise<boolean>;

const withoutError = (verify: (hook: Hook) => unknown) => (hook: Hook) => {
  try {
    return Boolean(verify(hook));
  } catch {
    return false;
  }
};

const standard = (prefix: string) => {
  const library = new Webhook(secret);
  return withoutError(({ body, header }) =>
    library.verify(
      body.toString(),
      Object.fromEntries(
        ['id', 'timestamp', 'signature'].map((name) => [
          `webhook-${name}`,
          header(`${prefix}-${name}`),
        ]),
      ),
    ),
  );
};

const base64 = (body: Buffer) =>
  Buffer.from(hmac('sha256', secret, body), 'hex').toString('base64');
const { webhooks } = new Stripe('sk_test_1');

/** By the libraries of the senders where there are some, else as their documentation says. */
const rightReceivers: readonly (readonly [scheme: string, verify: Verify])[] = [
  ['x-signature', verifiers['x-signature']!],
  ['standard-webhooks', standard('webhook')],
  ['svix', standard('svix')],
  [
    'github',
    async ({ body, header }) => {
      const signature = header('x-hub-signature-256');
      return (
        signature !== '' && body.length > 0 && octokitVerify(secret, body.toString(), signature)
      );
    },
  ],
  [
    'github-sha1',
    ({ body, header }) => header('x-hub-signature') === `sha1=${hmac('sha1', secret, body)}`,
  ],
  [
    'stripe',
    withoutError(({ body, header }) =>
      webhooks.constructEvent(body, header('stripe-signature'), secret),
    ),
  ],
  ['shopify', verifiers.shopify!],
  ['slack', verifiers.slack!],
  ['hookdeck', ({ body, header }) => header('x-hookdeck-signature') === base64(body)],
  [
    'twitch',
    ({ body, header }) => {
      const time = header('twitch-eventsub-message-timestamp');
      const id = header('twitch-eventsub-message-id');
      const signature = `sha256=${hmac('sha256', secret, id, time, body)}`;
      const isFresh = Math.abs(Date.now() - Date.parse(time)) < 600_000;
      return isFresh && header('twitch-eventsub-message-signature') === signature;
    },
  ],
  ['convoy', ({ body, header }) => header('x-convoy-signature') === hmac('sha256', secret, body)],
  [
    'convoy-advanced',
    ({ body, header }) => {
      const [, time, given] = /^t=(\d+),v1=(\w*)$/.exec(header('x-convoy-signature')) ?? [];
      const isFresh = Math.abs(Date.now() / 1000 - Number(time)) < 300;
      return isFresh && given === hmac('sha256', secret, `${time},`, body);
    },
  ],
  [
    'twilio',
    ({ body, header, url }) => {
      const signature = header('x-twilio-signature');
      if (header('content-type') === formType) {
        const fields = Object.fromEntries(new URLSearchParams(body.toString()));
        return twilio.validateRequest(secret, signature, url, fields);
      }
      const hasDigest = new URL(url).searchParams.has('bodySHA256');
      return hasDigest && twilio.validateRequestWithBody(secret, signature, url, body.toString());
    },
  ],
];

describe.concurrent('a right receiver', () => {
  it.each(rightReceivers)('of %s passes all', async (scheme, verify) => {
    const report = await check({ scheme, verify });
    expect(against(report)).toEqual([]);
    expect(report.summary.score).toBe(100);
  });

  it('is done in 30 seconds at the usual rate, idle connections included', async () => {
    const { durationMs, summary }: CheckReport = await check({}, { rate: 20 }, {});
    expect(durationMs).toBeLessThan(30_000);
    expect(summary.score).toBe(100);
  });
});
