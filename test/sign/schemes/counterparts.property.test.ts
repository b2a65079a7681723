import { createHash, createHmac } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Scheme } from '../../../src/sign/schemes/scheme.js';
import { runs } from '../../helpers/property-runs.js';
import { preset, signedBy, verdictOf } from './signing.js';

/** What a sender signs, and when. */
interface Sent {
  readonly secret: string;
  readonly body: Buffer;
  readonly id: string;
  readonly at: Date;
}

/** As the senders without a library in these tests document it, apart from the records of `src`. */
const senders: Record<string, (sent: Sent) => Record<string, string>> = {
  'x-signature': ({ secret, body }) => ({ 'X-Signature': hmac('sha1', secret, body, 'hex') }),
  'github-sha1': ({ secret, body }) => ({
    'X-Hub-Signature': `sha1=${hmac('sha1', secret, body, 'hex')}`,
  }),
  shopify: ({ secret, body }) => ({
    'X-Shopify-Hmac-Sha256': hmac('sha256', secret, body, 'base64'),
  }),
  hookdeck: ({ secret, body }) => ({
    'x-hookdeck-signature': hmac('sha256', secret, body, 'base64'),
  }),
  slack: ({ secret, body, at }) => {
    const time = seconds(at);
    const text = Buffer.concat([Buffer.from(`v0:${time}:`), body]);
    return {
      'X-Slack-Signature': `v0=${hmac('sha256', secret, text, 'hex')}`,
      'X-Slack-Request-Timestamp': time,
    };
  },
  twitch: ({ secret, body, id, at }) => {
    const text = Buffer.concat([Buffer.from(id), Buffer.from(at.toISOString()), body]);
    return {
      'Twitch-Eventsub-Message-Signature': `sha256=${hmac('sha256', secret, text, 'hex')}`,
      'Twitch-Eventsub-Message-Timestamp': at.toISOString(),
      'Twitch-Eventsub-Message-Id': id,
    };
  },
  convoy: ({ secret, body }) => ({ 'X-Convoy-Signature': hmac('sha256', secret, body, 'hex') }),
  'convoy-advanced': ({ secret, body, at }) => ({
    'X-Convoy-Signature': `t=${seconds(at)},v1=${ofConvoy('sha256', 'hex', { secret, body, at })}`,
  }),
};

function hmac(digest: string, secret: string, bytes: Buffer, encoding: 'hex' | 'base64'): string {
  return createHmac(digest, secret).update(bytes).digest(encoding);
}

function seconds(at: Date): string {
  return String(Math.floor(at.getTime() / 1000));
}

const sent = fc.record<Sent>({
  secret: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 80 }),
  body: fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
  id: fc.stringMatching(/^[\x21-\x7e]{1,40}$/),
  at: fc.date({ min: new Date('2001-10-01'), max: new Date('2199-01-01'), noInvalidDate: true }),
});

it.each(Object.entries(senders))('%s: we send what its sender does, and accept it', (name, by) => {
  const scheme = preset(name);
  fc.assert(
    fc.property(sent, (one) => {
      const { secret, body, id, at } = one;
      const theirs = by(one);
      const values = { body, id, nowMs: at.getTime() };
      const { headers: ours } = signedBy(scheme, [secret], values);
      expect(recordOf(ours)).toEqual(lowerCased(theirs));
      const options = { scheme, secrets: ['other', secret], body, at: at.getTime() };
      expect(verdictOf(Object.entries(theirs).flat(), options).valid).toBe(true);
      const cut = { ...options, body: Buffer.concat([body, Buffer.from('\n')]) };
      expect(verdictOf(Object.entries(theirs).flat(), cut).valid).toBe(false);
    }),
    { numRuns: runs(500, 60) },
  );
});

function recordOf(headers: readonly string[]): Record<string, string> {
  const pairs = headers.flatMap((name, index) =>
    index % 2 === 0 ? [[name, headers[index + 1]!] as const] : [],
  );
  return lowerCased(Object.fromEntries(pairs));
}

function lowerCased(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
  );
}

type ConvoySent = Pick<Sent, 'secret' | 'body' | 'at'>;

function ofConvoy(
  digest: string,
  encoding: 'hex' | 'base64',
  { secret, body, at }: ConvoySent,
): string {
  return hmac(digest, secret, Buffer.concat([Buffer.from(`${seconds(at)},`), body]), encoding);
}

describe('Convoy', () => {
  const at = new Date('2026-09-01T12:00:00Z');
  const body = Buffer.from('{"event":"invoice.paid","amount":12}');
  const secret = 'convoy secret';
  const own = ofConvoy('sha256', 'hex', { secret, body, at });
  const other = createHash('sha256').update('other').digest('hex');
  const t = `t=${seconds(at)}`;
  const judged = (value: string, ageMs = 0, scheme: Scheme = preset('convoy-advanced')) =>
    verdictOf(['X-Convoy-Signature', value], {
      ...{ scheme, secrets: [secret], body },
      at: at.getTime() + ageMs,
    });

  it.each([
    ['the time first', `${t},v1=${own}`],
    ['the time last', `v1=${own},${t}`],
    ['the time between two signatures', `v1=${other},${t},v1=${own}`],
    ['one of two that fits', `${t},v1=${other},v1=${own}`],
  ])('is accepted with %s', (_title, value) => {
    expect(judged(value)).toMatchObject({ valid: true });
  });

  it.each([
    ['two signatures of others', `${t},v1=${other},v1=${other}`, 'mismatch'],
    [
      'one digit changed',
      `${t},v1=${own.replace(/.$/, (digit) => (digit === '0' ? '1' : '0'))}`,
      'mismatch',
    ],
    ['a signature that is a number', `${t},v1=1234567890`, 'length'],
    ['no time', `v1=${own}`, 'no_timestamp'],
    ['another version in place of the time', `v1=${own},v2=${own}`, 'no_timestamp'],
    ['a time without end', `t=Infinity,v1=${own}`, 'bad_timestamp'],
    ['two times', `${t},t=1,v1=${own}`, 'malformed'],
  ])('is refused with %s', (_title, value, reason) => {
    expect(judged(value)).toMatchObject({ valid: false, reason });
  });

  it('is refused when it is older than five minutes', () => {
    expect(judged(`${t},v1=${own}`, 300_000).valid).toBe(true);
    expect(judged(`${t},v1=${own}`, 301_000).reason).toBe('expired');
  });

  it.each([
    ['sha256', 'base64'],
    ['sha512', 'hex'],
    ['sha512', 'base64'],
  ] as const)('with %s in %s is an own scheme', (digest, encoding) => {
    const version = {
      digest,
      encoding,
      secret: { encoding: 'utf8' },
      item: 'v1={signature}',
    } as const;
    const scheme: Scheme = { ...preset('convoy-advanced'), name: 'own', versions: [version] };
    const theirs = `${t},v1=${ofConvoy(digest, encoding, { secret, body, at })}`;
    expect(judged(theirs, 0, scheme)).toMatchObject({ valid: true, scheme: 'own' });
    const { headers } = signedBy(scheme, [secret], { body, nowMs: at.getTime() });
    expect(headers).toEqual(['X-Convoy-Signature', theirs]);
  });
});
