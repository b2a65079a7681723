import fc from 'fast-check';
import { expect, it } from 'vitest';
import { splitLines } from '../../src/sign/line-splitter.js';

function linesOf(chunks: readonly Buffer[]): [number, string][] {
  const found: [number, string][] = [];
  const lines = splitLines((line, number) => found.push([number, line.toString('latin1')]));
  for (const chunk of chunks) lines.push(chunk);
  lines.end();
  return found;
}

it.each([
  ['', []],
  ['a', [[1, 'a']]],
  [
    'a\nb\n',
    [
      [1, 'a'],
      [2, 'b'],
    ],
  ],
  [
    'a\r\n\n \r\nb',
    [
      [1, 'a'],
      [4, 'b'],
    ],
  ],
  [
    '\xef\xbb\xbfa\n\xef\xbb\xbfb',
    [
      [1, 'a'],
      [2, '\xef\xbb\xbfb'],
    ],
  ],
  ['a\rb\n', [[1, 'a\rb']]],
])('cuts %j', (text, expected) => {
  expect(linesOf([Buffer.from(text, 'latin1')])).toEqual(expected);
});

it('finds the same lines however the bytes are cut', () => {
  const piece = fc.constantFrom('\n', '\r\n', 'a', ' ', '\xef\xbb\xbf', 'bc');
  fc.assert(
    fc.property(fc.array(piece), fc.array(fc.nat(30)), (pieces, cuts) => {
      const bytes = Buffer.from(pieces.join(''), 'latin1');
      const ends = [...cuts, bytes.length].sort((one, other) => one - other);
      const chunks = ends.map((end, i) => bytes.subarray(ends[i - 1] ?? 0, end));
      expect(linesOf(chunks)).toEqual(linesOf([bytes]));
    }),
  );
});
