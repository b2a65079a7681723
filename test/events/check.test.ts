import { join } from 'node:path';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkInput } from '../../src/events/check.js';
import { isProblem } from '../../src/events/event.js';
import { findInputs, type Input } from '../../src/events/input.js';
import { isPlainEvent, parseLine } from '../../src/events/parse.js';
import { BrokenInputError, readBatches } from '../../src/events/read.js';
import { cutAt } from '../helpers/chunks.js';
import { eventOf, place, trackWith, type Item } from '../helpers/events.js';
import { folderWith } from '../helpers/folder.js';
import { allowedJson, forbiddenJson } from '../helpers/json-cases.js';
import { objectText, valueText } from '../helpers/json-text.js';

const stdinInput: Input = { name: '-', size: undefined, isFile: false };

describe('a line that passes for an event', () => {
  it('is one, whatever its text and what stands around it', () => {
    fc.assert(
      fc.property(eventText, fc.constantFrom('', 'x', '}\n'), (text, around) => {
        const bytes = Buffer.from(around + text + around);
        const end = bytes.length - around.length;
        const passes = isPlainEvent(bytes, around.length, end);
        const item = parseLine(bytes.subarray(around.length, end), place());
        if (passes) expect(isProblem(item)).toBe(false);
        // Space before it, or a wrapper around it, needs a closer look.
        else expect(isProblem(item) || text.startsWith(' ')).toBe(true);
      }),
      { numRuns: 3000 },
    );
  });

  it.each(allowedJson)('may hold %s', (_, json) => {
    expect(passes(trackWith(json))).toBe(true);
  });

  it.each(forbiddenJson)('does not hold %s', (_, json) => {
    expect(passes(trackWith(json))).toBe(false);
  });

  it('nests 200 levels, and has 32,768 bytes, at most', () => {
    const nested = (levels: number) => trackWith('['.repeat(levels - 2) + ']'.repeat(levels - 2));
    expect(eventOf(nested(200)).depth).toBe(200);
    expect([passes(nested(200)), passes(nested(201))]).toEqual([true, false]);
    const filled = (bytes: number) => trackWith(`"${'x'.repeat(bytes - trackWith('""').length)}"`);
    expect([passes(filled(32_768)), passes(filled(32_769))]).toEqual([true, false]);
  });

  it.each([
    ['a dead letter', `{"type":"dead-letter","event":${trackWith('1')}}`],
    ['a captured request', JSON.stringify({ type: 'request', body: trackWith('1') })],
    ['a member that stands twice', '{"type":"page","userId":"u","\\u0074ype":"page"}'],
    ['a list', `[${trackWith('1')}]`],
  ])('is not %s', (_, line) => {
    expect(passes(line)).toBe(false);
  });
});

describe('checking an input', () => {
  it('finds what reading it finds, whatever the bytes and the chunks', async () => {
    await fc.assert(
      fc.asyncProperty(fileBytes, fc.array(fc.nat(), { maxLength: 4 }), async (bytes, places) => {
        const chunks = cutAt(bytes, places);
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

  it('tells of an input that breaks off, behind its whole lines', async () => {
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

function passes(line: string): boolean {
  const bytes = Buffer.from(line);
  return isPlainEvent(bytes, 0, bytes.length);
}

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

/** Members of an event, some of them more than once, with texts as no encoder writes them. */
const eventText = fc
  .tuple(
    fc.array(
      fc.oneof(
        fc.constantFrom('"type":"track"', '"type" : "page"', '"\\u0074ype":"identify"'),
        fc.constantFrom('"userId":"u"', '"anonymousId":7', '"event":"e"', '"__proto__":1', '"1":1'),
        fc.constantFrom('"timestamp":"2026-11-20T08:30:00.000Z"', '"messageId":"é"'),
        objectText.map((text) => `"properties":${text}`),
        valueText.map((text) => `"é":${text}`),
      ),
      { maxLength: 6 },
    ),
    fc.constantFrom('', '', ' '),
    fc.boolean(),
  )
  .map(([members, space, isWhole]) => {
    const all = isWhole ? ['"type":"track"', '"event":"e"', '"userId":"u"', ...members] : members;
    return `${space}{${all.join(`${space},`)}}${space}`;
  });

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
