import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AnswerHead } from '../../src/deliver/answer-head.js';

interface Reading {
  /** What undici gets to see. */
  readonly passed: string;
  readonly status: number | undefined;
}

function read(chunks: readonly string[]): Reading {
  const head = new AnswerHead();
  const passed = chunks.map((chunk) => head.take(Buffer.from(chunk, 'latin1')) ?? '');
  return { passed: passed.map((bytes) => bytes.toString('latin1')).join(''), status: head.status };
}

/** Cuts a text at these places. */
function cut(text: string, places: readonly number[]): string[] {
  const ends = [...new Set(places.map((place) => place % text.length))].sort((a, b) => a - b);
  return [0, ...ends].map((start, i) => text.slice(start, ends[i] ?? text.length));
}

const hello = 'HTTP/1.1 100 Continue\r\n\r\n';
const hints = 'HTTP/1.1 103 Early Hints\r\nlink: <a>\r\n\r\n';
const answer = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok';

describe('the beginning of an answer', () => {
  it.each<[string, string, Reading]>([
    ['nothing', '', { passed: '', status: undefined }],
    ['an answer', answer, { passed: answer, status: 200 }],
    ['interim answers before it', hello + hints + answer, { passed: answer, status: 200 }],
    ['an interim answer alone', hello, { passed: '', status: 100 }],
    ['half an interim answer', hints.slice(0, -2), { passed: '', status: 103 }],
    [
      'an interim answer and half a status line',
      `${hello}HTTP/1.1 20`,
      { passed: '', status: undefined },
    ],
    ['101', 'HTTP/1.1 101 Up\r\n\r\n', { passed: 'HTTP/1.1 101 Up\r\n\r\n', status: 101 }],
    ['other text', 'hello', { passed: 'hello', status: undefined }],
    ['part of a status line', 'HTT', { passed: '', status: undefined }],
    ['bare line feeds', 'HTTP/1.1 200\n\n', { passed: 'HTTP/1.1 200\n\n', status: 200 }],
    [
      'another version',
      'HTTP/2.0 200 OK\r\n',
      { passed: 'HTTP/2.0 200 OK\r\n', status: undefined },
    ],
    [
      'zeros in front',
      'HTTP/1.1 0200 OK\r\n',
      { passed: 'HTTP/1.1 0200 OK\r\n', status: undefined },
    ],
  ])('%s', (_title, text, expected) => {
    expect(read([text])).toEqual(expected);
  });

  it('reads the same however it is cut', () => {
    const parts = fc.array(fc.constantFrom(hello, hints), { maxLength: 3 });
    const last = fc.constantFrom(
      answer,
      'HTTP/1.1 1000 X\r\n\r\n',
      'HTTP/1.1 101 Up\r\n\r\n',
      'no\r\n',
    );
    fc.assert(
      fc.property(parts, last, fc.array(fc.nat()), (interim, end, places) => {
        const text = interim.join('') + end;
        expect(read(cut(text, places))).toEqual(read([text]));
        expect(read([text]).passed).toBe(end);
      }),
    );
  });

  it('loses no byte of what is no interim answer', () => {
    const noise = fc.array(
      fc.constantFrom('HTTP/1.1 ', '200', '\r\n', ' ', '\n', 'x', '\0', '\xff'),
    );
    fc.assert(
      fc.property(noise, fc.array(fc.nat()), (words, places) => {
        const text = `${words.join('')}\n`;
        expect(read(cut(text, places)).passed).toBe(text);
      }),
    );
  });

  it.each([
    ['first line', `HTTP/1.1 200 ${'x'.repeat(20_000)}`],
    ['interim answer', `HTTP/1.1 103 X\r\na: ${'x'.repeat(20_000)}`],
  ])('is not held back when the %s is endless', (_title, text) => {
    expect(read([text]).passed).toBe(text);
    expect(read(cut(text, [5, 9_000])).passed).toBe(text);
  });
});
