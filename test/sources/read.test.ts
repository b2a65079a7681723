import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { isProblem } from '../../src/events/event.js';
import { BrokenInputError } from '../../src/sources/broken-input.js';
import { readEvents } from '../../src/sources/read-events.js';
import type { ReadOptions } from '../../src/sources/read.js';
import { rejection } from '../../src/delivery/outcome.js';
import { deadLetterLine } from '../../src/ledger/dead-letter.js';
import { inChunksOf } from '../helpers/chunks.js';
import { itemOf, trackWith, type Item } from '../helpers/events.js';
import { folderWith } from '../helpers/folder.js';
import { forbiddenJson } from '../helpers/json-cases.js';

const line = trackWith('1');
const lines = [trackWith('1'), trackWith('2'), trackWith('3')];
const file = `${lines.join('\n')}\n`;

describe('event files', () => {
  it('are read one after the other, each with its own numbers and offsets', async () => {
    const folder = folderWith({
      'a.ndjson': `${line}\r\n\n${line}`,
      'b.gz': gzipSync(`\n${line}\n`),
    });
    const [a, b] = [join(folder, 'a.ndjson'), join(folder, 'b.gz')];
    const stdin = Readable.from([Buffer.from(line)]);
    const items = await read([a, '-', b], { stdin });
    expect(items.map(({ origin }) => origin)).toEqual([
      { file: a, line: 1, offset: 0, length: line.length },
      { file: a, line: 3, offset: line.length + 3, length: line.length },
      { file: '-', line: 1, offset: 0, length: line.length },
      { file: b, line: 2, offset: 1, length: line.length },
    ]);
    expect(items.map(({ bytes }) => bytes.toString())).toEqual([line, line, line, line]);
  });

  it('may be a single path', async () => {
    expect(await read(join(folderWith({ a: line }), 'a'))).toHaveLength(1);
  });

  it.each([
    ['an empty file', ''],
    ['an empty file of gzip', gzipSync('')],
    ['blank lines', '\n \r\n\t\n'],
    ['a byte order mark alone', '\ufeff'],
  ])('without content have no events: %s', async (_, content) => {
    expect(await read(join(folderWith({ a: content }), 'a'))).toEqual([]);
  });

  it('are all checked before the first event', async () => {
    const folder = folderWith({ a: line });
    await expect(read([join(folder, 'a'), join(folder, 'b')])).rejects.toMatchObject({
      exitCode: 2,
      message: expect.stringMatching(/b: no such file; check the path$/),
    });
  });

  it.each([1, 2, 3, 50, 1000])('are the same in chunks of %i bytes', async (size) => {
    for (const content of [Buffer.from(`\ufeff${file}`), gzipSync(`\ufeff${file}`)]) {
      const items = await read('-', { stdin: Readable.from(inChunksOf(size, content)) });
      expect(items.map(({ bytes, origin }) => [origin.line, bytes.toString()])).toEqual([
        [1, lines[0]],
        [2, lines[1]],
        [3, lines[2]],
      ]);
    }
  });
});

describe('a bad line', () => {
  it('never stops the next one', async () => {
    const bad = forbiddenJson.map(([, json]) => trackWith(json));
    const wrong = ['{', '}', '[]', '{}', '"', '\u2028', '\v{}', '\0', 'x'.repeat(70_000)];
    const latin = Buffer.from([0x7b, 0xff]);
    const all = [...bad, ...wrong].flatMap((text) => [Buffer.from(text), Buffer.from(line)]);
    const content = [latin, Buffer.from(line), ...all].map((text) =>
      Buffer.concat([text, Buffer.from('\n')]),
    );
    const items = await read('-', { stdin: Readable.from(content) });
    expect(items.map(({ origin }) => origin.line)).toEqual(content.map((_, index) => index + 1));
    expect(items.map(isProblem)).toEqual(content.map((_, index) => index % 2 === 0));
  });

  it('of 100 MB is rejected with its number, and its dead letter has its beginning', async () => {
    const chunk = Buffer.alloc(1024 * 1024);
    function* content(): Generator<Buffer> {
      yield Buffer.from(`${line}\n`);
      for (let i = 0; i < 100; i++) yield chunk;
      yield Buffer.from(`\n${line}\n`);
    }
    const [before, bad, after] = await read('-', { stdin: Readable.from(content()) });
    expect([before, after].map((item) => item && isProblem(item))).toEqual([false, false]);
    expect(after!.origin).toMatchObject({
      line: 3,
      offset: line.length + 1 + 100 * chunk.length + 1,
    });
    expect(bad).toMatchObject({
      code: 'line_too_long',
      message: 'the line has 104857600 bytes; the limit is 1048576. Split or shorten it',
      origin: { file: '-', line: 2, offset: line.length + 1, length: 100 * chunk.length },
    });
    expect(deadLetterOf(bad!)).toEqual({
      ...{ type: 'dead-letter', reason: 'rejected', code: 'line_too_long' },
      message: 'the line has 104857600 bytes; the limit is 1048576. Split or shorten it',
      ...{ file: '-', line: 2, offset: line.length + 1, length: 100 * chunk.length },
      ...{ attempts: 0, lastStatus: null, url: null, at: '1970-01-01T00:00:00.000Z' },
      raw: '\0'.repeat(4096),
    });
  });

  it.each([
    ['text', ['{"a":"', 'é'], 'raw', `{"a":"${'é'.repeat(2045)}`],
    ['a character of two bytes, cut', ['x', 'é'], 'raw', `x${'é'.repeat(2047)}`],
    ['a character of three bytes, cut', ['', '€'], 'raw', '€'.repeat(1365)],
    ['a character of four bytes, cut', ['x', '😀'], 'raw', `x${'😀'.repeat(1023)}`],
    ['a byte order mark', ['\ufeff', 'a'], 'raw', 'a'.repeat(4096)],
    ['Latin-1', [[0xe9], 'a'], 'rawBase64', base64('\xe9', 'a')],
    ['half a character in its midst', [[0xe2, 0x82], 'a'], 'rawBase64', base64('\xe2\x82', 'a')],
    ['what no character begins with', ['', [0xff]], 'rawBase64', base64('', '\xff')],
  ] as const)(
    'has its first 4,096 bytes in its dead letter: %s',
    async (_, parts, name, expected) => {
      const [start, filling] = parts.map((part) => Buffer.from(part as string));
      const content = Buffer.concat([start!, Buffer.alloc(1_100_000, filling), Buffer.from('\n')]);
      const [bad] = await read('-', { stdin: Readable.from([content]) });
      expect(deadLetterOf(bad!)).toMatchObject({ [name]: expected, offset: 0 });
    },
  );
});

