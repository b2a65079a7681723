import { describe, expect, it } from 'vitest';
import { curlHeader, shellBytes, shellWord } from '../../src/output/shell.js';
import { execFileSync } from '../helpers/run-sync.js';

function echoed(word: string): Buffer {
  return execFileSync('bash', ['-c', `printf %s ${word}`]);
}

const texts = ['', 'plain', "it's", '$HOME `ls` "q" \\ !', 'two\nlines', "''", '-n', '*'];

describe('a word', () => {
  it.each([...texts, 'é 東京 🎉'])('is %j to the shell', (text) => {
    expect(echoed(shellWord(text)).toString()).toBe(text);
  });

  it.each([...texts, '\u001b[31m', "\xe9a0'\\", '\x80\xff'])(
    'of bytes is %j to the shell',
    (text) => {
      expect(echoed(shellBytes(text))).toEqual(Buffer.from(text, 'latin1'));
      expect(shellBytes(text)).toMatch(/^[\x20-\x7e]*$/);
    },
  );
});

it.each([
  ['X-A', 'b', "'X-A: b'"],
  ['X-A', '', "'X-A;'"],
  ['X-A', "it's", String.raw`'X-A: it'\''s'`],
])('a header %s: %j is %s', (name, value, word) => {
  expect(curlHeader(name, value)).toBe(word);
});
