import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { explainVerdict } from '../../../src/sign/explain/explain-verdict.js';
import { requestSigner } from '../../../src/sign/request-signer.js';
import { requestVerifier, type RequestToVerify } from '../../../src/sign/request-verifier.js';
import { presets } from '../../../src/sign/schemes/index.js';
import type { Scheme } from '../../../src/sign/schemes/scheme.js';

const nowMs = 1_700_000_000_000;
const seconds = nowMs / 1000;
const whsec = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const key = Buffer.from(whsec.slice(6), 'base64');
const body = '{"a": 1}';
const url = 'https://example.com/hook?a=1';

interface Sent {
  readonly scheme: string;
  readonly secret?: string;
  readonly body?: string | Buffer;
  readonly atMs?: number;
}

/** The headers of a request that a sender has signed. */
function sent({ scheme, secret = whsec, body: text = body, atMs = nowMs }: Sent): string[] {
  const signer = requestSigner({ scheme: presets.get(scheme)!, secrets: [secret] }, '--secret');
  const values = { id: 'msg_1', nowMs: atMs, method: 'POST', url };
  return signer.sign({ ...values, body: Buffer.from(text) }).headers.flat();
}

interface Judged {
  readonly headers: readonly string[];
  readonly scheme?: Scheme | 'auto';
  readonly secrets?: readonly string[];
  readonly request?: Partial<RequestToVerify>;
  readonly isLive?: boolean;
}

/** What is said of a request that is judged with the body and the secret of this page. */
function explained(given: Judged): string {
  const { headers, scheme = 'auto', secrets = [whsec], request = {}, isLive = false } = given;
  const judged: RequestToVerify = { headers, body: Buffer.from(body), ...request };
  const verdict = requestVerifier({ scheme, secrets }).verify(judged, nowMs);
  expect(verdict.valid).toBe(false);
  const { message } = explainVerdict(judged, verdict, { secrets, nowMs, isLive });
  for (const secret of secrets) expect(message).not.toContain(secret.replace(/^whsec_/, ''));
  return message;
}

const hmacSchemes = [...presets.values()].filter(({ special }) => special === undefined);

describe.each(hmacSchemes)('mistakes with $name', ({ name: scheme }) => {
  it.each<[said: RegExp, signed: string | Buffer]>([
    [/the body has an extra trailing newline \(LF\)/, `${body}\n`],
    [/the body has an extra trailing newline \(CRLF\)/, `${body}\r\n`],
    [/the body has a byte order mark before it/, `\ufeff${body}`],
    [/the body is its JSON written again, minified/, '{"a":1}'],
    [/the body is empty/, ''],
  ])('%s', (said, signed) => {
    expect(explained({ headers: sent({ scheme, body: signed }) })).toMatch(said);
  });

  it('none that fits', () => {
    const headers = sent({ scheme, secret: 'whsec_b3RoZXIgc2VjcmV0IG90aGVyIHNlY3JldA==' });
    expect(explained({ headers })).toMatch(
      /most likely the secret differs or the body was changed/,
    );
  });

  it('any of several secrets is tried', () => {
    const headers = sent({ scheme, body: `${body}\n` });
    const secrets = ['whsec_b3RoZXIgc2VjcmV0IG90aGVyIHNlY3JldA==', whsec];
    expect(explained({ headers, secrets })).toMatch(/extra trailing newline/);
  });
});

/** Headers of Standard Webhooks with a signature of the given bytes. */
function standard(content: string, secret: string | Buffer, digest = 'sha256'): string[] {
  const signature = createHmac(digest, secret).update(content).digest('base64');
  const value = `v1,${signature}`;
  return ['webhook-id', 'msg_1', 'webhook-timestamp', `${seconds}`, 'webhook-signature', value];
}

/** The header of Stripe with such a signature. */
function stripe(content: string, secret: string | Buffer): string[] {
  const signature = createHmac('sha256', secret).update(content).digest('hex');
  return ['Stripe-Signature', `t=${seconds},v1=${signature}`];
}

const content = `msg_1.${seconds}.${body}`;

