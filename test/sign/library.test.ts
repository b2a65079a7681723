import twilio from 'twilio';
import { describe, expect, it } from 'vitest';
import * as entry from '../../src/sign/index.js';
import { signRequest, verifyRequest } from '../../src/index.js';
import { presets } from '../../src/sign/schemes/index.js';
import { sign } from '../../src/sign/x-signature.js';

const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const body = '{"test": 2432232314}';
const timestamp = 1_614_265_330_000;
const id = 'msg_p5jXN8AQM9LWM0D4loKWxJek';

const options = { scheme: 'standard-webhooks', secret, body, id, timestamp };
const signed = {
  'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  'webhook-id': id,
  'webhook-timestamp': '1614265330',
};

it('both entries of the package have the same functions', () => {
  expect(entry.signRequest).toBe(signRequest);
  expect(entry.verifyRequest).toBe(verifyRequest);
});

describe('signRequest', () => {
  it('returns the headers of a scheme', () => {
    expect(signRequest(options)).toEqual(signed);
    const bytes = { ...options, body: Buffer.from(body), timestamp: new Date(timestamp) };
    expect(signRequest(bytes)).toEqual(signed);
  });

  it('signs by x-signature unless told otherwise', () => {
    expect(signRequest({ secret: 'topsecret', body })).toEqual({
      'X-Signature': sign(body, 'topsecret'),
    });
  });

  it('uses a random id and the present without them', () => {
    const before = Date.now();
    const headers = signRequest({ scheme: 'twitch', secret, body });
    const time = Date.parse(headers['Twitch-Eventsub-Message-Timestamp']!);
    expect(time).toBeGreaterThanOrEqual(before);
    expect(time).toBeLessThanOrEqual(Date.now());
    expect(headers['Twitch-Eventsub-Message-Id']).toMatch(/^msg_[0-9a-f]{32}$/);
    expect(signRequest({ scheme: 'twitch', secret, body })).not.toEqual(headers);
  });

  it('signs a form by twilio with the content type of one', () => {
    const form = { scheme: 'twilio', secret, body: 'b=2&a=1+2', url: 'https://a.example/?c=1' };
    const contentType = 'application/x-www-form-urlencoded';
    const headers = signRequest({ ...form, contentType });
    expect(headers).toEqual({
      'X-Twilio-Signature': twilio.getExpectedTwilioSignature(secret, form.url, {
        ...{ a: '1 2', b: '2' },
      }),
    });
    const typed = { ...headers, 'content-type': contentType };
    expect(verifyRequest({ ...form, headers: typed })).toEqual({ valid: true, scheme: 'twilio' });
    expect(signRequest(form)).not.toEqual(headers);
  });

  it('signs with several secrets, newest first', () => {
    const headers = signRequest({ ...options, secret: ['whsec_C2FVsBQIhrscChlQIMV+b5sS', secret] });
    expect(headers['webhook-signature']!.split(' ')[1]).toBe(signed['webhook-signature']);
  });

  it.each([
    ['a time in seconds', { timestamp: 1_614_265_330 }, 'multiply seconds by 1000'],
    ['a time that is no time', { timestamp: new Date('x') }, 'timestamp must be milliseconds'],
    ['an unknown scheme', { scheme: 'strype' }, 'Did you mean stripe?'],
    ['a scheme like no other', { scheme: 'nope' }, 'scheme "nope"; expected one of x-signature,'],
    ['auto', { scheme: 'auto' }, 'auto only verifies; to sign, name the scheme; expected one of'],
    ['a scheme that is no text', { scheme: 5 }, 'scheme must be the name of a preset'],
    ['an id that is no text', { id: 5 }, 'id must be a text'],
    ['a content type that is no text', { contentType: 5 }, 'contentType must be a text'],
    ['an empty secret', { secret: '' }, 'the secret is empty'],
    ['no secret', { secret: [] }, 'no secret'],
    ['two secrets for one signature', { scheme: 'github', secret: ['a', 'b'] }, 'leave out'],
    ['no URL for twilio', { scheme: 'twilio' }, 'pass it as url'],
    ['an unknown option', { secrets: 'a' }, 'unknown option "secrets"; did you mean secret?'],
    ['a body that was parsed', { body: {} }, 'the body is neither a string nor bytes'],
    ['a variable that is not set', { secret: undefined }, 'the secret is neither a string'],
  ])('throws a UsageError for %s', (_, changes, message) => {
    const call = () => signRequest({ ...options, ...changes } as typeof options);
    expect(call).toThrow(entry.UsageError);
    expect(call).toThrow(message);
  });
});

