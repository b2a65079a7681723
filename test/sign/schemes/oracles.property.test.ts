import { parse } from 'node:querystring';
import { verify as octokitVerify, sign as octokitSign } from '@octokit/webhooks-methods';
import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import Stripe from 'stripe';
import twilio from 'twilio';
import { expect, it } from 'vitest';
import { runs } from '../../helpers/property-runs.js';
import { preset, secret, signedBy, verdictOf } from './signing.js';

/** Any text: the libraries of senders take a body as a string. */
const body = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 300 });
/** The libraries take the present from the clock. */
const now = () => Date.now();
const numRuns = runs(400, 100);

it('Standard Webhooks: its library accepts our signature, and we accept its', () => {
  const library = new Webhook(secret);
  const id = fc.stringMatching(/^[\x21-\x2d\x2f-\x7e]{1,40}$/);
  fc.assert(
    fc.property(body, id, (text, messageId) => {
      const nowMs = now();
      const scheme = preset('standard-webhooks');
      const json = JSON.stringify({ text });
      const signed = signedBy(scheme, [secret], { body: Buffer.from(json), id: messageId, nowMs });
      expect(library.verify(json, recordOf(signed.headers))).toEqual({ text });
      const theirs = library.sign(messageId, new Date(nowMs), json);
      const headers = signed.headers.with(1, theirs);
      const verdict = verdictOf(headers, { scheme, body: Buffer.from(json), at: nowMs });
      expect(verdict.valid).toBe(true);
      expect(() => library.verify(`${json} `, recordOf(signed.headers))).toThrow();
    }),
    { numRuns },
  );
});

it('Svix: the library of Standard Webhooks accepts our signature, and we accept its', () => {
  const library = new Webhook(secret);
  const scheme = preset('svix');
  const unbranded = (name: string) => name.replace(/^svix-/, 'webhook-');
  fc.assert(
    fc.property(body, (text) => {
      const nowMs = now();
      const json = JSON.stringify({ text });
      const { headers } = signedBy(scheme, [secret], { body: Buffer.from(json), id: 'm', nowMs });
      const unlabelled = headers.map((one, index) => (index % 2 === 0 ? unbranded(one) : one));
      expect(library.verify(json, recordOf(unlabelled))).toEqual({ text });
      const theirs = library.sign('m', new Date(nowMs), json);
      for (const received of [headers, unlabelled].map((list) => list.with(1, theirs))) {
        const verdict = verdictOf(received, { scheme, body: Buffer.from(json), at: nowMs });
        expect(verdict).toMatchObject({ valid: true, scheme: 'svix' });
      }
    }),
    { numRuns },
  );
});

function recordOf(headers: readonly string[]): Record<string, string> {
  const pairs = headers.flatMap((name, index) =>
    index % 2 === 0 ? [[name, headers[index + 1]!] as const] : [],
  );
  return Object.fromEntries(pairs);
}

/** Bodies whose bytes a sender or receiver may change: escapes, and characters of several bytes. */
const escaped = [
  String.raw`{"a":"\u2665","b":"\"\\\/\n"}`,
  '{"a":"♥"}',
  '{"a":"\u2028\ud83d\ude00"}',
  '{\r\n\t"a": 1\r\n}\r\n',
];

it('GitHub: octokit accepts our signature, and we accept its', async () => {
  const scheme = preset('github');
  await fc.assert(
    fc.asyncProperty(body, async (text) => {
      const [, ours] = signedBy(scheme, [secret], { body: Buffer.from(text) }).headers;
      expect(await octokitVerify(secret, text, ours!)).toBe(true);
      const theirs = await octokitSign(secret, text);
      expect(verdictOf([scheme.header, theirs], { body: Buffer.from(text) }).valid).toBe(true);
      expect(theirs).toBe(ours);
      expect(await octokitVerify(secret, `${text}\n`, ours!)).toBe(false);
    }),
    { numRuns, examples: escaped.map((text) => [text]) },
  );
});

it('Stripe: its library accepts our signature, and we accept its', () => {
  const { webhooks } = new Stripe('sk_test_1');
  const scheme = preset('stripe');
  fc.assert(
    fc.property(body, (text) => {
      const nowMs = now();
      const payload = JSON.stringify({ text });
      const bytes = Buffer.from(payload);
      const [, ours] = signedBy(scheme, ['other', secret], { body: bytes, nowMs }).headers;
      expect(webhooks.constructEvent(payload, ours!, secret)).toEqual({ text });
      const timestamp = Math.floor(nowMs / 1000);
      const theirs = webhooks.generateTestHeaderString({ payload, secret, timestamp });
      const verdict = verdictOf([scheme.header, theirs], { body: bytes, at: nowMs });
      expect(verdict).toMatchObject({ valid: true, scheme: 'stripe' });
    }),
    { numRuns },
  );
});