describe('the secret', () => {
  it.each<[said: RegExp, headers: string[]]>([
    [/taken as text, with its prefix whsec_: make the signer decode/, standard(content, whsec)],
    [/taken as text without its prefix/, standard(content, whsec.slice(6))],
    [/together with its prefix/, standard(content, Buffer.from(whsec, 'base64'))],
    [/decoded from base64 without its whsec_ prefix/, stripe(`${seconds}.${body}`, key)],
    [/text without its whsec_ prefix/, stripe(`${seconds}.${body}`, whsec.slice(6))],
    [/the secret is empty/, standard(content, '')],
  ])('%s', (said, headers) => {
    expect(explained({ headers })).toMatch(said);
  });

  it('that is no Base64 may have been taken as text', () => {
    const secrets = ['not base64!'];
    const headers = standard(content, secrets[0]!);
    expect(explained({ headers, secrets })).toMatch(/the secret is taken as text: make the signer/);
  });
});

describe('what is signed', () => {
  it.each<[said: RegExp, headers: string[]]>([
    [/signed is the body alone, as x-signature and github sign it/, standard(body, key)],
    [/signed is \{timestamp\}\.\{body\}, as stripe signs it/, standard(`${seconds}.${body}`, key)],
    [/as stripe signs it, and the secret is taken/, standard(`${seconds}.${body}`, whsec)],
    [
      /signed is v0:\{timestamp\}:\{body\}, as slack signs it/,
      stripe(`v0:${seconds}:${body}`, whsec),
    ],
    [/signed time is in milliseconds/, standard(`msg_1.${seconds}000.${body}`, key)],
    [/HMAC-SHA1 instead of HMAC-SHA256: use HMAC-SHA256/, standard(content, key, 'sha1')],
  ])('%s', (said, headers) => {
    expect(explained({ headers })).toMatch(said);
  });
});

describe('the form of a signature', () => {
  const hex = createHmac('sha256', whsec).update(body).digest('hex');
  const base64 = createHmac('sha256', whsec).update(body).digest('base64');

  it.each<[said: RegExp, header: string, value: string]>([
    [/fits when sha256= is put before it/, 'X-Hub-Signature-256', hex],
    [/it is read as base64: write it in lowercase hex/, 'X-Hub-Signature-256', `sha256=${base64}`],
    [/it is read as hex: write it in base64/, 'X-Shopify-Hmac-Sha256', hex],
    [/it is padded with =/, 'X-Shopify-Hmac-Sha256', base64.replace('=', '')],
    [/prefix with the name of the digest is removed/, 'X-Shopify-Hmac-Sha256', `sha256=${base64}`],
  ])('%s', (said, header, value) => {
    expect(explained({ headers: [header, value] })).toMatch(said);
  });
});

describe('the time', () => {
  const hour = 3_600_000;
  it.each<[said: RegExp, atMs: number]>([
    [/signed 10 min before .*; the clock of the sender is behind, or the request/, nowMs - 600_000],
    [/signed 10 min 5 s after .*; the clock of the sender is ahead/, nowMs + 605_000],
    [/signed 2 h before .*; whole hours are most likely a time zone/, nowMs - 2 * hour],
    [/signed 3 d 2 h before/, nowMs - 74 * hour - 5000],
    [/only its time does not: it is in milliseconds; send seconds/, nowMs * 1000],
  ])('%s', (said, atMs) => {
    expect(explained({ headers: sent({ scheme: 'slack', atMs }) })).toMatch(said);
  });
});

describe('the time of a request that is judged when it arrives', () => {
  const day = 86_400_000;
  it.each<[said: RegExp, atMs: number]>([
    [/the request is old: set the clocks by a time server, or send it again/, nowMs - 600_000],
    [/ours is behind: set both by a time server$/, nowMs + 605_000],
    [/the request is old: send it again, signed anew$/, nowMs - 3 * day],
  ])('%s', (said, atMs) => {
    const message = explained({ headers: sent({ scheme: 'slack', atMs }), isLive: true });
    expect(message).toMatch(said);
    expect(message).not.toContain('--');
  });
});

describe('the header of another sender', () => {
  it('is named, and whether the secret fits it', () => {
    const github = presets.get('github')!;
    expect(explained({ headers: sent({ scheme: 'stripe' }), scheme: github })).toMatch(
      /belongs to the scheme stripe.*valid with the same secret/,
    );
    const other = sent({ scheme: 'stripe', secret: 'another' });
    expect(explained({ headers: other, scheme: github })).not.toContain('valid with');
  });
});

