import { describe, expect, it } from 'vitest';
import { RequestHeaders } from '../../src/http/request-headers.js';
import { UsageError } from '../../src/errors.js';

function linesOf(url: string, headers: readonly string[]): string[] {
  const head = new RequestHeaders(new URL(url), headers);
  return (head.fixed.toString('latin1') + head.rest(7, 'X-Signature: ab\r\n')).split('\r\n');
}

describe('the headers of a request', () => {
  it('has its lines in an order that never changes', () => {
    expect(linesOf('http://a.example:8080/x?y=z#part', ['User-Agent', 'u', 'X-B', '1'])).toEqual([
      'POST /x?y=z HTTP/1.1',
      'host: a.example:8080',
      'connection: keep-alive',
      'User-Agent: u',
      'X-B: 1',
      'X-Signature: ab',
      'content-length: 7',
      '',
      '',
    ]);
  });

  it('has no signature without one', () => {
    const head = new RequestHeaders(new URL('http://a.example'), []);
    expect(head.rest(0, '')).toBe('content-length: 0\r\n\r\n');
  });

  it.each([
    ['https://a.example', 'a.example'],
    ['https://a.example:443', 'a.example'],
    ['http://a.example:443', 'a.example:443'],
    ['http://[::1]:80', '[::1]'],
    ['http://[::1]:4400', '[::1]:4400'],
    ['http://b\u00fccher.example', 'xn--bcher-kva.example'],
  ])('names the host of %s as %s', (url, host) => {
    expect(linesOf(url, [])[1]).toBe(`host: ${host}`);
  });

  it.each(['Host', 'host', 'HOST'])(
    'takes the host from a header %s, and names it once',
    (name) => {
      const lines = linesOf('http://a.example', ['X-A', '1', name, 'other']);
      expect(lines.slice(1, 4)).toEqual(['host: other', 'connection: keep-alive', 'X-A: 1']);
    },
  );

  it('carries Latin-1 as one byte a letter', () => {
    const { fixed } = new RequestHeaders(new URL('http://a.example'), ['X-A', 'caf\u00e9']);
    expect(fixed.includes(Buffer.from('caf\xe9\r\n', 'latin1'))).toBe(true);
  });
});

describe('no line can be smuggled in', () => {
  it.each([
    ['X-A', 'a\r\nX-Evil: 1'],
    ['X-A', 'a\nb'],
    ['X-A', 'a\0'],
    ['X-A', 'a\u0100'],
    ['X-A', 'a\u560d\u560a'],
    ['X-A\r\nX-Evil', '1'],
    ['X A', '1'],
    ['', '1'],
    ['Host', 'a\r\nX-Evil: 1'],
  ])('by the header %j: %j', (name, value) => {
    expect(() => new RequestHeaders(new URL('http://a.example'), [name, value])).toThrow(
      UsageError,
    );
  });

  it.each(['/a\r\nX-Evil: 1', '/a?b=\r\nX-Evil: 1', '/a\u010d\u010aX', '/a b?c d'])(
    'by the path %j',
    (path) => {
      const lines = linesOf(`http://a.example${path}`, []);
      expect(lines[0]).toMatch(/^POST \/[\x21-\x7e]* HTTP\/1\.1$/);
      expect(lines.length).toBe(7);
    },
  );
});
