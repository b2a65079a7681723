import fs, { copyFileSync, existsSync, rmSync, statSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { StateError, UsageError } from '../../src/errors.js';
import { StateFile, type StateUse } from '../../src/storage/state-file.js';
import { folderWith } from '../helpers/folder.js';

const schema = 'CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT NOT NULL)';
const advice = {
  removed: 'while the test ran; run it again',
  otherVersion: 'start over',
  damaged: 'restore it',
  inUse: 'wait',
  notWritten: 'make room',
  full: ', then run again',
};
const use: StateUse = { version: 3, schema, advice };

const files = new Set<StateFile>();
afterEach(() => {
  for (const file of files) close(file);
});

async function open(path = join(folderWith(), 'state.db'), version = 3): Promise<StateFile> {
  const file = await StateFile.open(path, { ...use, version });
  files.add(file);
  return file;
}

function close(file: StateFile): void {
  files.delete(file);
  file.close();
}

const insert = 'INSERT INTO item (name) VALUES (?)';

function add(file: StateFile, ...names: string[]): void {
  file.transaction(() => {
    for (const name of names) file.run(insert, name);
  });
}

const namesIn = (file: StateFile) =>
  file.all('SELECT name FROM item ORDER BY id').map(({ name }) => name);

const versionOf = (file: StateFile) => file.get('PRAGMA user_version')?.user_version;

describe('a state file', () => {
  it('has its version, and keeps what it holds', async () => {
    const file = await open();
    add(file, 'one', 'two');
    close(file);
    const again = await open(file.path);
    expect([versionOf(again), namesIn(again)]).toEqual([3, ['one', 'two']]);
  });

  it('is empty when its tables cannot be made', async () => {
    const path = join(folderWith(), 'state.db');
    const broken = `${schema}; INSERT INTO nothing VALUES (1)`;
    await expect(StateFile.open(path, { ...use, schema: broken })).rejects.toThrow(StateError);
    // A copy, since the process has the lock until that file is garbage-collected.
    const copy = join(folderWith(), 'copy.db');
    copyFileSync(path, copy);
    expect(namesIn(await open(copy))).toEqual([]);
  });

  it.each([2, 4])('of version %i is refused', async (version) => {
    const file = await open(undefined, version);
    close(file);
    const error = await open(file.path).catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(UsageError);
    expect((error as Error).message).toBe(
      `${file.path}: was created by another version of evfwd (state version ${version}, this one supports 3); use that one, or start over`,
    );
  });

  it('is accessible only by its owner, and one file when it is closed', async () => {
    const file = await open();
    add(file, 'one');
    const log = `${file.path}-wal`;
    expect([file.path, log].map((path) => statSync(path).mode & 0o777)).toEqual([0o600, 0o600]);
    close(file);
    expect([existsSync(file.path), existsSync(log)]).toEqual([true, false]);
  });

  it('in memory has no file', async () => {
    const file = await open(':memory:');
    add(file, 'one');
    expect(namesIn(file)).toEqual(['one']);
    await file.flush();
    file.flushNow();
  });
});

describe('a transaction', () => {
  it('is written completely or not at all, and the next one works', async () => {
    const file = await open();
    const fail = (): void => {
      file.run(insert, 'lost');
      throw new TypeError('a defect');
    };
    expect(() => file.transaction(fail)).toThrow(TypeError);
    add(file, 'one', 'two');
    expect(namesIn(file)).toEqual(['one', 'two']);
  });

  it('returns how many rows have changed', async () => {
    const file = await open();
    add(file, 'one', 'two', 'three');
    const changed: number[] = [];
    file.transaction(() => changed.push(file.run('DELETE FROM item WHERE name LIKE ?', 't%')));
    expect(changed).toEqual([2]);
  });

  it.each(['at once', 'later'] as const)('%s is on the disk after a flush', async (onDisk) => {
    const file = await open();
    file.transaction(() => file.run(insert, 'one'), onDisk);
    await file.flush();
    file.flushNow();
    expect(file.get('SELECT name FROM item')).toEqual({ name: 'one' });
  });

  it('with a probe alone changes nothing', async () => {
    const file = await open();
    file.transaction(() => file.probe());
    expect(versionOf(file)).toBe(3);
  });

  it('is refused when the file was removed', async () => {
    const file = await open();
    add(file, 'one');
    rmSync(file.path);
    const transaction = () => add(file, 'two');
    expect(transaction).toThrow(StateError);
    expect(transaction).toThrow(`${file.path}: was removed while the test ran; run it again`);
  });
});

it('what was committed and not flushed is in the database file after a rescue', async () => {
  const file = await open();
  file.transaction(() => file.run(insert, 'one'), 'later');
  const lost = join(folderWith(), 'lost.db');
  copyFileSync(file.path, lost);
  file.rescueUnflushed();
  // Without the log, as after a power cut that took all of it.
  const rescued = join(folderWith(), 'rescued.db');
  copyFileSync(file.path, rescued);
  expect([namesIn(await open(lost)), namesIn(await open(rescued))]).toEqual([[], ['one']]);
});

describe('a flush', () => {
  afterEach(() => {
    vi.restoreAllMocks();
    syncBuiltinESMExports();
  });

  /** Replaces a function of the file system for all modules. */
  function replace(name: 'fdatasync' | 'fdatasyncSync', by: (...values: never[]) => void) {
    const spy = vi.spyOn(fs, name).mockImplementation(by as never);
    syncBuiltinESMExports();
    return spy;
  }

  const logOf = ({ path }: StateFile): number => statSync(`${path}-wal`).ino;

  it('ends when the system has written the log to the disk, not before', async () => {
    const file = await open();
    file.transaction(() => file.run(insert, 'one'), 'later');
    const syncs: { ino: number; done: (error: Error | null) => void }[] = [];
    replace('fdatasync', (descriptor: number, done: (error: Error | null) => void) => {
      syncs.push({ ino: fs.fstatSync(descriptor).ino, done });
    });
    let isDone = false;
    const flushed = file.flush().then(() => (isDone = true));
    await new Promise((resolve) => setImmediate(resolve));
    expect([syncs.map(({ ino }) => ino), isDone]).toEqual([[logOf(file)], false]);
    syncs[0]!.done(null);
    await flushed;
    const failed = file.flush();
    syncs[1]!.done(Object.assign(new Error('EIO'), { code: 'EIO', syscall: 'fdatasync' }));
    await expect(failed).rejects.toThrow(/cannot be written \(EIO\)/);
  });

  it('that is synchronous writes the log to the disk', async () => {
    const file = await open();
    file.transaction(() => file.run(insert, 'one'), 'later');
    const sync = replace('fdatasyncSync', () => undefined);
    file.flushNow();
    expect(sync).toHaveBeenCalledTimes(1);
  });
});

it('the log shrinks again after a large transaction', async () => {
  const file = await open();
  const bytes = (): number => statSync(`${file.path}-wal`).size;
  const large = 'x'.repeat(1024 * 1024);
  add(file, ...Array.from({ length: 24 }, () => large));
  expect(bytes()).toBeGreaterThan(20 * 1024 * 1024);
  add(file, 'one');
  add(file, 'two');
  expect(bytes()).toBeLessThan(9 * 1024 * 1024);
  expect(namesIn(file).slice(24)).toEqual(['one', 'two']);
});
