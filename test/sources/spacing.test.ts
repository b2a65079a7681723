import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { findInputs } from '../../src/sources/find-inputs.js';
import type { Input } from '../../src/sources/input.js';
import { estimateDuration, type EstimateOptions } from '../../src/sources/spacing.js';
import { track } from '../helpers/events.js';
import { folderWith } from '../helpers/folder.js';

const t0 = Date.parse('2026-01-01T00:00:00.000Z');

/** A line with a track call this many seconds after the first; undefined for no timestamp. */
function lineAt(seconds: number | undefined, members: Record<string, unknown> = {}): string {
  const timestamp = seconds === undefined ? undefined : new Date(t0 + seconds * 1000).toISOString();
  return `${JSON.stringify({ ...track, timestamp, ...members })}\n`;
}

function linesAt(...seconds: (number | undefined)[]): string {
  return seconds.map((at) => lineAt(at)).join('');
}

/** The estimated duration of the replay of these files. */
async function estimate(
  contents: readonly (string | Buffer)[],
  options: Partial<EstimateOptions> = {},
) {
  const names = contents.map((_, i) => `${i}.ndjson`);
  const folder = folderWith(Object.fromEntries(contents.map((content, i) => [names[i], content])));
  const inputs = await findInputs(names.map((name) => join(folder, name)));
  return estimateDuration(inputs, { factor: 1, ...options });
}

const exactly = (seconds: number) => ({ ms: seconds * 1000, isExact: true });
const about = (seconds: number) => ({ ms: seconds * 1000, isExact: false });

/** More than is read of one end of a file, all at the same time. */
const manyAt = (seconds: number) => lineAt(seconds).repeat(2_000);
const noEvents = 'not an event\n'.repeat(10_000);

describe('the duration of a replay', () => {
  it.each([
    ['one file', [linesAt(0, 5, 60)], about(60)],
    ['one event', [linesAt(7)], about(0)],
    ['several files', [linesAt(0, 5), linesAt(60, 90)], about(90)],
    ['an empty file among them', [linesAt(0, 5), '', linesAt(90)], about(90)],
    ['no events', [''], about(0)],
    ['files in the wrong order', [linesAt(60, 90), linesAt(0, 5)], about(30)],
    ['a last line without end', [linesAt(0, 60).trimEnd()], about(60)],
    ['no timestamps at the ends', [linesAt(undefined, 3, 60, undefined)], about(57)],
    ['invalid lines at the ends', [`{}\n${linesAt(0, 60)}{"type":\n`], about(60)],
    ['a large file', [linesAt(0) + manyAt(60) + linesAt(90)], about(90)],
  ])('is estimated from the ends of the files: %s', async (_, contents, expected) => {
    expect(await estimate(contents)).toEqual(expected);
  });

  it.each([
    [10, about(6)],
    [0.5, about(120)],
    [Infinity, exactly(0)],
  ])('depends on the speed: %d', async (factor, expected) => {
    expect(await estimate([linesAt(0, 5, 60)], { factor })).toEqual(expected);
  });

  it.each([
    ['a longest wait', [linesAt(0, 5, 60, 62)], { maxWaitMs: 10_000 }, exactly(17)],
    ['it across files', [linesAt(0, 5), linesAt(60, 62)], { maxWaitMs: 10_000 }, exactly(17)],
    ['it at a speed', [linesAt(0, 5, 60, 62)], { maxWaitMs: 1_000, factor: 5 }, exactly(2.4)],
    ['gzip', [gzipSync(linesAt(0, 5, 60))], {}, exactly(60)],
    ['gzip among plain files', [linesAt(0, 5), gzipSync(linesAt(60, 70))], {}, exactly(70)],
    ['gzip that breaks off', [gzipSync(linesAt(0, 5, 60)).subarray(0, -8)], {}, exactly(60)],
    ['events in any order', [linesAt(5, 60, 0, 50)], { maxWaitMs: 9e9 }, exactly(55)],
    ['a limit', [linesAt(0, 5, 60)], { limit: 2 }, exactly(5)],
    ['large files without valid ends', [noEvents + linesAt(0, 9) + noEvents], {}, exactly(9)],
  ])('is computed from all events for %s', async (_, contents, options, expected) => {
    expect(await estimate(contents, options)).toEqual(expected);
  });

  it('is that of the events that are selected', async () => {
    const other = { event: 'Closed' };
    const content = lineAt(0, other) + linesAt(2, 4) + lineAt(60, other);
    const isSelected: EstimateOptions['isSelected'] = ({ value }) => value.event === 'Opened';
    expect(await estimate([content], { isSelected })).toEqual(about(2));
    expect(await estimate([content], { isSelected, maxWaitMs: 9e9 })).toEqual(exactly(2));
  });

  it.each<[string, Input]>([
    ['standard input', { name: '-', size: undefined, isFile: false }],
    ['a pipe', { name: '/dev/fd/99', size: undefined, isFile: false }],
    ['a file that is gone', { name: '/nowhere/events.ndjson', size: 100, isFile: true }],
  ])('is unknown for %s', async (_, input) => {
    const [file] = await findInputs([join(folderWith({ a: linesAt(0, 60) }), 'a')]);
    expect(await estimateDuration([file!, input], { factor: 1 })).toBeUndefined();
  });

  it('is unknown for large files that would have to be read whole', async () => {
    const folder = folderWith({ a: linesAt(0, 60) });
    const inputs = [{ name: join(folder, 'a'), size: 65 * 1024 * 1024, isFile: true }];
    expect(await estimateDuration(inputs, { factor: 1, maxWaitMs: 10 })).toBeUndefined();
  });

  it('is unknown when the scan is aborted', async () => {
    const options = { maxWaitMs: 10, signal: AbortSignal.abort() };
    expect(await estimate([linesAt(0, 60)], options)).toBeUndefined();
  });
});
