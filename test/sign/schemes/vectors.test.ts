import { describe, expect, it } from 'vitest';
import { requestSigner } from '../../../src/sign/request-signer.js';
import { requestVerifier } from '../../../src/sign/request-verifier.js';
import { presets } from '../../../src/sign/schemes/index.js';
import { requestOf, vectors } from './vectors.js';

describe.each(vectors)('the published signature of $title', (vector) => {
  const scheme = presets.get(vector.scheme)!;
  const request = requestOf(vector);
  const sign = () => requestSigner({ scheme, secrets: [vector.secret] }, '--secret').sign(request);

  it('is what we send', () => {
    expect(sign().headers[0]).toEqual([scheme.header, vector.value]);
  });

  it.each(['its scheme', 'auto'])('is accepted by %s', (name) => {
    const { headers, url = request.url } = sign();
    const verifier = requestVerifier({
      scheme: name === 'auto' ? 'auto' : scheme,
      secrets: [vector.publicKey ?? vector.secret],
    });
    const type = vector.contentType === undefined ? [] : ['Content-Type', vector.contentType];
    const received = { ...request, url, headers: [...headers.flat(), ...type] };
    const verdict = verifier.verify(received, request.nowMs);
    expect(verdict).toMatchObject({ valid: true, scheme: scheme.name });
  });
});

it('the published form of Twilio is sent to its URL as it is', () => {
  const { secret, ...form } = vectors.find(({ title }) => title === 'Twilio, form')!;
  const signer = requestSigner({ scheme: presets.get('twilio')!, secrets: [secret] }, '--secret');
  expect(signer.sign(requestOf({ secret, ...form }))).not.toHaveProperty('url');
});
