import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LineSplitter, type Line } from '../../src/events/lines.js';
import { cutAt } from '../helpers/chunks.js';

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

  it('gives the same lines, numbers and offsets wherever chunks end', () => {
    fc.assert(
      fc.property(fileBytes, fc.array(fc.nat()), (bytes, places) => {
        expect(split(cutAt(bytes, places))).toEqual(model(bytes));
      }),
      { numRuns: 500 },
    );
  });

  it('gives the same lines a byte at a time', () => {
    fc.assert(
      fc.property(fileBytes, (bytes) => {
        expect(split([...bytes].map((byte) => Buffer.from([byte])))).toEqual(model(bytes));
      }),
    );
  });

  it('counts the lines that have ended, blank ones too', () => {
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

  it('is not one at the very limit', () => {
    expect(split([Buffer.from('abcd\n')], 4)).toEqual([
      { bytes: Buffer.from('abcd'), line: 1, offset: 0 },
    ]);
  });

  it('is the same wherever chunks end', () => {
    fc.assert(
      fc.property(fileBytes, fc.array(fc.nat()), fc.nat(12), (bytes, places, limit) => {
        expect(split(cutAt(bytes, places), limit)).toEqual(split([bytes], limit));
      }),
    );
  });

  it('takes no more memory than the limit, however long it is', () => {
    const splitter = new LineSplitter(1000);
    const chunk = Buffer.alloc(1024 * 1024, 'x');
    for (let i = 0; i < 100; i++) expect(splitter.push(chunk)).toEqual([]);
    const [cut, next] = splitter.push(Buffer.from('\nb\n'));
    expect(cut).toMatchObject({ line: 1, cutFrom: 100 * chunk.length });
    expect(cut!.bytes).toHaveLength(1000);
    expect(next).toEqual({ bytes: Buffer.from('b'), line: 2, offset: 100 * chunk.length + 1 });
  });
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
function model(bytes: Buffer): Line[] {
  const parts = bytes.toString('latin1').split('\n');
  if (parts.at(-1) === '') parts.pop();
  let offset = 0;
  const lines = parts.map((part, index) => {
    const text = part.replace(index === 0 ? /^\u00ef\u00bb\u00bf/ : /^(?!)/, '').replace(/\r$/, '');
    const line = { bytes: Buffer.from(text, 'latin1'), line: index + 1, offset };
    offset += part.length + 1;
    return line;
  });
  return lines.filter((line) => !/^[ \t\r\n\v\f]*$/.test(line.bytes.toString('latin1')));
}
