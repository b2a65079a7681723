import { appendFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findInputs } from '../../src/sources/find-inputs.js';
import { RangeCutter } from '../../src/sources/range.js';
import { readBatches } from '../../src/sources/read.js';
import { checkLastLine, type LastLine } from '../../src/ledger/last-line.js';
import { Progress } from '../../src/ledger/progress.js';
import { RangeTracker } from '../../src/importer/workers/range-tracker.js';
import { folderWith } from '../helpers/folder.js';
import { emptyCheckpoint } from '../helpers/checkpoint.js';

type Form = 'plain' | 'gzip';

function write(path: string, text: string, form: Form): void {
  writeFileSync(path, form === 'gzip' ? gzipSync(text) : text);
}

/** The last of the first `lines` lines, as a run in the main thread stores it. */
async function lastLineAlone(path: string, lines = Infinity): Promise<LastLine> {
  const progress = new Progress([path], emptyCheckpoint);
  for await (const batch of readBatches(await findInputs([path]))) {
    for (const item of batch) if (item.origin.line <= lines) progress.open(item);
  }
  return progress.changes().last.get(0)!;
}

/** The same as a run with several threads stores it. */
function lastLineOfThreads(text: string, rangeBytes = 1): LastLine {
  const tracker = new RangeTracker(emptyCheckpoint, 1);
  const cutter = new RangeCutter(0, { line: 1, offset: 0 }, rangeBytes);
  for (const range of [...cutter.push(Buffer.from(text)), ...cutter.end()])
    tracker.assign(range, 0);
  return tracker.changes().last.get(0)!;
}

async function check(path: string, last: LastLine, isModified = true): Promise<void> {
  const [input] = await findInputs([path]);
  await checkLastLine(input!, last, isModified);
}

const lineOf = (n: number): string => `{"type":"track","userId":"u","event":"E${n}"}`;
const textOf = (from: number, to: number): string =>
  Array.from({ length: to - from }, (_, i) => `${lineOf(from + i)}\n`).join('');

const whole = textOf(0, 9);
const changes: [what: string, text: string][] = [
  ['a line before it is gone', textOf(1, 9) + textOf(20, 25)],
  ['a line before it is longer', ` ${whole}`],
  ['a line before it is shorter', whole.replace('track', 'page')],
  ['it is a different line', textOf(0, 4) + lineOf(7) + whole.slice(textOf(0, 5).length - 1)],
  ['it is truncated', textOf(0, 5).slice(0, -3)],
  ['the newline before it is gone', whole.replace(`\n${lineOf(4)}`, ` ${lineOf(4)}`)],
];

describe.each<Form>(['plain', 'gzip'])('the last line read of a %s file', (form) => {
  it.each(changes)('is not the same if %s', async (_what, text) => {
    const path = join(folderWith(), 'e');
    write(path, whole, form);
    const last = await lastLineAlone(path, 5);
    await check(path, last);
    write(path, text, form);
    await expect(check(path, last)).rejects.toThrow(
      `${path}:5: the last line that was read has changed since; restore it, or start over with --fresh`,
    );
    await expect(check(path, last)).rejects.toMatchObject({ exitCode: 2, code: 'file_changed' });
  });

  it.each([
    ['has grown after it', whole, whole + textOf(9, 12), 5],
    ['was truncated in it then', whole.slice(0, -9), whole + textOf(9, 12), 9],
    ['had no newline after it then', whole.slice(0, -1), `${whole.slice(0, -1)}\r\n`, 9],
    ['begins with a byte order mark', `\ufeff${whole}`, `\ufeff${whole}`, 1],
    ['has only blank lines after it', `${whole}\n  \n`, `${whole}\n  \n${whole}`, 99],
  ])('is the same if the file %s', async (_what, before, after, lines) => {
    const path = join(folderWith(), 'e');
    write(path, before, form);
    const last = await lastLineAlone(path, lines);
    write(path, after, form);
    await expect(check(path, last)).resolves.toBeUndefined();
  });

  it('without a hash, since it was too long, only needs a newline before it', async () => {
    const path = join(folderWith(), 'e');
    write(path, whole, form);
    const { hash, ...last } = await lastLineAlone(path, 5);
    expect(hash).toMatch(/^[0-9a-f]{16}$/);
    await check(path, last);
    write(path, ` ${whole}`, form);
    await expect(check(path, last)).rejects.toThrow(':5: ');
  });
});

describe('a gzip file', () => {
  it('that was not modified is not inflated for the check', async () => {
    const path = join(folderWith(), 'e');
    write(path, whole, 'gzip');
    const last = await lastLineAlone(path, 5);
    const { atime, mtime } = statSync(path);
    write(path, textOf(1, 9), 'gzip');
    utimesSync(path, atime, mtime);
    await expect(check(path, last, false)).resolves.toBeUndefined();
    await expect(check(path, last, true)).rejects.toThrow('has changed');
  });

  it('that is truncated before that line is not the same', async () => {
    const path = join(folderWith(), 'e');
    write(path, whole, 'gzip');
    const last = await lastLineAlone(path);
    writeFileSync(path, gzipSync(whole).subarray(0, 40));
    await expect(check(path, last)).rejects.toThrow('has changed');
  });
});

it('runs with and without threads find any line again: a wrapped event, an event, or another line', async () => {
  const line = fc.constantFrom(
    lineOf(1),
    `  ${lineOf(2)} `,
    `{"type":"dead-letter","reason":"failed","event":${lineOf(3)},"messageId":"m"}`,
    'oops',
    '{}',
    '\u0000',
  );
  const end = fc.constantFrom('\n', '\r\n');
  const lines = fc.array(fc.tuple(line, end), { minLength: 1, maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(lines, fc.boolean(), fc.nat(90), async (given, hasMark, rangeBytes) => {
      const text = (hasMark ? '\ufeff' : '') + given.flat().join('');
      const path = join(folderWith({ e: text }), 'e');
      const alone = await lastLineAlone(path);
      expect(lastLineOfThreads(text, rangeBytes)).toEqual(alone);
      appendFileSync(path, 'more\n');
      await expect(check(path, alone)).resolves.toBeUndefined();
    }),
    { numRuns: 60 },
  );
});
