import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SourceError } from '../../../src/sources/source-error.js';
import { jsonArrayLines, type JsonArrayOptions } from '../../../src/sources/formats/json-array.js';
import { chunksOf, cutAt, inChunksOf } from '../../helpers/chunks.js';
import { runs } from '../../helpers/property-runs.js';

interface Decoded {
  readonly text: string;
  readonly error: string | undefined;
}

async function decode(
  chunks: AsyncIterable<Buffer> | readonly Buffer[],
  options: JsonArrayOptions = {},
): Promise<Decoded> {
  const decoded: Buffer[] = [];
  const source = Array.isArray(chunks) ? chunksOf(chunks as Buffer[]) : chunks;
  let error: string | undefined;
  try {
    for await (const chunk of jsonArrayLines(source as AsyncIterable<Buffer>, options))
      decoded.push(chunk);
  } catch (thrown) {
    expect(thrown).toBeInstanceOf(SourceError);
    error = (thrown as Error).message;
  }
  return { text: Buffer.concat(decoded).toString(), error };
}

const decodeText = (text: string, options?: JsonArrayOptions): Promise<Decoded> =>
  decode([Buffer.from(text)], options);

describe('a JSON array as NDJSON', () => {
  it.each<[string, string, string]>([
    ['one element a line', '[\n{"a":1},\n{"a":2}\n]\n', '\n{"a":1}\n{"a":2}\n\n'],
    ['elements on one line', '[{"a":1},{"a":2} , {"a":3}]', '{"a":1}\n{"a":2}\n{"a":3}'],
    [
      'elements over several lines',
      '[\n {\n  "a": [\n1]\n },\n {"b": 2}\n]',
      '\n{   "a": [ 1]  }\n\n\n\n{"b": 2}\n',
    ],
    [
      'newlines that make up for those that were added',
      '[{},{},{}\n,\n\n{}\n,{}]',
      '{}\n{}\n{}\n{}\n{}',
    ],
    [
      'values byte for byte',
      '[{"a":1.50,"b":12345678901234567890,"\\u0061":"\\n\\"]}"}]',
      '{"a":1.50,"b":12345678901234567890,"\\u0061":"\\n\\"]}"}',
    ],
    [
      'brackets, quotes and backslashes in texts',
      '[{"a":"}]\\\\"},{"b":"\\\\\\"["}]',
      '{"a":"}]\\\\"}\n{"b":"\\\\\\"["}',
    ],
    [
      'elements that are no objects',
      '[1, "a,]" ,null,[2,[3]],-1e5]',
      '1\n"a,]"\nnull\n[2,[3]]\n-1e5',
    ],
    ['no elements', ' [ \n ] \n', '\n\n'],
    ['a byte order mark and CRLF', '\ufeff[\r\n{},\r\n{"a":\r\n1}]\r\n', '\n{}\n{"a":\r 1}\n\n'],
    ['an element that is no JSON', '[{"a":x},{"b"]},{}]', '{"a":x}\n'],
  ])('has %s', async (what, text, expected) => {
    const { text: found, error } = await decodeText(text);
    if (what === 'an element that is no JSON') {
      expect(found).toBe('{"a":x}\n{"b"]\n');
      expect(error).toBe('the JSON array is damaged');
      return;
    }
    expect(found).toBe(expected);
    expect(error).toBeUndefined();
  });

  it.each<[string, string]>([
    ['{"events":[{"a":1},{"a":2}]}', '{"a":1}\n{"a":2}'],
    ['{"sent":[{"x":1}],\n"n":{"events":[1]},"events" :\n[ {} ],\n"t":"]"}', '\n\n{}\n'],
    ['{"\\u0065vents":[1]}', '1'],
    ['{"events":{"a":[1]},"x":2,"events":[3],"events":[4]}', '3\n4'],
  ])('is found in an object: %s', async (text, expected) => {
    expect(await decodeText(text, { list: 'events' })).toEqual({
      text: expected,
      error: undefined,
    });
  });

  it.each<[string, string, string, JsonArrayOptions['list']?]>([
    ['[{"a":1},{"b":', '{"a":1}\n', 'the JSON array is truncated'],
    ['[{"a":1},', '{"a":1}\n', 'the JSON array is truncated'],
    ['[1', '', 'the JSON array is truncated'],
    ['', '', 'the JSON array is truncated'],
    ['[{"a":1} {"b":2}]', '{"a":1}\n', 'the JSON array is damaged'],
    ['[{"a":1},]', '{"a":1}\n', 'the JSON array is damaged'],
    ['[,1]', '', 'the JSON array is damaged'],
    ['{"a":1}', '', 'the JSON array is damaged'],
    ['[]', '', 'the JSON array is damaged', 'data'],
    ['{"a":[1]}', '', 'the JSON object has no array "data"', 'data'],
    ['{"data":[1]', '1\n', 'the JSON array is truncated', 'data'],
    ['{data:[1]}', '', 'the JSON array is damaged', 'data'],
    ['[{"a":1}]\n\n[2]', '{"a":1}\n\n', 'other data follows the JSON array'],
    ['{"data":[1]}{}', '1\n', 'other data follows the JSON array', 'data'],
  ])('ends with an error after the whole elements: %s', async (text, before, error, list) => {
    expect(await decodeText(text, list ? { list } : {})).toEqual({ text: before, error });
  });

  it('keeps a newline in a text, which is no JSON, from becoming valid', async () => {
    const { text } = await decodeText('[{"a":"x\ny\\\nz"},\n1]');
    expect(text).toBe('{"a":"x\ry\\\rz"}\n\n\n1');
  });

  it('gives an element that is too long away while it is read', async () => {
    async function* endless(): AsyncGenerator<Buffer> {
      yield* chunksOf([Buffer.from('[{"a":1},{"b":"')]);
      for (let i = 0; i < 400; i++) yield Buffer.alloc(64 * 1024, i % 2 === 0 ? 'x' : '\n');
      yield* chunksOf([Buffer.from('"},{"c":2}]')]);
    }
    const sizes: number[] = [];
    let newlines = 0;
    let end: Buffer = Buffer.alloc(0);
    for await (const chunk of jsonArrayLines(endless())) {
      sizes.push(chunk.length);
      newlines += chunk.toString('latin1').split('\n').length - 1;
      end = chunk;
    }
    expect(Math.max(...sizes)).toBeLessThan(1.5 * 1024 * 1024);
    expect(newlines).toBe(200 * 64 * 1024);
    expect(end.toString().trim()).toBe('{"c":2}');
  });

  const space = fc.constantFrom('', '', ' ', '\n', '\r\n', '\t\n\n');
  const value = fc.oneof(
    fc.json(),
    fc.constantFrom('{"a":"]\\\\"}', '"\\""', '1.0', '{ }', '[\n]', '{"x":\n[{}\n]}'),
  );
  const elements = fc.array(fc.tuple(space, value, space), { maxLength: 8 });
  const array = elements.map(
    (list) => `[${list.map(([a, text, b]) => a + text + b).join(',') || ' '}]`,
  );

  it('is the same wherever chunks end, damaged or not', async () => {
    await fc.assert(
      fc.asyncProperty(array, fc.array(fc.nat()), fc.nat(), async (text, places, cut) => {
        for (const given of [text, text.slice(0, cut % (text.length + 1)), `{"data":${text}}`]) {
          const bytes = Buffer.from(given);
          const options = given.startsWith('{') ? ({ list: 'data' } as const) : {};
          const whole = await decode([bytes], options);
          expect(await decode(cutAt(bytes, places), options)).toEqual(whole);
          expect(await decode(inChunksOf(1, bytes), options)).toEqual(whole);
        }
      }),
      { numRuns: runs(700) },
    );
  });

  it('has each element on a line of its own, not before the one where it begins', async () => {
    await fc.assert(
      fc.asyncProperty(elements, async (list) => {
        const text = `[${list.map(([a, given, b]) => a + given + b).join(',')}]`;
        const { text: decoded } = await decodeText(text);
        const lines = decoded.split('\n').flatMap((line, i) => (line === '' ? [] : [{ line, i }]));
        expect(lines.map(({ line }) => line)).toEqual(
          list.map(([, given]) => given.replaceAll('\n', ' ')),
        );
        let [at, last] = [1, -1];
        for (const [i, [a, given, b]] of list.entries()) {
          const begins = text.slice(0, at + a.length).split('\n').length - 1;
          last = Math.max(begins, last + 1);
          expect(lines[i]?.i).toBe(last);
          at += a.length + given.length + b.length + 1;
        }
      }),
      { numRuns: runs(700) },
    );
  });
});
