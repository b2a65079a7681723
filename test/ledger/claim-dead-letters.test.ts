import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { UsageError } from '../../src/errors.js';
import { claimDeadLetters } from '../../src/ledger/claim-dead-letters.js';
import { folderWith } from '../helpers/folder.js';
import { execFileSync } from '../helpers/run-sync.js';

describe('the file of --dead-letter', () => {
  it('is locked until it is released, and removed if nothing was written', () => {
    const folder = folderWith();
    const path = join(folder, 'a', 'dead.ndjson');
    const lock = claimDeadLetters(path);
    expect(() => claimDeadLetters(path)).toThrow(
      `a run with --dead-letter ${path} is running in process ${process.pid}; wait for it, or stop it`,
    );
    lock.release();
    expect(readdirSync(join(folder, 'a'))).toEqual([]);
    claimDeadLetters(path).release();
  });

  it('keeps its content, and is recognized under any of its names', () => {
    const folder = folderWith({ 'dead.ndjson': '{}\n' });
    symlinkSync(join(folder, 'dead.ndjson'), join(folder, 'link'));
    const lock = claimDeadLetters(join(folder, 'link'));
    expect(() => claimDeadLetters(join(folder, 'dead.ndjson'))).toThrow(UsageError);
    lock.release();
    expect(readFileSync(join(folder, 'dead.ndjson'), 'utf8')).toBe('{}\n');
  });

  it('is removed only if it was created for the run and is empty', () => {
    const folder = folderWith({ empty: '' });
    claimDeadLetters(join(folder, 'empty')).release();
    const lock = claimDeadLetters(join(folder, 'filled'));
    writeFileSync(join(folder, 'filled'), '{}\n');
    lock.release();
    expect(readdirSync(folder).sort()).toEqual(['empty', 'filled']);
  });

  it('may be a link to a missing file, which is created', () => {
    const folder = folderWith();
    const link = join(folder, 'link');
    symlinkSync(join(folder, 'dead.ndjson'), link);
    const lock = claimDeadLetters(link);
    expect(() => claimDeadLetters(join(folder, 'dead.ndjson'))).toThrow(UsageError);
    lock.release();
    expect(readlinkSync(link)).toBe(join(folder, 'dead.ndjson'));
  });

  it.skipIf(process.getuid?.() === 0)(
    'may be in a folder where no lock file can be created',
    () => {
      const folder = folderWith({ 'dead.ndjson': '' });
      chmodSync(folder, 0o500);
      claimDeadLetters(join(folder, 'dead.ndjson')).release();
      chmodSync(folder, 0o700);
      expect(readdirSync(folder)).toEqual(['dead.ndjson']);
    },
  );

  it('may be a pipe or a device, to which several runs can write', () => {
    const pipe = join(folderWith(), 'pipe');
    execFileSync('mkfifo', [pipe]);
    for (const path of [pipe, '/dev/null']) {
      const locks = [claimDeadLetters(path), claimDeadLetters(path)];
      for (const lock of locks) lock.release();
      expect(existsSync(`${path}.lock`)).toBe(false);
    }
  });

  it.each([
    ['is a folder', 'EISDIR', (folder: string) => mkdirSync(join(folder, 'dead'))],
    ['is below a file', 'E(NOTDIR|EXIST)', () => undefined, 'file/dead'],
    ['is where nothing can be created', 'E(NOENT|ACCES|ROFS)', () => undefined, '/proc/evfwd/dead'],
  ])('that %s is a usage error', (_what, code, prepare, name = 'dead') => {
    const folder = folderWith({ file: '' });
    prepare(folder);
    const path = name.startsWith('/') ? name : join(folder, name);
    const claim = () => claimDeadLetters(path);
    expect(claim).toThrow(
      new RegExp(`^--dead-letter ${path}: cannot be written \\(${code}\\); choose another path$`),
    );
    expect(claim).toThrow(expect.objectContaining({ exitCode: 2 }));
    expect(existsSync(`${path}.lock`)).toBe(false);
  });

  it.skipIf(process.getuid?.() === 0)('that is not writable is a usage error', () => {
    const path = join(folderWith({ dead: '' }), 'dead');
    chmodSync(path, 0o400);
    expect(() => claimDeadLetters(path)).toThrow('(EACCES)');
  });
});
