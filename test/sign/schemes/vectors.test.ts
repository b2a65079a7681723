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
    const verdict = verifier.verify({ ...request, url, headers: headers.flat() }, request.nowMs);
    expect(verdict).toMatchObject({ valid: true, scheme: scheme.name });
  });
});

it('the published signature of a form of Twilio is accepted', () => {
  const verifier = requestVerifier({ scheme: presets.get('twilio')!, secrets: ['12345'] });
  const form = new URLSearchParams({
    Digits: '1234',
    CallSid: 'CA1234567890ABCDE',
    To: '+18005551212',
    Caller: '+14158675309',
    From: '+14158675309',
  });
  const url = 'https://mycompany.com/myapp.php?foo=1&bar=2';
  const headers = ['X-Twilio-Signature', 'RSOYDt4T1cUTdK1PDd93/VVr8B8='];
  const verdict = verifier.verify({ headers, body: Buffer.from(String(form)), url }, 0);
  expect(verdict).toEqual({ valid: true, scheme: 'twilio' });
});
