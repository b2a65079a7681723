import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { hasAsymmetric } from '../../src/sign/asymmetric-key.js';
import { signRequest, verifyRequest } from '../../src/sign/library.js';
import { requestVerifier } from '../../src/sign/request-verifier.js';
import { presets } from '../../src/sign/schemes/index.js';
import type { Scheme, Secret } from '../../src/sign/schemes/scheme.js';
import { sign, verify } from '../../src/sign/x-signature.js';
import { preset, secret, signedBy, verdictOf } from './schemes/signing.js';

const seed = 'VEVTVFNJR05JTkdLRVlET05PVFVTRVRISVNGT1JBTlk=';
const publicBase64 = 'ZlN4eg7dSSqi0moX9hQUk3orrOouK3QVQSlJa248c/g=';
const publicKey = `whpk_${publicBase64}`;
const privateKey = `whsk_${seed}`;
const pem = `-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEA${publicBase64}\n-----END PUBLIC KEY-----`;

/** What anyone can sign who knows a public key: the request of a sender that took it for a shared secret. */
function forgedBy(scheme: Scheme, text: Secret): { headers: string[]; url: string } {
  const bytes = Buffer.from(text as string);
  const versions = [{ ...scheme.versions[0]!, secret: { encoding: 'base64' } as const }];
  return signedBy({ ...scheme, versions }, [bytes.toString('base64')]);
}

const all = [...presets.values()];
const hmacOnly = all.filter((scheme) => !hasAsymmetric(scheme));

/** As people and their tools write it. */
const written: [title: string, key: Secret][] = [
  ['as it is', publicKey],
  ['with a newline', `${publicKey}\n`],
  ['behind space', ` ${publicKey}`],
  ['in quotes', `"${publicKey}"`],
  ['behind a byte order mark', `\ufeff${publicKey}`],
  ['with its prefix in uppercase', publicKey.replace('whpk', 'WHPK')],
  ['as bytes', Buffer.from(publicKey)],
  ['in PEM', pem],
];

describe.each(written)('a public key %s', (_, key) => {
  it.each(all)('is no shared secret of $name with auto', (scheme) => {
    const { headers, url } = forgedBy(scheme, key);
    const secrets = [key, secret];
    expect(verdictOf(headers, { secrets, url }).valid).toBe(false);
  });

  it.each(hmacOnly)('is refused as a secret of $name', (scheme) => {
    const verifier = (): unknown => requestVerifier({ scheme, secrets: [key], where: '--secret' });
    expect(verifier).toThrow(
      /^--secret: (?:a whpk_ key is a public key|the secret is a key in PEM)/,
    );
    expect(() => signedBy(scheme, [key])).toThrow(/use the shared secret/);
  });

  it('is refused by the functions for X-Signature', () => {
    const value = createHmac('sha1', Buffer.from(key as string))
      .update('{}')
      .digest('hex');
    expect(() => verify('{}', value, key)).toThrow(expect.objectContaining({ code: 'bad_secret' }));
    expect(() => sign('{}', key)).toThrow(/use the shared secret/);
  });

  it('is refused by the library without a request to judge', () => {
    const scheme = preset('github');
    const forged = { headers: forgedBy(scheme, key).headers, body: '{}', secret: [secret, key] };
    const headers = { [forged.headers[0]!]: forged.headers[1]! };
    expect(verifyRequest({ ...forged, headers }).valid).toBe(false);
    expect(() => signRequest({ secret: key, body: '{}' })).toThrow(/use the shared secret/);
  });
});

it('a private key is a secret of no HMAC either', () => {
  for (const scheme of hmacOnly) {
    expect(() => requestVerifier({ scheme, secrets: [privateKey] })).toThrow(
      'a whsk_ key is a private key of ed25519',
    );
    expect(() => signedBy(scheme, [privateKey])).toThrow('use the shared secret');
  }
});

it.each(['standard-webhooks', 'svix'])('both keys are those of %s, also with auto', (name) => {
  const { headers } = signedBy(preset(name), [privateKey]);
  for (const key of [privateKey, publicKey, Buffer.from(publicKey)]) {
    for (const scheme of [preset(name), 'auto' as const]) {
      expect(verdictOf(headers, { scheme, secrets: [key] })).toMatchObject({ valid: true });
      expect(verdictOf(headers, { scheme, secrets: [secret, key] })).toMatchObject({ valid: true });
    }
  }
});