/** `start`, padded to 4,096 bytes; each character is a byte. */
function base64(start: string, filling: string): string {
  return Buffer.from(start.padEnd(4096, filling), 'latin1').toString('base64');
}

function deadLetterOf(item: Item): unknown {
  if (!isProblem(item)) throw new Error('the line was accepted');
  return JSON.parse(deadLetterLine({ ...item, outcome: rejection(item), at: 0 }).toString());
}

describe('a truncated input', () => {
  const whole = gzipSync(file, { level: 0 });
  const truncated = whole.subarray(0, -20);
  const long = gzipSync(`${line}\n`.repeat(20_000 / line.length));
  const header = whole.subarray(0, 10);
  const junk = Buffer.alloc(100, 0xff);
  const damagedLate = Buffer.concat([long.subarray(0, -8), Buffer.alloc(8)]);

  it('returns its whole lines first, then an error that names the file and counts them', async () => {
    const path = join(folderWith({ 'a.gz': truncated }), 'a.gz');
    const items: Item[] = [];
    const reading = (async () => {
      for await (const item of readEvents(path)) items.push(item);
    })();
    await expect(reading).rejects.toThrow(BrokenInputError);
    await expect(reading).rejects.toMatchObject({
      code: 'broken_input',
      exitCode: 3,
      file: path,
      lines: 2,
      message: `${path}: the gzip data is truncated, after 2 whole lines; fix the file and run again`,
    });
    expect(items.map(({ bytes }) => bytes.toString())).toEqual(lines.slice(0, 2));
  });

  it.each([
    ['truncated', truncated, 2, 'is truncated'],
    ['truncated in its header', whole.subarray(0, 5), 0, 'is truncated'],
    ['damaged', Buffer.concat([whole.subarray(0, -8), Buffer.alloc(8)]), 3, 'is damaged'],
    [
      'followed by text',
      Buffer.concat([whole, Buffer.from('junk')]),
      3,
      'lines; if that data holds events',
    ],
    ['followed by a header and junk', Buffer.concat([whole, header, junk]), 3, 'is damaged'],
    ['damaged after a piece of 16 KB', damagedLate, Math.floor(20_000 / line.length), 'is damaged'],
    [
      'followed by another member that is truncated',
      Buffer.concat([whole, truncated]),
      5,
      'is truncated',
    ],
  ])('does not prevent the next one from being read: %s', async (_, content, count, reason) => {
    const folder = folderWith({ a: content, b: line });
    const broken: BrokenInputError[] = [];
    const items = await read([join(folder, 'a'), join(folder, 'b')], {
      onBroken: (error) => broken.push(error),
    });
    expect(items).toHaveLength(count + 1);
    expect(broken).toMatchObject([{ lines: count, message: expect.stringContaining(reason) }]);
    expect(items.at(-1)!.origin).toMatchObject({ file: join(folder, 'b'), line: 1 });
  });

  it('may be a stream that fails', async () => {
    async function* failing(): AsyncGenerator<Buffer> {
      yield Buffer.from(`${line}\n${line}`);
      await Promise.reject(Object.assign(new Error(), { code: 'EIO' }));
    }
    await expect(read('-', { stdin: Readable.from(failing()) })).rejects.toThrow(
      '-: cannot be read (EIO), after 1 whole line; fix the file',
    );
  });
});

describe('reading stops', () => {
  it.each(['plain', 'gzip'])('at its signal, even while it waits: %s', async (kind) => {
    const stdin = new PassThrough();
    stdin.write(kind === 'gzip' ? gzipSync(file) : file);
    const controller = new AbortController();
    const items: Item[] = [];
    for await (const item of readEvents('-', { stdin, signal: controller.signal })) {
      items.push(item);
      if (items.length === 3) controller.abort();
    }
    expect(items).toHaveLength(3);
    expect(stdin.destroyed).toBe(true);
  });

  it('at once if it was aborted before', async () => {
    const stdin = new PassThrough();
    expect(await read('-', { stdin, signal: AbortSignal.abort() })).toEqual([]);
  });

  it('when its reader stops, with the input closed', async () => {
    const stdin = new PassThrough();
    stdin.write(file);
    for await (const item of readEvents('-', { stdin })) {
      expect(item.origin.line).toBe(1);
      break;
    }
    expect(stdin.destroyed).toBe(true);
  });
});

it('a line that is read is the same as one that is parsed alone', async () => {
  const [item] = await read('-', { stdin: Readable.from([Buffer.from(line)]) });
  expect(item).toEqual(itemOf(line, { file: '-', length: line.length }));
});

async function read(paths: string | string[], options: ReadOptions = {}): Promise<Item[]> {
  const items: Item[] = [];
  for await (const item of readEvents(paths, options)) items.push(item);
  return items;
}
