import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LineSplitter, type Line } from '../../src/sources/lines.js';
import { beginningBytes, maxLineBytes, OpenLine } from '../../src/sources/open-line.js';
import { cutAt } from '../helpers/chunks.js';
import { runs } from '../helpers/property-runs.js';

describe('splitting a file into lines', () => {
  it.each([
    ['LF', 'a\nb\n', ['1@0 a', '2@2 b']],
    ['no final LF', 'a\nb', ['1@0 a', '2@2 b']],
    ['CRLF', 'a\r\nb\r\n', ['1@0 a', '2@3 b']],
    ['a CR before the end of the file', 'a\r', ['1@0 a']],
    ['only one CR is dropped', 'a\r\r\n', ['1@0 a\r']],
    ['a CR elsewhere', 'a\rb\n', ['1@0 a\rb']],
    ['blank and all-space lines', '\n \t\n\r\na\n\n', ['4@6 a']],
    ['space around text', ' a \n', ['1@0  a ']],
    ['a byte order mark', '\ufeffa\nb', ['1@0 a', '2@5 b']],
    ['a byte order mark alone', '\ufeff\nb', ['2@4 b']],
    ['a second byte order mark', '\ufeff\ufeffa', ['1@0 \ufeffa']],
    ['a byte order mark further down', 'a\n\ufeffb', ['1@0 a', '2@2 \ufeffb']],
    ['other scripts, by bytes', 'é\n€\n😀\n', ['1@0 é', '2@3 €', '3@7 😀']],
    ['nothing', '', []],
  ])('%s', (_, text, lines) => {
    expect(splitWhole(text).map(shown)).toEqual(lines);
  });

  it.each(['\u2028', '\u2029', '\u0085', '\v', '\f', '\r', '\u001e', '\0'])(
    'does not split at %j',
    (character) => {
      const text = `a${character}b`;
      expect(splitWhole(`${text}\nc`).map(shown)).toEqual([
        `1@0 ${text}`,
        `2@${Buffer.byteLength(text) + 1} c`,
      ]);
    },
  );

  it('returns the same lines, numbers and offsets wherever chunks end', () => {
    fc.assert(
      fc.property(fileBytes, fc.array(fc.nat()), (bytes, places) => {
        expect(split(cutAt(bytes, places))).toEqual(model(bytes));
      }),
      { numRuns: runs(500) },
    );
  });

  it('returns the same lines one byte at a time', () => {
    fc.assert(
      fc.property(fileBytes, (bytes) => {
        expect(split([...bytes].map((byte) => Buffer.from([byte])))).toEqual(model(bytes));
      }),
    );
  });

  it('counts the lines that have ended, including blank ones', () => {
    const splitter = new LineSplitter();
    splitter.push(Buffer.from('a\n\nb\nc'));
    expect(splitter.linesRead).toBe(3);
    splitter.end();
    expect(splitter.linesRead).toBe(4);
  });
});