describe('what has no HMAC of the body', () => {
  const form = 'application/x-www-form-urlencoded';
  const json = 'application/json';

  it.each<[said: RegExp, url: string]>([
    [/the signed URL begins with https/, url.replace('https', 'http')],
    [/none of the common mistakes fits/, 'https://other.example/'],
  ])('twilio: %s', (said, seen) => {
    const signed = requestSigner({ scheme: presets.get('twilio')!, secrets: [whsec] }, '').sign({
      ...{ body: Buffer.from(body), id: '', nowMs, method: 'POST', url },
    });
    const request = { url: seen + new URL(signed.url!).search.replace('?a=1', '') };
    expect(explained({ headers: signed.headers.flat(), request })).toMatch(said);
  });

  it.each<[said: RegExp, signedAs: string | undefined, sentAs: string[]]>([
    [/fits when the body is a form: send it with Content-Type: application/, form, [json]],
    [/fits when the body is a form/, form, []],
    [/fits when the signed URL has bodySHA256 in its query/, json, [json]],
    [/fits when the signed URL has bodySHA256 in its query/, undefined, [form]],
  ])('twilio: %s', (said, signedAs, sentAs) => {
    const signed = requestSigner({ scheme: presets.get('twilio')!, secrets: [whsec] }, '').sign({
      ...{ body: Buffer.from(body), id: '', nowMs, method: 'POST', url, contentType: signedAs },
    });
    const types = sentAs.flatMap((type) => ['content-type', type]);
    expect(explained({ headers: [...signed.headers.flat(), ...types], request: { url } })).toMatch(
      said,
    );
  });

  it('twilio: the fields of a form were not signed', () => {
    const value = createHmac('sha1', whsec).update(url).digest('base64');
    const headers = ['X-Twilio-Signature', value, 'content-type', form];
    expect(explained({ headers, request: { url } })).toMatch(/fits when the URL is signed alone/);
  });

  it('twilio: what is missing in the URL, where nothing fits', () => {
    const headers = ['X-Twilio-Signature', `${'a'.repeat(26)}A=`, 'content-type', json];
    const found = explained({ headers, request: { url } });
    expect(found).toMatch(/the URL has no bodySHA256; .*none of the common mistakes fits/);
  });

  it('ed25519: the body that was signed', () => {
    const secret = 'whsk_VEVTVFNJR05JTkdLRVlET05PVFVTRVRISVNGT1JBTlk=';
    const headers = sent({ scheme: 'standard-webhooks', secret, body: `${body}\n` });
    expect(explained({ headers, secrets: [secret] })).toMatch(/an extra trailing newline \(LF\)/);
  });
});

it('passes over a key that cannot be read', () => {
  const headers = sent({ scheme: 'standard-webhooks', body: `${body}\n` });
  expect(explained({ headers, secrets: ['whsk_c2hvcnQ=', whsec] })).toMatch(/trailing newline/);
});

it('never throws for what was received, and shows neither secret nor signature', () => {
  const names = [...presets.values()].flatMap(({ header, id, timestamp }) =>
    [header, id?.header, timestamp?.header].filter((name) => name !== undefined),
  );
  const pieces = ['v1,', 'v1=', 't=', 't=1', 'sha256=', ',', ' ', '=', 'a'.repeat(64), '0', '1e3'];
  const value = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.array(fc.constantFrom(...pieces), { maxLength: 6 }).map((parts) => parts.join('')),
  );
  const headers = fc.array(fc.tuple(fc.constantFrom(...names), value), { maxLength: 4 });
  fc.assert(
    fc.property(headers, fc.uint8Array({ maxLength: 20 }), (pairs, bytes) => {
      const judged = { headers: pairs.flat(), body: bytes, url };
      const verdict = requestVerifier({ scheme: 'auto', secrets: [whsec] }).verify(judged, nowMs);
      const { message } = explainVerdict(judged, verdict, {
        ...{ secrets: [whsec], nowMs, pairs: false },
      });
      expect(message).not.toContain(whsec.slice(6));
      for (const scheme of hmacSchemes) {
        const signed = sent({ scheme: scheme.name, body: Buffer.from(bytes) })[1]!;
        expect(message).not.toContain(signed);
      }
    }),
    { numRuns: 30 },
  );
});

it('leaves a reason that says it all as it is', () => {
  expect(explained({ headers: [] })).toMatch(/no header with a signature/);
});
