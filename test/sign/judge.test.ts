import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { judge } from '../../src/sign/judge.js';
import { sign } from '../../src/sign/x-signature.js';

const body = '{"a":1}';
const secret = 'topsecret';
const good = sign(body, secret);
const other = sign('other', secret);

describe('judge', () => {
  it('accepts the exact form, without a reason', () => {
    expect(judge(body, good, secret)).toEqual({ valid: true, message: 'the signature is valid' });
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
  ])('reports %s: %j', (reason, signature, message) => {
    const judgement = judge(body, signature, secret);
    expect(judgement).toMatchObject({ valid: false, reason });
    expect(judgement.message).toMatch(message);
    expect(judgement.message).not.toContain('\n');
  });

  it('accepts any text, finds only the signature valid, and shows neither', () => {
    const texts = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.stringMatching(/^[ 0-9a-fA-F]{30,50}$/),
    );
    fc.assert(
      fc.property(texts, (signature) => {
        const { valid, reason, message } = judge(body, signature, secret);
        expect(valid).toBe(signature === good);
        expect(reason === undefined).toBe(valid);
        expect(message).not.toContain(good);
        expect(message).not.toContain(secret);
      }),
    );
  });
});