it('of several secrets with auto, each is used by the schemes that it belongs to', () => {
  const secrets = [publicKey, secret];
  for (const scheme of all) {
    const { headers, url } = signedBy(scheme, [secret]);
    expect(verdictOf(headers, { secrets, url })).toMatchObject({
      valid: true,
      scheme: scheme.name,
    });
  }
});

it('auto says why a public key alone judges no HMAC', () => {
  const { headers } = forgedBy(preset('github'), publicKey);
  expect(verdictOf(headers, { secrets: [publicKey] })).toMatchObject({
    valid: false,
    scheme: 'github',
    reason: 'mismatch',
    hint: expect.stringContaining('a whpk_ key is a public key of ed25519') as string,
  });
});

it('auto reports what a scheme with a key has found, before what no key belongs to', () => {
  const { headers } = forgedBy(preset('github'), publicKey);
  const other = signedBy(preset('standard-webhooks'), [
    `whsk_${Buffer.alloc(32, 9).toString('base64')}`,
  ]);
  const verdict = verdictOf([...headers, ...other.headers], { secrets: [publicKey] });
  expect(verdict).toMatchObject({ scheme: 'standard-webhooks', reason: 'mismatch' });
});

it('auto refuses secrets of which no scheme can read one', () => {
  expect(() => verdictOf([], { secrets: ['whpk_AAAA'], where: '--secret' })).toThrow(
    '--secret: a public ed25519 key has 32 bytes, this one 3',
  );
  expect(() => verdictOf([], { secrets: [pem] })).toThrow('the secret');
});

describe('beside an own scheme with ed25519', () => {
  const acme: Scheme = {
    name: 'acme',
    content: '{body}',
    versions: [
      { digest: 'ed25519', encoding: 'hex', secret: { encoding: 'base64' }, item: '{signature}' },
    ],
    header: 'X-Acme',
    value: '{signatures}',
    judgesFuture: true,
  };
  const beside: Scheme = { ...preset('github'), name: 'beside', header: 'X-Beside' };
  const own = [acme, beside];

  /** The key of the own scheme without a prefix, as its sender may publish it. */
  const unmarked: [title: string, key: Secret][] = [
    ['in Base64', publicBase64],
    ['in Base64 for URLs', Buffer.from(publicBase64, 'base64').toString('base64url')],
    ['in hex', Buffer.from(publicBase64, 'base64').toString('hex')],
    ['in hex in uppercase', Buffer.from(publicBase64, 'base64').toString('hex').toUpperCase()],
    ['as bytes', Buffer.from(publicBase64, 'base64')],
    ['of 64 bytes', Buffer.alloc(64, 5).toString('base64')],
    ['of 64 bytes in hex', Buffer.alloc(64, 5).toString('hex')],
  ];

  it.each(unmarked)('auto takes a key %s for no shared secret', (_, key) => {
    for (const scheme of [...all, beside]) {
      const { headers, url } = forgedBy(scheme, key);
      const verdict = verdictOf(headers, { secrets: [key], own, url });
      expect(verdict).toMatchObject({ valid: false, scheme: scheme.name, reason: 'mismatch' });
    }
  });

  it('auto says how such a secret is used all the same, and a named scheme takes it', () => {
    const { headers } = signedBy(preset('github'), [publicBase64]);
    expect(verdictOf(headers, { secrets: [publicBase64], own }).hint).toBe(
      'the secret may be the ed25519 key of acme; name the scheme github to use it as its shared secret',
    );
    const named = { scheme: preset('github'), secrets: [publicBase64], own };
    expect(verdictOf(headers, named).valid).toBe(true);
    expect(verdictOf(headers, { secrets: [publicBase64] }).valid).toBe(true);
  });

  it('auto verifies by it, and other secrets are those of other schemes', () => {
    const secrets = [publicKey, secret];
    const { headers } = signedBy(acme, [seed]);
    expect(verdictOf(headers, { secrets, own })).toEqual({ valid: true, scheme: 'acme' });
    for (const scheme of [...all, beside]) {
      const signed = signedBy(scheme, [secret]);
      expect(verdictOf(signed.headers, { secrets, own, url: signed.url }).valid).toBe(true);
    }
  });
});
