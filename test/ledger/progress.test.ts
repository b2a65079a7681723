import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findInputs } from '../../src/sources/find-inputs.js';
import { readBatches } from '../../src/sources/read.js';
import {
  Progress,
  type PendingLine,
  type Checkpoint,
  partAfter,
} from '../../src/ledger/progress.js';
import { restOf } from '../../src/ledger/resume.js';
import type { Origin } from '../../src/events/event.js';
import { folderWith } from '../helpers/folder.js';
import { lineAt, emptyCheckpoint, checkpointAfter } from '../helpers/checkpoint.js';

/** The lines that a run reads when it resumes from a checkpoint. */
async function linesLeft(paths: readonly string[], checkpoint: Checkpoint): Promise<Origin[]> {
  const found: Origin[] = [];
  const inputs = await findInputs([...paths]);
  for await (const batch of readBatches(inputs, { rest: (index) => restOf(checkpoint, index) })) {
    for (const { origin } of batch) found.push(origin);
  }
  return found;
}

const lineText = fc.constantFrom('{"a":1}', '{}', '{"long":"xxxxxxxxxxxxxxx"}', 'oops', '', '  ');
const lineEnd = fc.constantFrom('\n', '\r\n');
const text = fc
  .tuple(fc.array(fc.tuple(lineText, lineEnd), { maxLength: 12 }), fc.boolean())
  .map(([lines, hasMark]) => (hasMark ? '\ufeff' : '') + lines.flat().join(''));
/** The steps of a run: each reads some lines, and then ends an open one or none. */
const steps = fc.array(fc.tuple(fc.nat(3), fc.option(fc.nat(30), { freq: 5 })), { maxLength: 10 });

describe('an import that is killed at any time, repeatedly', () => {
  it('reads each line until it is settled, and no settled line again', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(text, { minLength: 1, maxLength: 3 }),
        fc.array(steps, { maxLength: 6 }),
        async (texts, runs) => {
          const paths = writeAll(texts);
          const all = (await linesLeft(paths, emptyCheckpoint)).map(nameOf);
          const settled: string[] = [];
          let checkpoint = emptyCheckpoint;
          for (const run of runs) {
            const progress = new Progress(paths, checkpoint);
            const left = await linesLeft(paths, checkpoint);
            expect(left.map(nameOf).sort()).toEqual(without(all, settled));
            const open: [string, PendingLine][] = [];
            for (const [reads, ends] of run) {
              for (const origin of left.splice(0, reads)) {
                open.push([nameOf(origin), progress.open(lineAt(origin))]);
              }
              if (ends === null || open.length === 0) continue;
              const [[name, line]] = open.splice(ends % open.length, 1) as [[string, PendingLine]];
              progress.close(line);
              settled.push(name);
              if (settled.length % 3 > 0) continue;
              checkpoint = checkpointAfter(checkpoint, progress.changes());
              progress.committed();
            }
            expect(progress.openLines).toBe(open.length);
            checkpoint = checkpointAfter(checkpoint, progress.changes());
          }
          const left = await linesLeft(paths, checkpoint);
          expect(left.map(nameOf).sort()).toEqual(without(all, settled));
          const progress = new Progress(paths, checkpoint);
          for (const origin of left) progress.close(progress.open(lineAt(origin)));
          expect(progress.leftLines).toBe(0);
          expect(await linesLeft(paths, checkpointAfter(checkpoint, progress.changes()))).toEqual(
            [],
          );
        },
      ),
      { numRuns: 150 },
    );
  });
});

describe('a file that has grown', () => {
  it.each([
    ['by whole lines', '{"a":1}\n{"b":2}\n', '{"c":3}\n{"d":4}', [3, 4]],
    ['after a last line without a newline', '{"a":1}\n{"b":2}', '\n{"c":3}\n', [3]],
    ['in the middle of its last line', '{"a":1}\n{"b":', '2}\n{"c":3}\n', [2, 3]],
    ['in the middle of its only line', '{"a"', ':1}\n', [1]],
    ['between CR and LF', '{"a":1}\r', '\n{"b":2}\r\n', [2]],
    ['after blank lines', '{"a":1}\n\n \n', '\n{"b":2}\n', [5]],
    ['by nothing', '{"a":1}\n', '', []],
    ['from nothing', '', '{"a":1}\n', [1]],
  ])('%s is read on from there', async (_how, before, added, lines) => {
    const paths = writeAll([before, '{"other":1}\n']);
    const progress = new Progress(paths, emptyCheckpoint);
    for (const origin of await linesLeft(paths, emptyCheckpoint))
      progress.close(progress.open(lineAt(origin)));
    writeFileSync(paths[0]!, before + added);
    const then = checkpointAfter(emptyCheckpoint, progress.changes());
    const left = await linesLeft(paths, then);
    expect(left.map(({ file, line }) => [file, line])).toEqual(
      lines.map((line) => [paths[0], line]),
    );
    const again = new Progress(paths, then);
    for (const origin of left) again.close(again.open(lineAt(origin)));
    expect(await linesLeft(paths, checkpointAfter(then, again.changes()))).toEqual([]);
  });
});

it('adjacent open lines are stored as one range', () => {
  const progress = new Progress(['a'], emptyCheckpoint);
  const lines = Array.from({ length: 1_000 }, (_, i) =>
    progress.open(lineAt({ file: 'a', line: i + 1, offset: i * 10, length: 9 })),
  );
  for (const line of [lines[0]!, lines[499]!]) progress.close(line);
  expect(progress.changes()).toMatchObject({
    last: new Map([[0, { line: 1_000, offset: 9_990, length: 9 }]]),
    open: [
      [0, 2, 10, 498],
      [0, 501, 5_000, 500],
    ],
  });
});

function writeAll(texts: readonly string[]): string[] {
  const folder = folderWith();
  return texts.map((content, i) => {
    const path = join(folder, `${i}.ndjson`);
    writeFileSync(path, content);
    return path;
  });
}

function nameOf({ file, line, offset, length }: Origin): string {
  return [file, line, offset, length].join(' ');
}

function without(all: readonly string[], some: readonly string[]): string[] {
  return all.filter((name) => !some.includes(name)).sort();
}

it('the part of a range after a line has the same open lines, also after one that was done before', () => {
  // Lines 10 to 15, of which 14 and 15 are open.
  const range = [0, 10, 500, 6, 4] as const;
  expect(partAfter(range, { line: 11, offset: 520 })).toEqual([[0, 11, 520, 5, 3]]);
  expect(partAfter(range, { line: 13, offset: 560 })).toEqual([[0, 13, 560, 3, 1]]);
  expect(partAfter(range, { line: 14, offset: 580 })).toEqual([[0, 14, 580, 2, 1]]);
  expect(partAfter(range, { line: 15, offset: 600 })).toEqual([]);
});
