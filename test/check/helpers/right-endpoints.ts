import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { requestVerifier } from '../../../src/sign/request-verifier.js';
import type { SigningSettings } from '../../../src/sign/request-signer.js';
import type { Answer, Endpoint, Hook } from './hook.js';

/** Whether a request is signed rightly. */
export type Verify = (hook: Hook) => boolean;

/** A secret that the schemes below read in their ways. */
export const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

/** What vendors tell receivers to write; none of it uses our signer. */
export const verifiers: Readonly<Record<string, Verify>> = {
  'x-signature': ({ header, body }) => equal(header('x-signature'), hmac('sha1', secret, body)),
  github: ({ header, body }) =>
    equal(header('x-hub-signature-256'), `sha256=${hmac('sha256', secret, body)}`),
  shopify: ({ header, body }) => {
    const given = Buffer.from(header('x-shopify-hmac-sha256'), 'base64');
    return equalBytes(given, Buffer.from(hmac('sha256', secret, body), 'hex'));
  },
  stripe: ({ header, body }) => {
    const parts = header('stripe-signature')
      .split(',')
      .map((part) => part.split('='));
    const time = parts.find(([name]) => name === 't')?.[1] ?? '';
    const expected = hmac('sha256', secret, `${time}.`, body);
    const fits = parts.some(([name, value = '']) => name === 'v1' && equal(value, expected));
    return fits && isFresh(time);
  },
  slack: ({ header, body }) => {
    const time = header('x-slack-request-timestamp');
    const expected = `v0=${hmac('sha256', secret, `v0:${time}:`, body)}`;
    return equal(header('x-slack-signature'), expected) && isFresh(time);
  },
  'standard-webhooks': ({ header, body }) => {
    const [id, time] = [header('webhook-id'), header('webhook-timestamp')];
    const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
    const bytes = hmac('sha256', key, `${id}.${time}.`, body);
    const expected = Buffer.from(bytes, 'hex').toString('base64');
    const given = header('webhook-signature').split(' ');
    return given.some((one) => equal(one, `v1,${expected}`)) && isFresh(time);
  },
  twilio: ({ header, body, url }) => {
    if (header('content-type') === 'application/x-www-form-urlencoded') {
      const pairs = [...new URLSearchParams(body.toString())].sort(([one], [other]) =>
        one < other ? -1 : 1,
      );
      const sum = createHmac('sha1', secret).update(
        url + pairs.map((pair) => pair.join('')).join(''),
      );
      return equal(header('x-twilio-signature'), sum.digest('base64'));
    }
    const digest = new URL(url).searchParams.get('bodySHA256') ?? '';
    const expected = createHmac('sha1', secret).update(url).digest('base64');
    return equal(header('x-twilio-signature'), expected) && digest === sha256(body);
  },
};

/** By our own verifier, for schemes that have none above. */
export function verifierOf({ scheme, secrets }: SigningSettings): Verify {
  const verifier = requestVerifier({ scheme, secrets });
  return ({ incoming, body, url }) =>
    verifier.verify({ headers: incoming.rawHeaders, body, url, method: 'POST' }, Date.now()).valid;
}

/** Refuses what is not signed rightly, and hands the rest to `handle`. */
export function rightEndpoint(
  verify: Verify,
  handle: (hook: Hook) => Answer = () => 204,
): Endpoint {
  return (hook) => (verify(hook) ? handle(hook) : 401);
}

export function hmac(digest: string, key: string | Buffer, ...pieces: (string | Buffer)[]): string {
  const sum = createHmac(digest, key);
  for (const piece of pieces) sum.update(piece);
  return sum.digest('hex');
}

function sha256(body: Buffer): string {
  return createHash('sha256').update(body).digest('hex');
}

function isFresh(time: string): boolean {
  return Math.abs(Date.now() / 1000 - Number(time)) <= 300;
}

function equal(one: string, other: string): boolean {
  return equalBytes(Buffer.from(one), Buffer.from(other));
}

function equalBytes(one: Buffer, other: Buffer): boolean {
  return one.length === other.length && timingSafeEqual(one, other);
}
