import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { StateError } from '../../src/errors.js';
import { Recorder } from '../../src/listen/recorder.js';
import { folderWith } from '../helpers/folder.js';

const noFailure = (error: unknown): never => {
  throw error as Error;
};

describe('the file of --record', () => {
  it('has a line before its callback is called', async () => {
    const path = join(folderWith(), 'got.ndjson');
    const recorder = new Recorder(path, noFailure);
    const seen = await new Promise<string>((resolve) => {
      recorder.add('one', () => resolve(readFileSync(path, 'utf8')));
    });
    expect(seen).toBe('one\n');
    recorder.close();
  });

  it('gets the lines of one turn together, in their order', async () => {
    const path = join(folderWith(), 'got.ndjson');
    const recorder = new Recorder(path, noFailure);
    const written: string[] = [];
    const last = new Promise<void>((resolve) => {
      for (const name of ['a', 'b', 'c']) recorder.add(name, () => written.push(name));
      recorder.add('d', resolve);
    });
    expect(written).toEqual([]);
    await last;
    expect(written).toEqual(['a', 'b', 'c']);
    expect(readFileSync(path, 'utf8')).toBe('a\nb\nc\nd\n');
    recorder.close();
  });

  it('gets long lines within a turn, and calls nobody before its end', () => {
    const path = join(folderWith(), 'got.ndjson');
    const recorder = new Recorder(path, noFailure);
    const written: string[] = [];
    const lines = ['é'.repeat(100_000), 'short', 'x'.repeat(100_000)];
    for (const line of lines) recorder.add(line, () => written.push(line));
    expect(statSync(path).size).toBeGreaterThan(100_000);
    expect(written).toEqual([]);
    recorder.flush();
    expect(written).toEqual(lines);
    expect(readFileSync(path, 'utf8')).toBe(lines.map((line) => `${line}\n`).join(''));
    recorder.close();
  });

  it('is appended to, and only readable by its owner', () => {
    const cwd = folderWith({ 'got.ndjson': 'before' });
    const recorder = new Recorder(join(cwd, 'got.ndjson'), noFailure);
    recorder.add('after', () => undefined);
    recorder.close();
    expect(readFileSync(join(cwd, 'got.ndjson'), 'utf8')).toBe('before\nafter\n');
    const fresh = join(cwd, 'sub', 'fresh.ndjson');
    const other = new Recorder(fresh, noFailure);
    other.add('x', () => undefined);
    other.close();
    expect(statSync(fresh).mode & 0o777).toBe(0o600);
  });

  it('that cannot be written is reported once, and no callback is called', () => {
    const cwd = folderWith({ 'a-file': '' });
    const failures: unknown[] = [];
    const written: string[] = [];
    const recorder = new Recorder(join(cwd, 'a-file', 'got.ndjson'), (error) =>
      failures.push(error),
    );
    recorder.add('one', () => written.push('one'));
    recorder.flush();
    recorder.add('two', () => written.push('two'));
    recorder.close();
    expect(written).toEqual([]);
    expect(failures).toHaveLength(1);
    expect(failures[0]).toBeInstanceOf(StateError);
  });
});
