import { describe, expect, it } from 'vitest';
import { requestSigner } from '../../src/sign/request-signer.js';
import { requestVerifier } from '../../src/sign/request-verifier.js';
import { presets } from '../../src/sign/schemes/index.js';
import type { Scheme } from '../../src/sign/schemes/scheme.js';
import { chunksOf } from '../helpers/chunks.js';
import { newSecret, nowMs, preset, request, secret } from './schemes/signing.js';

const signedAlone = ['x-signature', 'github', 'github-sha1', 'shopify', 'hookdeck', 'convoy'];
const own: Scheme = {
  ...preset('github'),
  name: 'acme',
  header: 'X-Acme',
  id: { header: 'X-Acme-Id' },
  timestamp: { header: 'X-Acme-Time', format: 'seconds' },
  toleranceMs: 300_000,
};

const pieces = () => chunksOf([Buffer.from('{"type"'), Buffer.alloc(0), Buffer.from(':"track"}')]);

describe.each([...signedAlone.map(preset), own])('a body in chunks, by $name', (scheme) => {
  const secrets = scheme.secondHeader === undefined ? [secret] : [newSecret, secret];
  const { body, ...head } = request;

  it('has the headers of the whole body', async () => {
    const signer = requestSigner({ scheme, secrets }, '');
    const signed = await signer.signChunks!(head, pieces());
    expect(signed).toEqual(signer.sign({ body, ...head }));
  });

  it('has the verdict of the whole body, by any of several secrets', async () => {
    const headers = requestSigner({ scheme, secrets }, '').sign(request).headers.flat();
    const verifier = requestVerifier({ scheme, secrets: [newSecret, secret] });
    const other = () => chunksOf([Buffer.from('{}')]);
    const verdict = await verifier.verifyChunks!({ headers }, pieces(), nowMs);
    expect(verdict).toMatchObject({ valid: true, scheme: scheme.name });
    expect(verdict).toEqual(verifier.verify({ headers, body }, nowMs));
    expect(await verifier.verifyChunks!({ headers }, other(), nowMs)).toEqual(
      verifier.verify({ headers, body: Buffer.from('{}') }, nowMs),
    );
    expect(await verifier.verifyChunks!({ headers: [] }, pieces(), nowMs)).toMatchObject({
      reason: 'missing',
    });
  });
});

it('belongs to no scheme that signs more than the body, nor to auto', () => {
  for (const scheme of presets.values()) {
    const isAlone = signedAlone.includes(scheme.name);
    const { signChunks } = requestSigner({ scheme, secrets: [secret] }, '');
    const { verifyChunks } = requestVerifier({ scheme, secrets: [secret] });
    expect([scheme.name, signChunks !== undefined]).toEqual([scheme.name, isAlone]);
    expect([scheme.name, verifyChunks !== undefined]).toEqual([scheme.name, isAlone]);
  }
  expect(requestVerifier({ scheme: 'auto', secrets: [secret] }).verifyChunks).toBeUndefined();
});

it('belongs to no scheme of ed25519', () => {
  const version = preset('standard-webhooks').versions[1]!;
  const scheme: Scheme = { ...own, versions: [version] };
  const key = `whsk_${Buffer.alloc(32, 1).toString('base64')}`;
  expect(requestSigner({ scheme, secrets: [key] }, '').signChunks).toBeUndefined();
  expect(requestVerifier({ scheme, secrets: [key] }).verifyChunks).toBeUndefined();
});