it('Twilio: its library accepts our signature of JSON, and we accept its, on any port', () => {
  const scheme = preset('twilio');
  const path = fc.webPath();
  const origin = fc.constantFrom(
    ...[
      'https://a.example',
      'http://a.example:8080',
      'https://u:p@a.example:8443',
      'https://[::1]',
    ],
  );
  fc.assert(
    fc.property(body, origin, path, (text, host, where) => {
      const { headers, url } = signedBy(scheme, [secret], {
        body: Buffer.from(text),
        url: `${host}${where || '/'}?foo=1&bar=2`,
      });
      expect(twilio.validateRequestWithBody(secret, headers[1]!, url, text)).toBe(true);
      expect(verdictOf(headers, { url, body: Buffer.from(text) }).valid).toBe(true);
      const digest = twilio.getExpectedBodyHash(text);
      const theirUrl = `${host}${where || '/'}?bodySHA256=${digest}&x=1`;
      const theirs = twilio.getExpectedTwilioSignature(secret, theirUrl, {});
      const received = ['X-Twilio-Signature', theirs];
      expect(verdictOf(received, { url: theirUrl, body: Buffer.from(text) }).valid).toBe(true);
      const other = { url: theirUrl, body: Buffer.from(`${text} `) };
      expect(verdictOf(received, other).valid).toBe(false);
    }),
    { numRuns },
  );
});

/** Parts of a form in UTF-8, well encoded or not. `querystring` cannot read a broken escape beside `é`. */
const formPiece = fc.constantFrom(
  ...['a', 'b', 'A', '=', '&', '+', '%2B', '%20', ' ', '%26', '%3D', '%;', '%zz', '%25', '?', '{'],
  ...['%C3%A9', '%F0%9F%98%80', '%EF%BD%9E', '10', '9', '.', ';', '#', '\n'],
);

it('Twilio: its library accepts our signature of any form, which is the one that it makes', () => {
  const scheme = preset('twilio');
  const text = fc.array(formPiece, { maxLength: 30 }).map((parts) => parts.join(''));
  const name = fc.oneof(fc.constantFrom('a', 'b', '__proto__'), fc.string({ unit: 'grapheme' }));
  const value = fc.oneof(fc.constantFrom('', '1', '+ %'), fc.string({ unit: 'grapheme' }));
  const encoded = fc
    .array(fc.tuple(name, value), { maxLength: 8 })
    .map((fields) => String(new URLSearchParams(fields)));
  const type = fc.constantFrom(
    ...['application/x-www-form-urlencoded', 'application/x-www-form-urlencoded; charset=UTF-8'],
  );
  const url = fc.constantFrom(
    ...['https://a.example/b?foo=1&bar=2', 'http://u:p@a.example:8080/', 'https://[::1]/?'],
  );
  fc.assert(
    fc.property(fc.oneof(text, encoded), type, url, (form, contentType, to) => {
      const bytes = Buffer.from(form);
      const signed = signedBy(scheme, [secret], { body: bytes, url: to, contentType });
      const [, signature] = signed.headers;
      const params = { ...parse(form) };
      expect(signature).toBe(twilio.getExpectedTwilioSignature(secret, to, params));
      expect(signed.url).toBe(to);
      expect(twilio.validateRequest(secret, signature!, to, params)).toBe(true);
      const received = { url: to, body: bytes };
      const typed = [...signed.headers, 'Content-Type', contentType];
      expect(verdictOf(typed, received)).toEqual({ valid: true, scheme: 'twilio' });
      const asJson = [...signed.headers, 'Content-Type', 'application/json'];
      expect(verdictOf(asJson, received).reason).toBe('no_digest');
    }),
    { numRuns },
  );
});

it('Twilio: we accept the signature of forms, with repeated fields, logins and on any port', () => {
  const field = fc.string({ unit: 'grapheme', maxLength: 10 });
  const fields = fc.array(fc.tuple(field, field));
  const port = fc.constantFrom(...['', ':80', ':443', ':8443']);
  const origin = fc.tuple(fc.constantFrom('https:', 'http:'), fc.constantFrom('', 'user:pass@'));
  fc.assert(
    fc.property(fields, origin, port, port, (given, [scheme, login], signed, received) => {
      const form = new URLSearchParams(given);
      const params = Object.fromEntries([...form.keys()].map((key) => [key, form.getAll(key)]));
      const urlOn = (one: string) => `${scheme}//${login}a.example${one}/hook?foo=1`;
      const theirs = twilio.getExpectedTwilioSignature(secret, urlOn(signed), params);
      const options = { url: urlOn(received), body: Buffer.from(String(form)) };
      const isAccepted = verdictOf(['X-Twilio-Signature', theirs], options).valid;
      expect(isAccepted).toBe(twilio.validateRequest(secret, theirs, urlOn(received), params));
    }),
    { numRuns },
  );
});
