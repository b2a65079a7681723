import { gunzipSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { UsageError } from '../../src/errors.js';
import { SourceError } from '../../src/sources/source-error.js';
import { listZip, readZipEntry, type ZipEntry } from '../../src/sources/zip.js';
import { inMemory, zipOf, type ZipContent } from '../helpers/zip-files.js';

const text = '{"type":"track"}\n'.repeat(10_000);

describe('a zip archive', () => {
  it('has its files in the order of its directory, without folders', async () => {
    const contents = [
      { name: 'b.ndjson', bytes: 'b\n' },
      { name: 'logs/', bytes: '' },
      { name: 'logs/a.ndjson', bytes: 'a\n' },
      { name: 'empty', bytes: '' },
    ];
    expect(await unzip(await zipOf(contents))).toEqual([
      ['b.ndjson', 'b\n'],
      ['logs/a.ndjson', 'a\n'],
      ['empty', ''],
    ]);
  });

  it.each<[string, Partial<ZipContent>]>([
    ['stored', { isCompressed: false }],
    ['deflated', {}],
    ['with sizes behind the data', { isStreamed: true }],
    ['with sizes of 64 bits', { isZip64: true }],
    ['stored with sizes behind the data', { isStreamed: true, isCompressed: false }],
  ])('is read when its files are %s', async (_name, how) => {
    const contents = [
      { name: 'one', bytes: text, ...how },
      { name: 'two', bytes: 'two', ...how },
    ];
    expect(await unzip(await zipOf(contents))).toEqual([
      ['one', text],
      ['two', 'two'],
    ]);
  });

  it('is read wherever it begins, with 32 and 64 bits, with a comment and with padding', async () => {
    for (const isZip64 of [false, true]) {
      const zip = await zipOf([{ name: 'one', bytes: text }], { comment: 'a note', isZip64 });
      const program = Buffer.alloc(100_000, '#!/bin/sh\n');
      const whole = Buffer.concat([program, zip, Buffer.alloc(500)]);
      expect(await unzip(whole)).toEqual([['one', text]]);
    }
  });

  it('names files as they are named, also where that would be a path outside', async () => {
    const zip = await zipOf([
      { name: 'aa/aa/passwd', bytes: '1' },
      { name: 'aetc/passwd', bytes: '2' },
      { name: 'aüß.ndjson', bytes: '3' },
    ]);
    replaceAll(zip, 'aa/aa/passwd', '../../passwd');
    replaceAll(zip, 'aetc/passwd', '/etc/passwd');
    expect(await unzip(zip)).toEqual([
      ['../../passwd', '1'],
      ['/etc/passwd', '2'],
      ['aüß.ndjson', '3'],
    ]);
  });

  it('has entries that may be gzip themselves, byte for byte', async () => {
    const packed = gzipSync(text);
    const [entry] = await entriesOf(await zipOf([{ name: '0#1.json.gz', bytes: packed }]));
    expect(gunzipSync(entry!.bytes).toString()).toBe(text);
  });

  it('with hundreds of files is listed by few reads', async () => {
    const contents = Array.from({ length: 800 }, (_, i) => ({
      name: `${i}.json`,
      bytes: `${i}`,
      isCompressed: false,
    }));
    const source = inMemory(await zipOf(contents));
    expect(await listZip(source)).toHaveLength(800);
    expect(source.reads.length).toBeLessThan(10);
  });

  it('is inflated in pieces of at most 64 KB, even where a kilobyte inflates to a megabyte', async () => {
    const source = inMemory(await zipOf([{ name: 'bomb', bytes: Buffer.alloc(20_000_000) }]));
    const [entry] = await listZip(source);
    const lengths: number[] = [];
    for await (const piece of readZipEntry(source, entry!)) lengths.push(piece.length);
    expect(Math.max(...lengths)).toBe(65_536);
    expect(lengths.reduce((sum, length) => sum + length)).toBe(20_000_000);
  });

  it('ends early for a consumer that stops', async () => {
    const source = inMemory(await zipOf([{ name: 'one', bytes: Buffer.alloc(5_000_000) }]), 100);
    const [entry] = await listZip(source);
    for await (const piece of readZipEntry(source, entry!)) {
      expect(piece.length).toBeGreaterThan(0);
      break;
    }
  });

  it('is not read on when the signal is aborted', async () => {
    const zip = await zipOf([{ name: 'one', bytes: text }]);
    const controller = new AbortController();
    const entry = (await listZip(inMemory(zip)))[0]!;
    const source = {
      size: zip.length,
      async *read(start: number, end: number, signal?: AbortSignal) {
        yield* inMemory(zip, 20).read(start, Math.min(end, start + 60));
        controller.abort(new Error('stopped'));
        signal?.throwIfAborted();
      },
    };
    await expect(bytesOf(readZipEntry(source, entry, controller.signal))).rejects.toThrow(
      'stopped',
    );
  });

  it('reports what its source could not read as it is', async () => {
    const zip = await zipOf([{ name: 'one', bytes: text }]);
    const entry = (await listZip(inMemory(zip)))[0]!;
    const changed = new SourceError('has changed while it was read');
    const source = {
      size: zip.length,
      async *read(start: number, end: number) {
        if (end - start > 30) throw changed;
        yield* inMemory(zip).read(start, end);
      },
    };
    await expect(bytesOf(readZipEntry(source, entry))).rejects.toBe(changed);
    await expect(listZip(source)).rejects.toBe(changed);
  });
});

describe('a zip archive that cannot be read', () => {
  it.each<[string, (zip: Buffer) => Buffer, string]>([
    [
      'cut off',
      (zip) => zip.subarray(0, -30),
      'the zip archive is truncated: the directory at its end is missing',
    ],
    [
      'empty',
      () => Buffer.alloc(0),
      'the zip archive is truncated: the directory at its end is missing',
    ],
    [
      'followed by other data',
      (zip) => Buffer.concat([zip, Buffer.from('{"a":1}\n')]),
      'other data follows the zip archive',
    ],
    ['cut off at its start', (zip) => zip.subarray(10), 'the zip archive is damaged'],
    [
      'without a directory',
      (zip) => edited(zip, zip.indexOf('PK\x01\x02'), [1]),
      'the zip archive is damaged',
    ],
    [
      'with a directory beyond its end',
      (zip) => edited(zip, zip.length - 6, [0xff, 0xff, 0xff, 0x7f]),
      'the zip archive is damaged',
    ],
    [
      'with more entries than it has',
      (zip) => edited(zip, zip.length - 12, [9]),
      'the zip archive is damaged',
    ],
  ])('because it is %s, says so', async (_name, edit, message) => {
    const zip = await zipOf([{ name: 'one', bytes: text }]);
    const error = await failure(unzip(edit(Buffer.from(zip))));
    expect(error).toBeInstanceOf(SourceError);
    expect((error as SourceError).message).toBe(message);
    expect((error as SourceError).advice).toBeDefined();
  });

  it.each<[string, (zip: Buffer, at: number) => Buffer]>([
    ['checksum', (zip, at) => edited(zip, at + 16, [1, 2, 3, 4])],
    ['size', (zip, at) => edited(zip, at + 24, [5])],
    ['smaller size', (zip, at) => edited(zip, at + 24, [1, 0, 0, 0])],
    ['data', (zip) => edited(zip, 60, [0xff, 0xff, 0xff, 0xff, 0xff])],
    ['local header', (zip) => edited(zip, 0, [0])],
    ['shorter data', (zip, at) => edited(zip, at + 20, [20, 0, 0, 0])],
  ])('because an entry has a wrong %s, says so', async (_name, edit) => {
    const zip = await zipOf([{ name: 'one', bytes: text }]);
    const error = await failure(unzip(edit(zip, zip.lastIndexOf('PK\x01\x02'))));
    expect(error).toBeInstanceOf(SourceError);
    expect((error as SourceError).message).toBe('the zip entry is damaged');
  });

  it('because an entry is encrypted, names it before anything is read', async () => {
    const zip = await zipOf([{ name: 'one', bytes: text }]);
    const at = zip.lastIndexOf('PK\x01\x02');
    const error = await failure(listZip(inMemory(edited(zip, at + 8, [zip[at + 8]! | 1]))));
    expect(error).toBeInstanceOf(UsageError);
    expect((error as Error).message).toBe(
      'one in the zip archive is encrypted; unpack the archive with its password, and pass the files',
    );
    const strong = await failure(listZip(inMemory(edited(zip, at + 8, [zip[at + 8]! | 0x41]))));
    expect((strong as Error).message).toMatch(/^an entry in the zip archive is encrypted; /);
  });

  it.each([
    [9, 'deflate64'],
    [93, 'zstd'],
    [200, 'method 200'],
  ])('because of method %i, names it', async (method, name) => {
    const zip = await zipOf([{ name: 'one', bytes: text }]);
    const error = await failure(unzip(edited(zip, zip.lastIndexOf('PK\x01\x02') + 10, [method])));
    expect(error).toBeInstanceOf(SourceError);
    expect((error as Error).message).toBe(
      `the zip entry is compressed with ${name}, which cannot be read`,
    );
  });
});

async function unzip(zip: Buffer): Promise<[string, string][]> {
  return (await entriesOf(zip)).map(({ entry, bytes }) => [entry.name, bytes.toString()]);
}

async function entriesOf(zip: Buffer): Promise<{ entry: ZipEntry; bytes: Buffer }[]> {
  const source = inMemory(zip);
  const read: { entry: ZipEntry; bytes: Buffer }[] = [];
  for (const entry of await listZip(source)) {
    read.push({ entry, bytes: await bytesOf(readZipEntry(source, entry)) });
  }
  return read;
}

async function bytesOf(pieces: AsyncIterable<Buffer>): Promise<Buffer> {
  const all: Buffer[] = [];
  for await (const piece of pieces) all.push(piece);
  return Buffer.concat(all);
}

function failure(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => undefined,
    (error: unknown) => error,
  );
}

function edited(zip: Buffer, at: number, bytes: readonly number[]): Buffer {
  const copy = Buffer.from(zip);
  copy.set(bytes, at);
  return copy;
}

function replaceAll(zip: Buffer, from: string, to: string): void {
  for (let at = zip.indexOf(from); at >= 0; at = zip.indexOf(from, at + 1)) zip.write(to, at);
}
