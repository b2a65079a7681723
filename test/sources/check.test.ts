import { join } from 'node:path';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkInput } from '../../src/sources/check.js';
import { isProblem } from '../../src/events/event.js';
import { detectFormat } from '../../src/sources/formats/refuse.js';
import { findInputs } from '../../src/sources/find-inputs.js';
import type { Input } from '../../src/sources/input.js';
import { parseLine } from '../../src/events/parse.js';
import { BrokenInputError } from '../../src/sources/broken-input.js';
import { readBatches } from '../../src/sources/read.js';
import { cutAt } from '../helpers/chunks.js';
import { trackWith, type Item } from '../helpers/events.js';
import { eventText } from '../helpers/event-text.js';
import { folderWith } from '../helpers/folder.js';

const stdinInput: Input = { name: '-', size: undefined, isFile: false };

describe('checking an input', () => {
  it('finds the same as reading, whatever the bytes and the chunks', async () => {
    await fc.assert(
      fc.asyncProperty(fileBytes, fc.array(fc.nat(), { maxLength: 4 }), async (bytes, places) => {
        const chunks = cutAt(bytes, places);
        fc.pre(mayBeEvents(chunks));
        const items: Item[] = [];
        for await (const batch of readBatches([stdinInput], { stdin: Readable.from(chunks) })) {
          items.push(...batch);
        }
        const alone = items.map((item) => parseLine(lineAt(bytes, item), item.origin));
        expect(items).toEqual(alone);
        expect(await check(stdinInput, Readable.from(chunks))).toEqual({
          read: items.length,
          problems: items.filter(isProblem),
        });
      }),
      { numRuns: 300 },
    );
  });

  it.each(['plain', 'gzip'])('reads files of more than one chunk: %s', async (kind) => {
    const text = `\ufeff${`${trackWith('"é"')}\r\n`.repeat(8_000)}{}\n\n[]`;
    const content = kind === 'gzip' ? gzipSync(text) : text;
    const [input] = await findInputs([join(folderWith({ a: content }), 'a')]);
    expect(await check(input!)).toMatchObject({
      read: 8_002,
      problems: [
        { code: 'missing_type', origin: { line: 8_001 } },
        { code: 'not_an_event', origin: { line: 8_003 } },
      ],
    });
  });

  it('reports a truncated input after its whole lines', async () => {
    const content = gzipSync(`${trackWith('1')}\n{}\n{}`, { level: 0 }).subarray(0, -10);
    const [input] = await findInputs([join(folderWith({ a: content }), 'a')]);
    const broken: BrokenInputError[] = [];
    let read = 0;
    for await (const found of checkInput(input!, { onBroken: (error) => broken.push(error) })) {
      read += found.read;
    }
    expect(read).toBe(2);
    expect(broken).toMatchObject([{ lines: 2 }]);
    await expect(check(input!)).rejects.toThrow(BrokenInputError);
  });
});

async function check(input: Input, stdin?: Readable) {
  const found = { read: 0, problems: [] as Item[] };
  for await (const { read, problems } of checkInput(input, { ...(stdin && { stdin }) })) {
    found.read += read;
    found.problems.push(...problems);
  }
  return found;
}

/** The line of an item, cut out of the file. */
function lineAt(bytes: Buffer, { origin }: Item): Buffer {
  const isMarked = origin.offset === 0 && bytes.subarray(0, 3).equals(Buffer.from('\ufeff'));
  const start = origin.offset + (isMarked ? 3 : 0);
  return bytes.subarray(start, start + origin.length);
}

/** Some are JSON over several lines, which is refused. */
function mayBeEvents(chunks: readonly Buffer[]): boolean {
  const starts = chunks.map((_, i) => Buffer.concat(chunks.slice(0, i + 1)));
  const found = [
    ...starts.map((start) => detectFormat(start, false)),
    detectFormat(Buffer.concat(chunks), true),
  ];
  return found.every((detection) => detection === 'unknown' || detection === 'more');
}

const fileBytes = fc
  .array(
    fc.oneof(
      { weight: 3, arbitrary: eventText.map((text) => Buffer.from(`${text}\n`)) },
      fc.constantFrom('\r\n', '\ufeff', ' ', '{}', 'é\n').map((text) => Buffer.from(text)),
      fc.uint8Array({ maxLength: 3 }).map((bytes) => Buffer.from(bytes)),
    ),
    { maxLength: 8 },
  )
  .map((parts) => Buffer.concat(parts));