describe('a line beyond the limit', () => {
  it('keeps its beginning, its length and its number, and the next line is whole', () => {
    expect(split([Buffer.from('abcdef\nb\n')], 4)).toEqual([
      { bytes: Buffer.from('abcd'), line: 1, offset: 0, cutFrom: 6 },
      { bytes: Buffer.from('b'), line: 2, offset: 7 },
    ]);
  });

  it('does not include one at exactly the limit', () => {
    expect(split([Buffer.from('abcd\n')], 4)).toEqual([
      { bytes: Buffer.from('abcd'), line: 1, offset: 0 },
    ]);
  });

  it.each([
    ['LF', 'abcd\nx', []],
    ['CRLF', 'abcd\r\nx', []],
    ['a byte order mark before it', '\ufeffabcd\r\nx', []],
    ['a byte more, with a CR', 'abcde\r\nx', [5]],
    ['a byte order mark further down, which counts', 'a\n\ufeffabcd', [7]],
    ['space around it, which counts', ' abcd\n', [5]],
    ['nothing but space', '     \n', [5]],
  ])('is measured without its newline and byte order mark: %s', (_, text, lengths) => {
    const lines = split([Buffer.from(text)], 4);
    expect(lines.flatMap(({ cutFrom }) => cutFrom ?? [])).toEqual(lengths);
  });

  it('is the same wherever chunks end', () => {
    fc.assert(
      fc.property(fileBytes, fc.array(fc.nat()), fc.nat(12), (bytes, places, limit) => {
        expect(split(cutAt(bytes, places), limit)).toEqual(model(bytes, limit));
      }),
      { numRuns: runs(1000) },
    );
  });

  it('is 1 MiB and a byte, of which a copy of 4,096 is kept', () => {
    const line = Buffer.alloc(maxLineBytes + 1, 'é');
    const text = Buffer.concat([line.subarray(1), Buffer.from('\r\n'), line, Buffer.from('\na')]);
    const [whole, cut, next] = split([text]);
    expect(whole!.bytes).toHaveLength(1_048_576);
    expect(cut).toMatchObject({ line: 2, offset: 1_048_578, cutFrom: 1_048_577 });
    expect(cut!.bytes.equals(line.subarray(0, 4096))).toBe(true);
    expect(cut!.bytes.buffer.byteLength).toBe(beginningBytes);
    expect(next).toEqual({ bytes: Buffer.from('a'), line: 3, offset: 1_048_578 + 1_048_578 });
  });

  it('is never kept whole, however long it is', () => {
    const line = new OpenLine();
    const chunk = Buffer.alloc(1024 * 1024, 'x');
    for (let i = 0; i < 100; i++) line.append(chunk);
    expect(line.length).toBe(100 * chunk.length);
    expect(line.beginning(false)).toMatchObject({ cutFrom: 100 * chunk.length });
    expect(line.take().buffer.byteLength).toBeLessThan(2 * beginningBytes);
    expect([line.length, line.beginning(false)]).toEqual([0, undefined]);
  });
});

it('a line that arrives byte by byte needs at most twice its length', () => {
  const line = new OpenLine();
  for (let i = 0; i < 100_000; i++) line.append(Buffer.from('x'));
  const bytes = line.take();
  expect(bytes.equals(Buffer.alloc(100_000, 'x'))).toBe(true);
  expect(bytes.buffer.byteLength).toBeLessThanOrEqual(200_000);
});

const fragment = fc.constantFrom(
  ...['\n', '\r', '\r\n', ' ', '\t', '\v', '\ufeff', '\u2028', '\u0085', '{"a":1}', 'é', '\0'],
);

const fileBytes = fc
  .array(
    fc.oneof(
      fragment.map((text) => Buffer.from(text)),
      fc.uint8Array({ maxLength: 3 }).map((bytes) => Buffer.from(bytes)),
    ),
    { maxLength: 20 },
  )
  .map((parts) => Buffer.concat(parts));

function split(chunks: readonly Buffer[], maxBytes?: number): Line[] {
  const splitter = new LineSplitter(maxBytes);
  return [...chunks.flatMap((chunk) => splitter.push(chunk)), ...splitter.end()];
}

function splitWhole(text: string): Line[] {
  return split([Buffer.from(text)]);
}

function shown({ bytes, line, offset }: Line): string {
  return `${line}@${offset} ${bytes.toString()}`;
}

/** The rules over one string in which each character is a byte. */
function model(bytes: Buffer, limit = Infinity): Line[] {
  const parts = bytes.toString('latin1').split('\n');
  if (parts.at(-1) === '') parts.pop();
  let offset = 0;
  const lines = parts.map((part, index) => {
    const text = part.replace(index === 0 ? /^\u00ef\u00bb\u00bf/ : /^(?!)/, '').replace(/\r$/, '');
    const isCut = text.length > limit;
    const line = {
      bytes: Buffer.from(isCut ? text.slice(0, limit) : text, 'latin1'),
      line: index + 1,
      offset,
      ...(isCut && { cutFrom: text.length }),
    };
    offset += part.length + 1;
    return line;
  });
  const isBlank = (line: Buffer) => /^[ \t\r\n\v\f]*$/.test(line.toString('latin1'));
  return lines.filter(({ bytes, cutFrom }) => cutFrom !== undefined || !isBlank(bytes));
}
