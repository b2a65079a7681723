import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { requestVerifier } from '../../src/sign/request-verifier.js';
import { presets } from '../../src/sign/schemes/index.js';
import { sign } from '../../src/sign/x-signature.js';

const body = '{"a":1}';
const secret = 'topsecret';
const good = sign(body, secret);
const other = sign('other', secret);

const verifier = requestVerifier({ scheme: presets.get('x-signature')!, secrets: [secret] });

function verify(signature: string) {
  return verifier.verify({ headers: ['X-Signature', signature], body: Buffer.from(body) }, 0);
}

describe('a value of X-Signature', () => {
  it('is valid in its exact form, without a reason', () => {
    expect(verify(good)).toEqual({ valid: true, scheme: 'x-signature' });
  });

  it.each([
    ['mismatch', other, /same on both sides/],
    ['empty', '', /empty/],
    ['empty', ' \n', /empty/],
    ['uppercase', good.toUpperCase(), /would match in lowercase/],
    ['uppercase', other.toUpperCase(), /must be lowercase$/],
    ['prefix', `sha1=${good}`, /sha1= prefix.*would match without it/],
    ['prefix', `SHA1=${good.toUpperCase()}`, /would match in lowercase/],
    ['prefix', `sha1=${other}`, /remove it$/],
    ['prefix', `sha256=${'a'.repeat(64)}`, /HMAC-SHA1, without a prefix/],
    ['space', ` ${good}`, /would match without it/],
    ['space', `${good}\n`, /would match without it/],
    ['space', `${other}\r\n`, /remove the space$/],
    ['length', good.slice(1), /39 hex characters/],
    ['length', 'a'.repeat(64), /SHA-256/],
    ['repeated', `${good}, ${good}`, /more than once; send one$/],
    ['repeated', `sha1=${good}, ${other}`, /more than once/],
    ['not_hex', Buffer.from(good, 'hex').toString('base64'), /base64/],
    ['not_hex', 'g'.repeat(40), /not hex;/],
    ['not_hex', `${good.slice(0, 20)} ${good.slice(20)}`, /not hex;/],
  ])('has the fault %s: %j', (reason, signature, hint) => {
    const verdict = verify(signature);
    expect(verdict).toMatchObject({ valid: false, reason });
    expect(verdict.hint).toMatch(hint);
    expect(verdict.hint).not.toContain('\n');
  });

  it('would match once repaired by the newest of several secrets alone', () => {
    const [first, second] = ['new', 'old'].map((one) => sign(body, one).toUpperCase());
    const both = requestVerifier({
      scheme: presets.get('x-signature')!,
      secrets: ['new', 'old'],
    });
    const hintFor = (signature: string) =>
      both.verify({ headers: ['x-signature', signature], body: Buffer.from(body) }, 0).hint;
    expect(hintFor(first!)).toMatch(/it would match in lowercase$/);
    expect(hintFor(second!)).toMatch(/must be lowercase$/);
  });

  it('may be any text, of which only the signature is valid; neither is shown', () => {
    const texts = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.stringMatching(/^[ 0-9a-fA-F]{30,50}$/),
    );
    fc.assert(
      fc.property(texts, (signature) => {
        const { valid, reason, hint = '' } = verify(signature);
        expect(valid).toBe(signature === good);
        expect(reason === undefined).toBe(valid);
        expect(hint).not.toContain(good);
        expect(hint).not.toContain(secret);
      }),
    );
  });
});
