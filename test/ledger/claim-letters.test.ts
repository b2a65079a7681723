import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { UsageError } from '../../src/errors.js';
import { claimLetters } from '../../src/ledger/claim-letters.js';
import { folderWith } from '../helpers/folder.js';

describe('the file of --dead-letter', () => {
  it('is kept from others until it is released, and is not made by that', () => {
    const folder = folderWith();
    const path = join(folder, 'a', 'dead.ndjson');
    const lock = claimLetters(path);
    expect(() => claimLetters(path)).toThrow(
      `a run with --dead-letter ${path} is running in process ${process.pid}; wait for it, or stop it`,
    );
    lock.release();
    expect(readdirSync(join(folder, 'a'))).toEqual([]);
    claimLetters(path).release();
  });

  it('keeps what it has, and is the same by whatever name it is reached', () => {
    const folder = folderWith({ 'dead.ndjson': '{}\n' });
    symlinkSync(join(folder, 'dead.ndjson'), join(folder, 'link'));
    const lock = claimLetters(join(folder, 'link'));
    expect(() => claimLetters(join(folder, 'dead.ndjson'))).toThrow(UsageError);
    lock.release();
    expect(readFileSync(join(folder, 'dead.ndjson'), 'utf8')).toBe('{}\n');
  });

  it('may be a pipe or a device, which many can write to', () => {
    const pipe = join(folderWith(), 'pipe');
    execFileSync('mkfifo', [pipe]);
    for (const path of [pipe, '/dev/null']) {
      const locks = [claimLetters(path), claimLetters(path)];
      for (const lock of locks) lock.release();
      expect(existsSync(`${path}.lock`)).toBe(false);
    }
  });

  it.each([
    ['is a folder', 'EISDIR', (folder: string) => mkdirSync(join(folder, 'dead'))],
    ['lies in a file', 'E(NOTDIR|EXIST)', () => undefined, 'file/dead'],
    ['lies where nothing can be made', 'E(NOENT|ACCES|ROFS)', () => undefined, '/proc/evfwd/dead'],
  ])('that %s is a usage error', (_what, code, prepare, name = 'dead') => {
    const folder = folderWith({ file: '' });
    prepare(folder);
    const path = name.startsWith('/') ? name : join(folder, name);
    const claim = () => claimLetters(path);
    expect(claim).toThrow(
      new RegExp(`^--dead-letter ${path}: cannot be written \\(${code}\\); choose another place$`),
    );
    expect(claim).toThrow(expect.objectContaining({ exitCode: 2 }));
    expect(existsSync(`${path}.lock`)).toBe(false);
  });

  it.skipIf(process.getuid?.() === 0)('that may not be written to is a usage error', () => {
    const path = join(folderWith({ dead: '' }), 'dead');
    chmodSync(path, 0o400);
    expect(() => claimLetters(path)).toThrow('(EACCES)');
  });
});
