import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { readInput } from '../../src/sources/read-input.js';
import type { Input } from '../../src/sources/input.js';
import { inChunksOf } from '../helpers/chunks.js';
import { folderWith } from '../helpers/folder.js';

describe('the bytes of an input', () => {
  const text = '{"a":1}\n';

  it.each([
    ['plain', 'history.gz', Buffer.from(text)],
    ['gzip', 'history.ndjson', gzipSync(text)],
    ['empty', 'empty.gz', Buffer.alloc(0)],
    ['one byte', 'one', Buffer.from('{')],
    ['the first byte of gzip alone', 'half', Buffer.from([0x1f])],
  ])('are detected by the first bytes, not by the name: %s', async (kind, name, content) => {
    const expected = kind === 'gzip' ? Buffer.from(text) : content;
    const path = join(folderWith({ [name]: content }), name);
    expect(await bytesOf({ name: path, size: content.length, isFile: true })).toEqual(expected);
    const stdin = Readable.from(inChunksOf(1, content));
    expect(await bytesOf({ name: '-', size: undefined, isFile: false }, stdin)).toEqual(expected);
  });

  it('are counted as read from disk', async () => {
    const content = gzipSync(Buffer.alloc(100_000));
    const path = join(folderWith({ a: content }), 'a');
    let raw = 0;
    for await (const chunk of readInput(
      { name: path, size: 1, isFile: true },
      new PassThrough(),
      count,
    )) {
      expect(chunk.length).toBeGreaterThan(0);
    }
    function count(bytes: number): void {
      raw += bytes;
    }
    expect(raw).toBe(content.length);
  });

  it('of a file include those that are appended before its end is reached', async () => {
    const content = Buffer.alloc(400_000, 'a');
    const path = join(folderWith({ a: content }), 'a');
    const chunks: Buffer[] = [];
    for await (const chunk of readInput(
      { name: path, size: content.length, isFile: true },
      new PassThrough(),
      () => undefined,
    )) {
      if (chunks.length === 0) appendFileSync(path, 'b');
      chunks.push(chunk);
    }
    expect(chunks.length).toBeGreaterThan(1);
    expect(Buffer.concat(chunks).equals(Buffer.concat([content, Buffer.from('b')]))).toBe(true);
  });

  it('of a file begin at an offset, and stop at the signal', async () => {
    const content = Buffer.alloc(400_000, 'a');
    const path = join(folderWith({ a: content }), 'a');
    const controller = new AbortController();
    const input = { name: path, size: content.length, isFile: true };
    const { signal } = controller;
    const reading = readInput(input, new PassThrough(), () => undefined, {
      signal,
      offset: 399_990,
    });
    expect((await reading.next()).value).toHaveLength(10);
    controller.abort();
    await expect(reading.next()).rejects.toThrow('aborted');
  });

  it('may arrive as text from standard input', async () => {
    const stdin = new PassThrough({ encoding: 'utf8' });
    stdin.end('é\n');
    expect((await bytesOf({ name: '-', size: undefined, isFile: false }, stdin)).toString()).toBe(
      'é\n',
    );
  });

  it.each([
    ['plain', Buffer.from(text)],
    ['gzip', gzipSync(text)],
  ])('leave the stream closed, however early the reader stops: %s', async (_, chunk) => {
    for (const chunksRead of [1, 2]) {
      const stdin = new PassThrough();
      const reading = readInput(
        { name: '-', size: undefined, isFile: false },
        stdin,
        () => undefined,
      );
      for (let i = 0; i < chunksRead; i++) {
        stdin.write(chunk);
        expect((await reading.next()).value.toString()).toBe(text);
      }
      await reading.return(undefined);
      expect(stdin.destroyed).toBe(true);
    }
  });
});

async function bytesOf(input: Input, stdin: Readable = new PassThrough()): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of readInput(input, stdin, () => undefined)) chunks.push(chunk);
  return Buffer.concat(chunks);
}
