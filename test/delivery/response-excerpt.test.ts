import { describe, expect, it } from 'vitest';
import { redactionOf } from '../../src/delivery/redaction.js';
import { responseExcerpt, shortened } from '../../src/delivery/response-excerpt.js';

const none = redactionOf([]);
const excerptOf = (body: Buffer | string, isWhole = true, secrets: string[] = []) =>
  responseExcerpt(
    { headers: {}, body: Buffer.from(body).toString('latin1'), isWhole },
    redactionOf(secrets),
  );

describe('the excerpt of a body', () => {
  it('is text if it is UTF-8, empty without a body, else base64', () => {
    expect(excerptOf('größer 😀\n\0')).toEqual({ headers: {}, body: 'größer 😀\n\0' });
    expect(excerptOf('')).toEqual({ headers: {}, body: '' });
    expect(excerptOf(Buffer.of(1, 0xff, 2))).toEqual({ headers: {}, bodyBase64: 'Af8C' });
  });

  it.each(['é', '€', '😀'])(
    'that is cut off within %s ends before it, and stays text',
    (letter) => {
      const bytes = Buffer.from(`text ${letter}`);
      for (let length = 6; length < bytes.length; length++) {
        expect(excerptOf(bytes.subarray(0, length), false)).toEqual({ headers: {}, body: 'text ' });
        expect(excerptOf(bytes.subarray(0, length), true)).toHaveProperty('bodyBase64');
      }
      expect(excerptOf(bytes, false)).toEqual({ headers: {}, body: `text ${letter}` });
    },
  );

  it('of other bytes than UTF-8 is base64 wherever it is cut off', () => {
    expect(excerptOf(Buffer.of(0x41, 0xff, 0xc3), false)).toEqual({
      headers: {},
      bodyBase64: 'Qf/D',
    });
    expect(excerptOf(Buffer.of(0x80, 0x80, 0x80, 0x80, 0x80), false)).toHaveProperty('bodyBase64');
  });

  it('has at most 4,096 bytes, also when what hides a secret is longer than the secret', () => {
    const { body = '' } = excerptOf('a b '.repeat(1_024), false, ['a']);
    expect(body.startsWith('*** b *** b ')).toBe(true);
    expect(Buffer.byteLength(body)).toBe(4_096);
  });

  it('hides secrets in text, in other bytes and in headers', () => {
    const secrets = ['geheim€'];
    expect(excerptOf('x geheim€ y', true, secrets)).toEqual({ headers: {}, body: 'x *** y' });
    const bytes = Buffer.concat([Buffer.of(0xff), Buffer.from('geheim€')]);
    expect(excerptOf(bytes, true, secrets)).toEqual({
      headers: {},
      bodyBase64: Buffer.concat([Buffer.of(0xff), Buffer.from('***')]).toString('base64'),
    });
    const headers = { 'x-request-id': Buffer.from('1 geheim€').toString('latin1') };
    const received = { headers, body: '', isWhole: true };
    expect(responseExcerpt(received, redactionOf(secrets)).headers).toEqual({
      'x-request-id': '1 ***',
    });
  });
});

describe('a shortened excerpt', () => {
  it('has at most so many bytes of the body, and no half of a letter', () => {
    const response = responseExcerpt(
      { headers: { server: 's' }, body: Buffer.from('aéé').toString('latin1'), isWhole: true },
      none,
    );
    expect(shortened(response, 5)).toBe(response);
    expect(shortened(response, 4)).toEqual({ headers: { server: 's' }, body: 'aé' });
    const binary = { headers: {}, bodyBase64: Buffer.of(1, 0xff, 3).toString('base64') };
    expect(shortened(binary, 2)).toEqual({ headers: {}, bodyBase64: 'Af8=' });
  });
});
