import { createHash, createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { UsageError } from '../../src/errors.js';
import { requestSigner } from '../../src/sign/request-signer.js';
import { presets } from '../../src/sign/schemes/index.js';
import { sign } from '../../src/sign/x-signature.js';
import { newSecret, nowMs, preset, request, secret, signedBy } from './schemes/signing.js';

const seconds = '1788264000';

describe('the headers of a scheme', () => {
  it('of x-signature are what sign gives, whatever the secret is', () => {
    for (const key of ['topsecret', 'whsec_x', Buffer.alloc(200, 1)]) {
      expect(signedBy(preset('x-signature'), [key]).headers).toEqual([
        'X-Signature',
        sign(request.body, key),
      ]);
    }
  });

  it.each([
    ['standard-webhooks', { 'webhook-id': 'm-1', 'webhook-timestamp': seconds }],
    ['svix', { 'svix-id': 'm-1', 'svix-timestamp': seconds }],
    ['github', {}],
    ['github-sha1', {}],
    ['stripe', {}],
    ['shopify', {}],
    ['slack', { 'X-Slack-Request-Timestamp': seconds }],
    ['hookdeck', {}],
    [
      'twitch',
      {
        'Twitch-Eventsub-Message-Id': 'm-1',
        'Twitch-Eventsub-Message-Timestamp': '2026-09-01T12:00:00.250Z',
      },
    ],
    ['convoy', {}],
    ['convoy-advanced', {}],
    ['twilio', {}],
  ])('of %s are the signature, first, and %j', (name, others) => {
    const scheme = preset(name);
    const [header, , ...rest] = signedBy(scheme).headers;
    expect(header).toBe(scheme.header);
    expect(rest).toEqual(Object.entries(others).flat());
  });

  it('are told beforehand, in lower case', () => {
    for (const scheme of presets.values()) {
      const signer = requestSigner({ scheme, secrets: [secret] }, '--secret');
      const sent = signer.sign(request).headers.map(([header]) => header.toLowerCase());
      expect(signer.headerNames).toEqual(expect.arrayContaining(sent));
    }
  });

  it('have the time of each attempt, where the scheme has one', () => {
    const timed = [...presets.values()].filter((scheme) => {
      const signer = requestSigner({ scheme, secrets: [secret] }, '--secret');
      const [first, second] = [nowMs, nowMs + 5000].map((at) =>
        signer.sign({ ...request, nowMs: at }),
      );
      const differs = JSON.stringify(first) !== JSON.stringify(second);
      expect(signer.hasTime).toBe(differs);
      return differs;
    });
    expect(timed.map(({ name }) => name)).toEqual([
      'standard-webhooks',
      'svix',
      'stripe',
      'slack',
      'twitch',
      'convoy-advanced',
    ]);
  });

  it('of stripe have the time in the value', () => {
    const [, value] = signedBy(preset('stripe')).headers;
    expect(value).toMatch(new RegExp(`^t=${seconds},v1=[0-9a-f]{64}$`));
  });
});

it('twilio sends the digest of the body in the query, in place of another one', () => {
  const digest = createHash('sha256').update(request.body).digest('hex');
  const urlOf = (url: string) => signedBy(preset('twilio'), [secret], { url }).url;
  expect(urlOf('https://a.example/b')).toBe(`https://a.example/b?bodySHA256=${digest}`);
  expect(urlOf('https://a.example/b?c=1')).toBe(`https://a.example/b?c=1&bodySHA256=${digest}`);
  expect(urlOf('https://a.example/b?bodySHA256=00&c=1#d')).toBe(
    `https://a.example/b?c=1&bodySHA256=${digest}#d`,
  );
});

describe('twilio, by the content type', () => {
  const scheme = preset('twilio');
  const body = Buffer.from('b=2&a=1');
  const url = 'https://a.example/b?c=1';
  const form = createHmac('sha1', secret).update(`${url}a1b2`).digest('base64');
  const signedAs = (contentType: string | undefined, to = url) =>
    signedBy(scheme, [secret], { body, url: to, contentType });

  it.each([
    'application/x-www-form-urlencoded',
    'Application/X-WWW-Form-Urlencoded',
    'application/x-www-form-urlencoded; charset=UTF-8',
    ' application/x-www-form-urlencoded ;charset=latin1',
  ])('signs the fields of a form: %s', (contentType) => {
    expect(signedAs(contentType)).toEqual({ headers: ['X-Twilio-Signature', form], url });
  });

  it.each([
    undefined,
    '',
    'application/json',
    'multipart/form-data; boundary=x',
    'text/plain; a=application/x-www-form-urlencoded',
    'application/x-www-form-urlencoded-2',
    'application/x-www-form-urlencoded, application/json',
    'application/x-www-form-urlencoded; charset=utf-8, application/json',
  ])('signs the digest of another body: %s', (contentType) => {
    const digest = createHash('sha256').update(body).digest('hex');
    const sent = `${url}&bodySHA256=${digest}`;
    const signature = createHmac('sha1', secret).update(sent).digest('base64');
    expect(signedAs(contentType)).toEqual({
      headers: ['X-Twilio-Signature', signature],
      url: sent,
    });
  });

  it('sends a form without the digest of another body, as which receivers would judge it', () => {
    const type = 'application/x-www-form-urlencoded';
    const expected = { headers: ['X-Twilio-Signature', form], url };
    expect(signedAs(type, 'https://a.example/b?bodySHA256=00&c=1')).toEqual(expected);
    expect(signedAs(type, 'https://a.example/b?bodySHA256=00').url).toBe('https://a.example/b');
    expect(signedAs(type, 'https://a.example/?&a?&').url).toBe('https://a.example/?&a?&');
  });
});

describe('the id', () => {
  const idOf = (id: string, name = 'standard-webhooks') =>
    signedBy(preset(name), [secret], { id }).headers[3];

  it.each(['m-1', 'api_1:2/3', '~!"{}'])('%j is sent as it is', (id) => {
    expect(idOf(id)).toBe(id);
  });

  it.each(['a.b', 'a b', 'ü', 'a\r\nb', '', '\u007f', 'a\tb'])('%j is replaced', (id) => {
    const digest = createHash('sha256').update(id, 'utf8').digest('hex');
    expect(idOf(id)).toBe(`msg_${digest.slice(0, 32)}`);
  });

  it('of two messages differs, also with control characters and lone surrogates', () => {
    const ids = ['a', 'a\0b', 'a\0c', 'a.b', '\ud800', '\udbff', '\ufffd', 'x\udc00'];
    const sent = ids.map((id) => idOf(id)!);
    expect(new Set(sent).size).toBe(ids.length);
    expect(sent.filter((id) => !/^[\x21-\x7e]+$/.test(id))).toEqual([]);
  });

  it('may have a dot where the scheme does not join with one', () => {
    expect(idOf('a.b', 'twitch')).toBe('a.b');
  });
});

describe('several secrets', () => {
  it.each(['standard-webhooks', 'svix', 'stripe', 'convoy-advanced'])(
    'are in one header of %s, in their order',
    (name) => {
      const scheme = preset(name);
      const [, both] = signedBy(scheme, [newSecret, secret]).headers;
      const [one, other] = [newSecret, secret].map((key) => signedBy(scheme, [key]).headers[1]!);
      const last = other!.split(scheme.separator!).at(-1)!;
      expect(both).toBe(`${one!}${scheme.separator!}${last}`);
    },
  );

  it('are in two headers of hookdeck', () => {
    const scheme = preset('hookdeck');
    const [one, other] = [newSecret, secret].map((key) => signedBy(scheme, [key]).headers[1]);
    expect(signedBy(scheme, [newSecret, secret]).headers).toEqual([
      'x-hookdeck-signature',
      one,
      'x-hookdeck-signature-2',
      other,
    ]);
  });

  it('may be of both versions of Standard Webhooks', () => {
    const privateKey = `whsk_${Buffer.alloc(32, 7).toString('base64')}`;
    const [, value] = signedBy(preset('standard-webhooks'), [secret, privateKey]).headers;
    expect(value).toMatch(/^v1,[\w+/]{43}= v1a,[\w+/]{86}==$/);
  });

  it.each([
    'x-signature',
    'github',
    'github-sha1',
    'shopify',
    'slack',
    'twitch',
    'convoy',
    'twilio',
  ])('are refused by %s', (name) => {
    expect(() => signedBy(preset(name), [newSecret, secret])).toThrow(
      `--secret: there are 2 secrets, but ${name} sends one signature; leave out the oldest`,
    );
  });

  it('are at most two for hookdeck', () => {
    expect(() => signedBy(preset('hookdeck'), [newSecret, secret, 'third'])).toThrow(
      'there are 3 secrets, but hookdeck sends two signatures',
    );
  });
});

describe('a secret', () => {
  const standard = preset('standard-webhooks');

  const bare = (text: string) => text.slice('whsec_'.length);

  it.each([
    ['without its prefix', bare(secret), secret],
    ['without padding, for URLs', newSecret.replace('=', '').replaceAll('+', '-'), newSecret],
    ['in bytes', Buffer.from(bare(secret), 'base64'), secret],
  ])('of Standard Webhooks may be %s', (_, key, same) => {
    expect(signedBy(standard, [key])).toEqual(signedBy(standard, [same]));
  });

  it('is named by its number if there are several', () => {
    const secrets = [secret, 'not base64!'];
    const sign = () => requestSigner({ scheme: standard, secrets }, '--secret-file');
    expect(sign).toThrow('--secret-file, number 2: the secret is not Base64');
  });

  it.each([
    ['not base64!', 'standard-webhooks needs the key in Base64, usually after whsec_'],
    ['whsec_', 'the secret has nothing after whsec_'],
    ['', 'the secret is empty'],
    ['whsk_AAAA', 'a private ed25519 key has 32 or 64 bytes, this one 3'],
    ['whpk_ZlN4eg7dSSqi0moX9hQUk3orrOouK3QVQSlJa248c/g=', 'a public key (whpk_) cannot sign'],
    ['whsk_not base64', 'the secret is not Base64'],
  ])('%j cannot be one of Standard Webhooks, and is not in the message', (key, message) => {
    const sign = () => requestSigner({ scheme: standard, secrets: [key] }, '--secret-file');
    expect(sign).toThrow(UsageError);
    expect(sign).toThrow(`--secret-file: `);
    expect(sign).toThrow(message);
    const bare = key.replace(/^wh..?.?_/, '');
    if (bare !== '') expect(sign).not.toThrow(bare);
  });

  it('of less than 24 bytes gives a warning', () => {
    const warningsOf = (key: string | Buffer) =>
      requestSigner({ scheme: standard, secrets: [key] }, '--secret').warnings;
    expect(warningsOf(secret)).toEqual([]);
    expect(warningsOf(Buffer.alloc(23))).toEqual([
      '--secret: the key of standard-webhooks has 23 bytes; use at least 24, since receivers may refuse it',
    ]);
  });

  it('is the whole text for Stripe', () => {
    const scheme = preset('stripe');
    expect(signedBy(scheme, [secret])).toEqual(signedBy(scheme, [Buffer.from(secret)]));
  });

  it('is needed', () => {
    expect(() => signedBy(preset('github'), [])).toThrow('--secret: no secret; github needs one');
  });
});

it('a scheme signs the same after it was copied to a thread', () => {
  for (const scheme of presets.values()) {
    expect(signedBy(structuredClone(scheme))).toEqual(signedBy(scheme));
  }
});

it('the presets cannot be changed', () => {
  for (const scheme of presets.values()) {
    expect(Object.isFrozen(scheme)).toBe(true);
    expect(Object.isFrozen(scheme.versions[0]!.secret)).toBe(true);
  }
});
