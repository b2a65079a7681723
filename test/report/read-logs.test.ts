import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { findInputs } from '../../src/sources/find-inputs.js';
import type { LoggedAttempt } from '../../src/report/attempt-line.js';
import { readLogs } from '../../src/report/read-logs.js';
import { folderWith } from '../helpers/folder.js';
import { attempt, lineOf } from './attempts.js';

const good = `${lineOf(attempt())}\n`;

async function read(files: Record<string, string | Buffer>, stdin = '') {
  const folder = folderWith(files);
  const paths = Object.keys(files).map((name) => join(folder, name));
  const attempts: LoggedAttempt[] = [];
  const inputs = await findInputs(stdin === '' ? paths : [...paths, '-']);
  const reading = await readLogs(inputs, new PassThrough().end(stdin), (one) => attempts.push(one));
  return { folder, attempts, ...reading };
}

describe('reading logs', () => {
  it('accepts several, plain, gzip and standard input', async () => {
    const result = await read({ 'a.ndjson': good, 'b.gz': gzipSync(good + good) }, good);
    expect(result.attempts).toEqual(Array(4).fill(attempt()));
    expect(result).toMatchObject({ lines: 4, brokenInputs: [] });
    expect(result.files.at(-1)).toBe('-');
  });

  it('counts lines of another kind and broken ones, with the location of the first', async () => {
    const text = `${good}\n{"type":"summary"}\n{"type":"attempt"}\n{\n${good}{"a":1}`;
    const { folder, attempts, lines, other, broken } = await read({ 'log.ndjson': text });
    const file = join(folder, 'log.ndjson');
    expect(attempts).toHaveLength(2);
    expect(lines).toBe(6);
    expect(other).toEqual({ count: 2, first: { file, line: 3, message: 'type summary' } });
    expect(broken).toEqual({
      count: 2,
      first: { file, line: 4, message: 'at is not a date and time' },
    });
  });

  it('does not keep an overlong line', async () => {
    const { attempts, broken } = await read({ log: `${'x'.repeat(1_000_000)}\n${good}` });
    expect(attempts).toHaveLength(1);
    expect(broken.first).toMatchObject({ line: 1, message: 'longer than 65536 bytes' });
  });

  it('continues after a truncated log, whose whole lines count', async () => {
    const whole = gzipSync(good.repeat(10_000), { level: 0 });
    const { folder, attempts, brokenInputs } = await read({
      'a.gz': whole.subarray(0, whole.length / 2),
      'b.ndjson': good,
    });
    expect(attempts.length).toBeGreaterThan(1_000);
    expect(brokenInputs).toEqual([
      {
        file: join(folder, 'a.gz'),
        lines: attempts.length - 1,
        message: 'the gzip data is truncated',
      },
    ]);
  });
});
