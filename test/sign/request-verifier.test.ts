import { createHash, createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { UsageError } from '../../src/errors.js';
import { requestVerifier } from '../../src/sign/request-verifier.js';
import { schemeKey, signatureCheck, signPieces } from '../../src/sign/scheme-key.js';
import { presets } from '../../src/sign/schemes/index.js';
import type { Scheme } from '../../src/sign/schemes/scheme.js';
import {
  newSecret,
  nowMs,
  preset,
  request,
  secret,
  signedBy,
  verdictOf,
} from './schemes/signing.js';

const all = [...presets.values()];
const seconds = Math.floor(nowMs / 1000);

describe('what a scheme signs', () => {
  it.each(all.map(({ name }) => name))('is accepted by %s, and by auto', (name) => {
    const scheme = preset(name);
    const { headers, url } = signedBy(scheme);
    expect(verdictOf(headers, { scheme, url })).toMatchObject({ valid: true, scheme: name });
    expect(verdictOf(headers, { url })).toMatchObject({ valid: true, scheme: name });
  });

  it.each(all.map(({ name }) => name))('is accepted by %s with any of several secrets', (name) => {
    const scheme = preset(name);
    const { headers, url } = signedBy(scheme);
    const secrets = [newSecret, 'whsec_b3RoZXItb3RoZXItb3RoZXItb3RoZXI=', secret];
    expect(verdictOf(headers, { scheme, url, secrets }).valid).toBe(true);
    expect(verdictOf(headers, { scheme, url, secrets: secrets.slice(0, 2) })).toMatchObject({
      valid: false,
      reason: 'mismatch',
    });
  });

  it.each(['standard-webhooks', 'svix', 'stripe', 'convoy-advanced', 'hookdeck'])(
    'with two secrets is accepted by %s with either',
    (name) => {
      const { headers } = signedBy(preset(name), [newSecret, secret]);
      for (const key of [newSecret, secret]) {
        expect(verdictOf(headers, { secrets: [key] })).toMatchObject({ valid: true, scheme: name });
      }
    },
  );

  it('tells id and time, valid or not', () => {
    const { headers } = signedBy(preset('twitch'));
    const said = { scheme: 'twitch', id: 'm-1', timestampMs: nowMs };
    expect(verdictOf(headers)).toEqual({ valid: true, ...said });
    expect(verdictOf(headers, { secrets: ['other'] })).toMatchObject({ valid: false, ...said });
  });

  it('is accepted in names of any case', () => {
    const { headers } = signedBy(preset('standard-webhooks'));
    const upper = headers.map((text, index) => (index % 2 === 0 ? text.toUpperCase() : text));
    expect(verdictOf(upper).valid).toBe(true);
  });
});

const hex = (letter: string) => letter.repeat(64);
const fits = (name: string) => signedBy(preset(name)).headers[1]!;
const id = ['webhook-id', 'm-1'];
const time = ['webhook-timestamp', String(seconds)];
const webhook = (value: string) => ['webhook-signature', value, ...id, ...time];
const stripe = (value: string) => ['Stripe-Signature', value];

/** Scheme, headers and reason. */
const broken: [title: string, scheme: string, headers: string[], reason: string][] = [
  ['no header', 'github', [], 'missing'],
  ['an empty header', 'github', ['X-Hub-Signature-256', ''], 'empty'],
  ['nothing after the label', 'github', ['X-Hub-Signature-256', 'sha256='], 'empty'],
  [
    'a header that came twice',
    'github',
    twice(['X-Hub-Signature-256', fits('github')]),
    'repeated',
  ],
  [
    'a header that was joined with itself',
    'github',
    ['X-Hub-Signature-256', `${fits('github')}, ${fits('github')}`],
    'repeated',
  ],
  ['another label', 'github', ['X-Hub-Signature-256', `sha512=${hex('a')}`], 'unknown_version'],
  ['no label', 'github', ['X-Hub-Signature-256', hex('a')], 'malformed'],
  ['letters that are not hex', 'github', ['X-Hub-Signature-256', `sha256=${hex('g')}`], 'not_hex'],
  ['half a byte', 'github', ['X-Hub-Signature-256', `sha256=${hex('a')}b`], 'not_hex'],
  ['too few bytes', 'github', ['X-Hub-Signature-256', 'sha256=abcd'], 'length'],
  ['space around', 'github', ['X-Hub-Signature-256', ` ${fits('github')}`], 'space'],
  ['a wrong signature', 'github', ['X-Hub-Signature-256', `sha256=${hex('a')}`], 'mismatch'],
  ['hex in place of Base64', 'shopify', ['X-Shopify-Hmac-Sha256', hex('a')], 'length'],
  ['no padding', 'shopify', ['X-Shopify-Hmac-Sha256', fits('shopify').slice(0, -1)], 'not_base64'],
  ['Base64 for URLs', 'shopify', ['X-Shopify-Hmac-Sha256', `${'-_'.repeat(21)}A=`], 'not_base64'],
  ['no time', 'stripe', stripe(`v1=${hex('a')}`), 'no_timestamp'],
  ['only a time', 'stripe', stripe(`t=${seconds}`), 'empty'],
  ['two times', 'stripe', stripe(`t=${seconds},${fits('stripe')}`), 'malformed'],
  ['a time of Infinity', 'stripe', stripe(`t=Infinity,v1=${hex('a')}`), 'bad_timestamp'],
  ['a time of NaN', 'stripe', stripe(`t=NaN,v1=${hex('a')}`), 'bad_timestamp'],
  ['a time with a fraction', 'stripe', stripe(`t=${seconds}.5,v1=${hex('a')}`), 'bad_timestamp'],
  ['a negative time', 'stripe', stripe(`t=-1,v1=${hex('a')}`), 'bad_timestamp'],
  ['a time with an exponent', 'stripe', stripe(`t=1e9,v1=${hex('a')}`), 'bad_timestamp'],
  [
    'a time with a zero before it',
    'stripe',
    stripe(`t=0${seconds},v1=${hex('a')}`),
    'bad_timestamp',
  ],
  ['an empty time', 'stripe', stripe(`t=,v1=${hex('a')}`), 'bad_timestamp'],
  ['a part without =', 'stripe', stripe(`${fits('stripe')},v1`), 'malformed'],
  ['an empty part', 'stripe', stripe(`${fits('stripe')},`), 'malformed'],
  ['a space after a comma', 'stripe', stripe(fits('stripe').replace(',', ', ')), 'repeated'],
  ['an unknown version alone', 'stripe', stripe(`t=${seconds},v0=${hex('a')}`), 'unknown_version'],
  ['an empty signature', 'stripe', stripe(`t=${seconds},v1=`), 'empty'],
  [
    'two lists that were joined',
    'stripe',
    stripe(`${fits('stripe')},${fits('stripe')}`),
    'malformed',
  ],
  ['an empty list', 'standard-webhooks', webhook(''), 'empty'],
  ['an item without a comma', 'standard-webhooks', webhook('v1'), 'malformed'],
  [
    'a valid signature beside an item without a comma',
    'standard-webhooks',
    webhook(`${fits('standard-webhooks')} v1`),
    'malformed',
  ],
  ['two spaces', 'standard-webhooks', webhook(`v1,a  ${fits('standard-webhooks')}`), 'malformed'],
  ['an unknown version', 'standard-webhooks', webhook('v9,AAAA'), 'unknown_version'],
  ['another version than the secret', 'standard-webhooks', webhook(v1a()), 'unknown_version'],
  ['not Base64', 'standard-webhooks', webhook('v1,!!!!'), 'not_base64'],
  [
    'values that were joined',
    'standard-webhooks',
    webhook(`v1,AAAA, ${fits('standard-webhooks')}`),
    'repeated',
  ],
  ['no id', 'standard-webhooks', webhook('v1,AAAA').toSpliced(2, 2), 'no_id'],
  ['no time', 'standard-webhooks', webhook('v1,AAAA').toSpliced(4, 2), 'no_timestamp'],
  ['two ids', 'standard-webhooks', [...webhook(fits('standard-webhooks')), ...id], 'repeated'],
  ['two times', 'standard-webhooks', [...webhook(fits('standard-webhooks')), ...time], 'repeated'],
  [
    'ids that were joined',
    'standard-webhooks',
    ['webhook-signature', 'v1,AAAA', 'webhook-id', 'm-1, m-1', ...time],
    'repeated',
  ],
  [
    'times that were joined',
    'standard-webhooks',
    ['webhook-signature', fits('standard-webhooks'), ...id, 'webhook-timestamp', '1, 1'],
    'repeated',
  ],
  ['no URL', 'twilio', ['X-Twilio-Signature', fits('twilio')], 'no_url'],
  ['uppercase', 'x-signature', ['X-Signature', fits('x-signature').toUpperCase()], 'uppercase'],
  ['a prefix', 'x-signature', ['X-Signature', `sha1=${fits('x-signature')}`], 'prefix'],
  ['another digest', 'x-signature', ['X-Signature', hex('a')], 'length'],
  ['nothing', 'x-signature', ['X-Signature', ''], 'empty'],
  [
    'values that were joined',
    'x-signature',
    ['X-Signature', `${fits('x-signature')}, ${fits('x-signature')}`],
    'repeated',
  ],
];

function twice(headers: string[]): string[] {
  return [...headers, ...headers];
}

/** The header of Twilio for a form with one field. */
function twilioForm(text: string): string[] {
  const [[name, value] = ['', '']] = [...new URLSearchParams(text)];
  const signature = createHmac('sha1', secret).update(`${request.url}${name}${value}`);
  return ['X-Twilio-Signature', signature.digest('base64')];
}

function v1a(): string {
  return `v1a,${Buffer.alloc(64).toString('base64')}`;
}

describe('a request is not valid', () => {
  it.each(broken)('with %s (%s)', (_, name, headers, reason) => {
    const verifier = requestVerifier({ scheme: preset(name), secrets: [secret] });
    const verdict = verifier.verify({ headers, body: request.body }, nowMs);
    expect(verdict).toMatchObject({ valid: false, scheme: name, reason });
    expect(verdict.hint).toMatch(/^[^\n]{20,}; [^\n]{8,}$/);
    expect(verdict.hint).not.toContain(secret);
  });

  it('with a signature of characters that only look alike once they are cut to a byte', () => {
    const scheme = preset('x-signature');
    const { headers } = signedBy(scheme);
    const [name = '', value = ''] = headers;
    const changed = value.replace(/./, (first) => String.fromCharCode(first.charCodeAt(0) + 0x100));
    expect(verdictOf([name, changed], { scheme })).toMatchObject({
      valid: false,
      reason: 'not_hex',
    });
  });

  it('without a signature of any scheme', () => {
    expect(verdictOf(['Content-Type', 'application/json'])).toMatchObject({
      valid: false,
      scheme: null,
      reason: 'missing',
    });
  });
});

describe('hex in uppercase', () => {
  const upper = (headers: string[]) =>
    headers.with(
      1,
      headers[1]!.replace(/[0-9a-f]{40,}/, (digits) => digits.toUpperCase()),
    );

  it.each(['github', 'github-sha1'])('is accepted by %s', (name) => {
    expect(verdictOf(upper(signedBy(preset(name)).headers))).toEqual({ valid: true, scheme: name });
  });

  const own: Scheme = { ...preset('github'), name: 'acme', header: 'X-Acme' };
  const others = all.filter(
    ({ name, versions }) => versions[0]!.encoding === 'hex' && !name.startsWith('github'),
  );

  it.each([...others, own])('is refused by $name', (scheme) => {
    const verdict = verdictOf(upper(signedBy(scheme).headers), { own: [own] });
    expect(verdict).toMatchObject({ valid: false, scheme: scheme.name, reason: 'uppercase' });
    expect(verdict.hint).toMatch(/lowercase/);
  });

  it('beside a signature in lowercase is skipped', () => {
    const value = `${fits('stripe')},v1=${hex('A')}`;
    expect(verdictOf(stripe(value)).valid).toBe(true);
  });
});

describe('a list', () => {
  it.each([
    ['in another order', (parts: string[]) => parts.toReversed()],
    ['with another version', (parts: string[]) => [...parts, `v0=${hex('a')}`]],
    ['with a signature that does not fit', (parts: string[]) => [`v1=${hex('a')}`, ...parts]],
    ['with a signature that is cut', (parts: string[]) => [...parts, 'v1=abcd']],
  ])('of Stripe is accepted %s', (_, change) => {
    const value = change(fits('stripe').split(',')).join(',');
    expect(verdictOf(stripe(value)).valid).toBe(true);
  });

  it('of Standard Webhooks is accepted with unknown versions', () => {
    const value = `v9,x ${fits('standard-webhooks')} ${v1a()}`;
    expect(verdictOf(webhook(value)).valid).toBe(true);
  });
});

describe('the time', () => {
  const minutes = (count: number) => count * 60_000;

  it.each([
    ['standard-webhooks', 5, 5],
    ['svix', 5, 5],
    ['slack', 5, 5],
    ['stripe', 5, Infinity],
    ['convoy-advanced', 5, Infinity],
    ['twitch', 10, Infinity],
    ['github', Infinity, Infinity],
  ])('of %s may be %d minutes ago, and %d ahead', (name, past, ahead) => {
    const { headers } = signedBy(preset(name));
    const reasonAt = (at: number) => verdictOf(headers, { at }).reason;
    if (past < Infinity) {
      expect(reasonAt(nowMs + minutes(past))).toBeUndefined();
      expect(reasonAt(nowMs + minutes(past) + 1000)).toBe('expired');
    } else {
      expect(reasonAt(nowMs + minutes(1e6))).toBeUndefined();
    }
    if (ahead < Infinity) {
      expect(reasonAt(nowMs - minutes(ahead))).toBeUndefined();
      expect(reasonAt(nowMs - minutes(ahead) - 1000)).toBe('future');
    } else {
      expect(reasonAt(nowMs - minutes(1e6))).toBeUndefined();
    }
  });

  it('is judged by another tolerance, or not at all', () => {
    const { headers } = signedBy(preset('stripe'));
    const reasonOf = (toleranceMs: number | null, at: number) =>
      verdictOf(headers, { toleranceMs, at }).reason;
    expect(reasonOf(1000, nowMs + 1000)).toBeUndefined();
    expect(reasonOf(1000, nowMs + 2000)).toBe('expired');
    expect(reasonOf(minutes(60), nowMs + minutes(59))).toBeUndefined();
    expect(reasonOf(null, nowMs + minutes(1e6))).toBeUndefined();
  });

  it.each([
    ['stripe', 3_723_000, 'the signature is 1 h 2 min old, above the tolerance of 5 min;'],
    ['stripe', 301_000, 'the signature is 5 min 1 s old, above the tolerance of 5 min;'],
    ['twitch', 600_001, 'the signature is 10 min 1 ms old, above the tolerance of 10 min;'],
    ['slack', -90_061_000, 'is 1 d 1 h ahead of this clock, above the tolerance of 5 min;'],
  ])('of %s that is %d ms off is told in words', (name, ageMs, said) => {
    const { headers } = signedBy(preset(name));
    expect(verdictOf(headers, { at: nowMs + ageMs }).hint).toContain(said);
  });

  it('of a signature that does not match is not the reason', () => {
    const { headers } = signedBy(preset('stripe'), ['other']);
    expect(verdictOf(headers, { at: nowMs + minutes(60) }).reason).toBe('mismatch');
  });

  it.each([
    ['2026-09-01T12:00:00Z', true],
    ['2026-09-01T14:00:00.123456789+02:00', true],
    ['2026-09-01t12:00:00z', true],
    ['2026-02-30T12:00:00Z', false],
    ['2026-09-01T25:00:00Z', false],
    ['2026-09-01T12:00:00', false],
    ['2026-09-01', false],
    ['1788264000', false],
  ])('%s of Twitch is read: %s', (text, isTime) => {
    const { headers } = signedBy(preset('twitch'));
    const verdict = verdictOf([...headers.slice(0, 5), text]);
    expect(verdict.reason).toBe(isTime ? 'mismatch' : 'bad_timestamp');
    expect(verdict.timestampMs !== undefined).toBe(isTime);
  });
});

describe('auto', () => {
  it('takes the header of GitHub with SHA-256, though the one with SHA-1 fits', () => {
    const weak = signedBy(preset('github-sha1')).headers;
    expect(verdictOf(weak)).toMatchObject({ valid: true, scheme: 'github-sha1' });
    const verdict = verdictOf([...weak, 'X-Hub-Signature-256', `sha256=${hex('a')}`]);
    expect(verdict).toMatchObject({ valid: false, scheme: 'github', reason: 'mismatch' });
  });

  it.each([
    [fits('convoy'), 'convoy'],
    [fits('convoy-advanced'), 'convoy-advanced'],
    [`v1=${hex('a')}`, 'convoy-advanced'],
    [hex('a'), 'convoy'],
  ])('tells the header %j of Convoy by v1=', (value, scheme) => {
    expect(verdictOf(['X-Convoy-Signature', value]).scheme).toBe(scheme);
  });

  it('passes over a secret that is not in the form of the scheme, while others remain', () => {
    const { headers } = signedBy(preset('standard-webhooks'));
    expect(verdictOf(headers, { secrets: ['not base64!', secret] }).valid).toBe(true);
    expect(verdictOf(headers, { secrets: ['not base64!'] })).toMatchObject({
      valid: false,
      scheme: 'standard-webhooks',
      reason: 'mismatch',
      hint: expect.stringContaining('not Base64') as string,
    });
  });

  it('judges by the other scheme, if no secret is in the form of the first', () => {
    const [headers, other] = ['standard-webhooks', 'github'].map(
      (name) => signedBy(preset(name), [name === 'github' ? 'not base64!' : secret]).headers,
    );
    const verdict = verdictOf([...headers!, ...other!], { secrets: ['not base64!'] });
    expect(verdict).toEqual({ valid: true, scheme: 'github' });
  });

  it('lets own schemes take part', () => {
    const own: Scheme = { ...preset('github'), name: 'acme', header: 'X-Signature' };
    const { headers } = signedBy(own);
    expect(verdictOf(headers).valid).toBe(false);
    expect(verdictOf(headers, { own: [own] })).toEqual({ valid: true, scheme: 'acme' });
    const plain = signedBy(preset('x-signature')).headers;
    expect(verdictOf(plain, { own: [own] })).toEqual({ valid: true, scheme: 'x-signature' });
  });
});

describe('the scheme of another header', () => {
  it.each([
    ['stripe', 'github'],
    ['github', 'stripe'],
    ['svix', 'x-signature'],
    ['convoy', 'convoy-advanced'],
    ['convoy-advanced', 'convoy'],
    ['slack', 'standard-webhooks'],
  ])('is named: %s, where %s is expected', (sent, expected) => {
    const verdict = verdictOf(signedBy(preset(sent)).headers, { scheme: preset(expected) });
    expect(verdict).toMatchObject({ valid: false, scheme: expected, reason: 'scheme_mismatch' });
    expect(verdict.hint).toContain(`belongs to the scheme ${sent};`);
  });

  it('may be an own one', () => {
    const own: Scheme = { ...preset('github'), name: 'acme', header: 'X-Acme' };
    const { headers } = signedBy(own);
    const verdict = verdictOf(headers, { scheme: preset('github'), own: [own] });
    expect(verdict.hint).toContain('X-Acme');
  });
});

describe('svix', () => {
  it('accepts its headers under the names of Standard Webhooks', () => {
    const { headers } = signedBy(preset('standard-webhooks'));
    expect(verdictOf(headers, { scheme: preset('svix') })).toMatchObject({
      valid: true,
      scheme: 'svix',
    });
  });

  it('does not mix both families', () => {
    const { headers } = signedBy(preset('svix'));
    const mixed = headers.map((text) => text.replace('svix-id', 'webhook-id'));
    expect(verdictOf(mixed, { scheme: preset('svix') }).reason).toBe('no_id');
  });
});

describe('hookdeck', () => {
  it('accepts the second header alone, and neither twice', () => {
    const { headers } = signedBy(preset('hookdeck'), [newSecret, secret]);
    expect(verdictOf(headers.slice(2)).valid).toBe(true);
    expect(verdictOf([...headers, ...headers.slice(2)]).reason).toBe('repeated');
  });
});

describe('twilio', () => {
  const scheme = preset('twilio');

  it.each([
    ['https://a.example/b', 'https://a.example:443/b'],
    ['https://a.example:443/b', 'https://a.example/b'],
    ['http://a.example:80/b', 'http://a.example/b'],
    ['https://user:pw@a.example/b', 'https://user:pw@a.example:443/b'],
    ['https://[::1]/b', 'https://[::1]:443/b'],
  ])('accepts a signature of %s for %s', (signed, received) => {
    const { headers, url } = signedBy(scheme, [secret], { url: signed });
    const query = url.slice(url.indexOf('?'));
    expect(verdictOf(headers, { url: received + query })).toMatchObject({ valid: true });
  });

  it.each([
    ['is not UTF-8', 'a=\ufffd', Buffer.from('a=\xff', 'latin1')],
    ['has escapes that are not UTF-8', 'a=%EF%BF%BD', Buffer.from('a=%FF')],
    [
      'has half a character, and its rest escaped',
      'a=\ufffd\ufffd',
      Buffer.from('a=\xc3%A9', 'latin1'),
    ],
  ])('refuses a form that %s', (_, text, body) => {
    const signed = twilioForm(text);
    expect(verdictOf(signed, { scheme, body: Buffer.from(text) }).valid).toBe(true);
    expect(verdictOf(signed, { scheme, body }).reason).toBe('mismatch');
  });

  it('accepts a form with characters beyond ASCII, escaped or not', () => {
    const signed = twilioForm('a=é+b');
    for (const text of ['a=é+b', 'a=%C3%A9%20b']) {
      expect(verdictOf(signed, { scheme, body: Buffer.from(text) }).valid).toBe(true);
    }
  });

  it('takes a value that a form has twice once, as the sender does', () => {
    const body = Buffer.from('a=1&b=2&a=1&a=0');
    expect(verdictOf(twilioForm('a=0a1b2'), { scheme, body }).valid).toBe(true);
  });

  it('takes a question mark at the beginning for a part of the first name, as the sender does', () => {
    const signed = twilioForm('%3Fa=1');
    expect(verdictOf(signed, { scheme, body: Buffer.from('?a=1') }).valid).toBe(true);
    expect(verdictOf(twilioForm('a=1'), { scheme, body: Buffer.from('?a=1') }).valid).toBe(false);
  });

  describe('by the Content-Type', () => {
    const form = Buffer.from('a=1');
    const json = Buffer.from('{"a":1}');
    const type = 'application/x-www-form-urlencoded';
    /** The signature that a form with the bytes of this body has. */
    const asForm = (body: Buffer) => twilioForm(body.toString());
    const typed = (...types: string[]) => types.flatMap((one) => ['content-type', one]);

    it.each([
      ['a form', form, typed(type)],
      ['a form with a charset', form, typed(`${type.toUpperCase()}; charset=utf-8`)],
      ['a form without one', form, []],
      ['a form with an empty one', form, typed('')],
      ['an empty body without one', Buffer.alloc(0), []],
    ])('accepts the signature of the fields for %s', (_, body, headers) => {
      expect(verdictOf([...asForm(body), ...headers], { scheme, body }).valid).toBe(true);
    });

    it.each([
      ['JSON', json, typed('application/json')],
      ['JSON without one', json, []],
      ['JSON after spaces, without one', Buffer.from('\ufeff \n[{"a":1}]'), []],
      ['fields that are sent as JSON', form, typed('application/json; charset=utf-8')],
      ['fields that are sent as a file', form, typed('multipart/form-data; boundary=a')],
      ['fields with two types', form, typed(type, 'application/json')],
      ['fields with two types and a charset', form, typed(`${type}; a=b`, 'application/json')],
      ['an empty body as JSON', Buffer.alloc(0), typed('application/json')],
    ])('refuses it for %s, whose URL has no digest', (_, body, headers) => {
      const verdict = verdictOf([...asForm(body), ...headers], { scheme, body });
      expect(verdict).toMatchObject({ valid: false, reason: 'no_digest' });
    });

    it('refuses the signature of the URL alone for any body', () => {
      const signed = twilioForm('');
      for (const headers of [[], typed(type), typed('application/json')]) {
        for (const body of [form, json]) {
          expect(verdictOf([...signed, ...headers], { scheme, body }).valid).toBe(false);
        }
      }
    });

    it('is of no importance where the URL has the digest of the body', () => {
      const { headers, url } = signedBy(scheme, [secret], { body: json });
      for (const more of [[], typed(type), typed('application/json'), typed('text/plain')]) {
        expect(verdictOf([...headers, ...more], { url, body: json }).valid).toBe(true);
        expect(verdictOf([...headers, ...more], { url, body: form }).reason).toBe('mismatch');
      }
    });

    it('judges what was signed with the same one', () => {
      for (const contentType of [type, 'application/json', 'text/plain']) {
        for (const body of [form, json]) {
          const { headers, url } = signedBy(scheme, [secret], { body, contentType });
          const received = [...headers, ...typed(contentType)];
          expect(verdictOf(received, { url, body }).valid).toBe(true);
        }
      }
    });
  });

  it.each([0, 8, 63])(
    'refuses a URL with %i characters of the digest, whatever signed it',
    (length) => {
      const { body } = request;
      const digest = createHash('sha256').update(body).digest('hex').slice(0, length);
      const url = `https://a.example/b?bodySHA256=${digest}`;
      const signature = createHmac('sha1', secret).update(url).digest('base64');
      const headers = ['X-Twilio-Signature', signature];
      expect(verdictOf(headers, { scheme, url, body }).reason).toBe('mismatch');
    },
  );

  it('refuses another body', () => {
    const { headers, url } = signedBy(scheme);
    expect(verdictOf(headers, { url, body: Buffer.from('{}') }).reason).toBe('mismatch');
  });
});

describe('own schemes', () => {
  const own: Scheme = {
    name: 'acme',
    content: '{method} {url}\n{body}',
    versions: [
      { digest: 'sha512', encoding: 'base64', secret: { encoding: 'utf8' }, item: '{signature}' },
    ],
    header: 'X-Acme',
    value: '{timestamp}:{signatures}',
    timestamp: { header: 'X-Acme-Time', format: 'ms' },
    judgesFuture: true,
  };

  it('may have the time in the value and in a header, which must be equal', () => {
    const { headers } = signedBy(own);
    expect(verdictOf(headers, { scheme: own })).toMatchObject({ valid: true, timestampMs: nowMs });
    const other = headers.with(3, String(nowMs + 1));
    expect(verdictOf(other, { scheme: own }).reason).toBe('bad_timestamp');
  });

  it('may sign method and URL', () => {
    const { headers } = signedBy(own);
    const reasonOf = (changes: object) =>
      requestVerifier({ scheme: own, secrets: [secret] }).verify(
        { headers, body: request.body, url: request.url, ...changes },
        nowMs,
      ).reason;
    expect(reasonOf({})).toBeUndefined();
    expect(reasonOf({ method: 'PUT' })).toBe('mismatch');
    expect(reasonOf({ url: `${request.url}&b=2` })).toBe('mismatch');
    expect(reasonOf({ url: undefined })).toBe('no_url');
  });

  it('may sign with ed25519, and be verified with the private key or the public one', () => {
    const scheme: Scheme = {
      ...preset('github'),
      name: 'acme',
      versions: [
        {
          digest: 'ed25519',
          encoding: 'hex',
          secret: { encoding: 'base64' },
          item: 'ed={signature}',
        },
      ],
    };
    const key = 'VEVTVFNJR05JTkdLRVlET05PVFVTRVRISVNGT1JBTlk=';
    const { headers } = signedBy(scheme, [key]);
    const publicKey = 'whpk_ZlN4eg7dSSqi0moX9hQUk3orrOouK3QVQSlJa248c/g=';
    for (const one of [key, `whsk_${key}`, publicKey]) {
      expect(verdictOf(headers, { scheme, secrets: [one] }).valid).toBe(true);
    }
    expect(
      verdictOf(headers, { scheme, secrets: [Buffer.alloc(32).toString('base64')] }).reason,
    ).toBe('mismatch');
  });
});

describe('the secrets of a verifier', () => {
  it('must be in the form of the scheme', () => {
    const verifier = (...secrets: string[]) =>
      requestVerifier({ scheme: preset('standard-webhooks'), secrets });
    expect(() => verifier(secret, 'not base64!')).toThrow(UsageError);
    expect(() => verifier()).toThrow('no secret');
    expect(() => verifier('')).toThrow('the secret is empty');
    expect(() => requestVerifier({ scheme: 'auto', secrets: [''] })).toThrow('the secret is empty');
  });

  it('give a warning when they are short', () => {
    const { warnings } = requestVerifier({
      scheme: preset('svix'),
      secrets: [secret, 'whsec_c2hvcnQ='],
    });
    expect(warnings).toEqual([expect.stringContaining('has 5 bytes; use at least 24')]);
  });
});

it('an X-Signature that came twice is not valid, even if both are right', () => {
  const { headers } = signedBy(preset('x-signature'));
  for (const scheme of [preset('x-signature'), 'auto' as const]) {
    expect(verdictOf(twice(headers), { scheme }).reason).toBe('repeated');
  }
});

it('of two times that differ none is told', () => {
  const scheme: Scheme = {
    ...preset('stripe'),
    name: 'acme',
    timestamp: { header: 'X-Time', format: 'seconds' },
  };
  const { headers } = signedBy(scheme);
  const differing = headers.map((text) => (text === String(seconds) ? String(seconds - 1) : text));
  const verdict = verdictOf(differing, { scheme });
  expect(verdict).toMatchObject({ valid: false, reason: 'bad_timestamp' });
  expect(verdict).not.toHaveProperty('timestampMs');
});

it('a part of a signature is not compared', () => {
  const key = schemeKey(preset('github'), secret, 'verify', '');
  const whole = Buffer.from(signPieces(key, ['text']), 'hex');
  const fits = signatureCheck(key, ['text']);
  expect(fits(whole)).toBe(true);
  for (const length of [0, 1, 31]) expect(fits(whole.subarray(0, length))).toBe(false);
  expect(fits(Buffer.concat([whole, Buffer.alloc(1)]))).toBe(false);
});
