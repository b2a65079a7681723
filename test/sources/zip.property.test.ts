import fc from 'fast-check';
import { expect, it } from 'vitest';
import { UsageError } from '../../src/errors.js';
import { SourceError } from '../../src/sources/source-error.js';
import { listZip, readZipEntry } from '../../src/sources/zip.js';
import { runs } from '../helpers/property-runs.js';
import { inMemory, zipOf } from '../helpers/zip-files.js';

const content = fc.record({
  name: fc.stringMatching(/^[a-z]{1,8}(\/[a-z]{1,8})?$/),
  bytes: fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
  isCompressed: fc.boolean(),
  isStreamed: fc.boolean(),
  isZip64: fc.boolean(),
});
const archive = fc.array(content, { maxLength: 5 });

it('a zip archive has what was put in it, wherever chunks end', async () => {
  await fc.assert(
    fc.asyncProperty(
      archive,
      fc.boolean(),
      fc.nat(200),
      fc.integer({ min: 1, max: 50 }),
      async (contents, isZip64, prefix, chunkBytes) => {
        const zip = await zipOf(contents, { isZip64 });
        const read = await readAll(Buffer.concat([Buffer.alloc(prefix, 1), zip]), chunkBytes);
        expect(read).toEqual(contents.map(({ name, bytes }) => [name, bytes.toString('hex')]));
      },
    ),
    { numRuns: runs(400, 50) },
  );
});

it('a damaged zip archive ends as one of the errors that say so, and yields no more than it promises', async () => {
  await fc.assert(
    fc.asyncProperty(
      archive,
      fc.array(fc.tuple(fc.nat(), fc.integer({ min: 0, max: 255 })), {
        minLength: 1,
        maxLength: 4,
      }),
      async (contents, edits) => {
        const zip = await zipOf(contents);
        for (const [at, byte] of edits) zip[at % zip.length] = byte;
        try {
          await readAll(zip, 64);
        } catch (error) {
          expect(error instanceof SourceError || error instanceof UsageError).toBe(true);
        }
      },
    ),
    { numRuns: runs(2_000, 100) },
  );
});

async function readAll(zip: Buffer, chunkBytes: number): Promise<[string, string][]> {
  const source = inMemory(zip, chunkBytes);
  const read: [string, string][] = [];
  for (const entry of await listZip(source)) {
    const pieces: Buffer[] = [];
    for await (const piece of readZipEntry(source, entry)) pieces.push(piece);
    read.push([entry.name, Buffer.concat(pieces).toString('hex')]);
  }
  return read;
}