describe('verifyRequest', () => {
  const verdictOf = (changes: object) =>
    verifyRequest({ secret, headers: signed, body, now: timestamp, ...changes });
  const valid = { valid: true, scheme: 'standard-webhooks' };

  it.each([
    ['a plain object', signed],
    ['an object of Node with lists', { ...signed, 'set-cookie': ['a', 'b'], via: undefined }],
    ['a Headers', new Headers(signed)],
    ['pairs', Object.entries(signed)],
    ['a Map', new Map(Object.entries(signed))],
    ['names in another case', { ...upper(signed) }],
  ])('takes headers as %s', (_, headers) => {
    expect(verdictOf({ headers })).toEqual(valid);
  });

  it('judges what signRequest signed, by every preset', () => {
    for (const scheme of presets.keys()) {
      const url = 'https://example.com/hook?bodySHA256=' + digest;
      const headers = signRequest({ ...options, scheme, url });
      expect(verdictOf({ headers, url })).toEqual({ valid: true, scheme });
      expect(verdictOf({ headers, url, scheme, body: 'other' })).toMatchObject({
        valid: false,
        scheme,
        reason: 'mismatch',
      });
    }
  });

  it('judges as of the present, or of another time', () => {
    expect(verdictOf({ now: undefined })).toMatchObject({ valid: false, reason: 'expired' });
    expect(verdictOf({ now: new Date(timestamp) })).toEqual(valid);
    expect(verdictOf({ now: undefined, toleranceMs: null })).toEqual(valid);
  });

  it('accepts any of several secrets', () => {
    expect(verdictOf({ secret: ['other', secret] })).toEqual(valid);
  });

  it.each([
    ['a list of values', { ...signed, 'webhook-id': [id, id] }],
    ['pairs', [...Object.entries(signed), ['webhook-signature', signed['webhook-signature']]]],
    ['a Headers, which joins them', appended()],
  ])('refuses a header that came twice, in %s', (_, headers) => {
    expect(verdictOf({ headers })).toMatchObject({ valid: false, reason: 'repeated' });
  });

  it.each([
    ['a time in seconds', { now: 1_614_265_330 }, 'now must be milliseconds'],
    ['an unknown scheme', { scheme: 'githib' }, 'Did you mean github?'],
    ['a scheme that is no text', { scheme: {} }, 'scheme must be the name of a preset, or auto'],
    ['a URL that is no text', { url: new URL('http://a') }, 'url must be a text'],
    ['a tolerance that is a text', { toleranceMs: '5m' }, 'toleranceMs must be 0 or more'],
    ['a secret that no scheme can read', { secret: '' }, 'the secret is empty'],
    ['a secret in another form', { scheme: 'svix', secret: 'not base64!' }, 'is not Base64'],
    ['a tolerance below 0', { toleranceMs: -1 }, 'toleranceMs must be 0 or more'],
    ['headers that are none', { headers: 'a: b' }, 'headers must be an object'],
    ['headers in one flat list', { headers: ['a', 'b'] }, 'headers must be an object'],
    ['a body that was parsed', { body: {} }, 'the body is neither a string nor bytes'],
  ])('throws a UsageError for %s', (_, changes, message) => {
    expect(() => verdictOf(changes)).toThrow(entry.UsageError);
    expect(() => verdictOf(changes)).toThrow(message);
  });
});

/** The SHA-256 of the body. */
const digest = 'ae858931f67887e8150d6f96c9fe03062c1df36b4464c4ddc8e002c084d5d198';

function upper(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value]),
  );
}

function appended(): Headers {
  const headers = new Headers(signed);
  headers.append('webhook-signature', signed['webhook-signature']);
  return headers;
}
