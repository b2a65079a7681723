import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { acquireLock } from '../../src/storage/lock.js';
import { folderWith } from '../helpers/folder.js';

/** Called after each read of a file. */
const hook = vi.hoisted((): { onRead: (path: unknown) => void } => ({ onRead: () => undefined }));

vi.mock('node:fs', async (original) => {
  const fs = await original<typeof import('node:fs')>();
  const readFile = (...args: Parameters<typeof fs.readFileSync>) => {
    try {
      return fs.readFileSync(...args);
    } finally {
      hook.onRead(args[0]);
    }
  };
  return { ...fs, readFileSync: readFile };
});

it('a lock that was released is not removed after another process has acquired it', () => {
  const path = join(folderWith(), 'x.lock');
  const other = JSON.stringify({ pid: process.ppid, startedAt: '' });
  let reads = 0;
  hook.onRead = (read) => {
    // The lock is gone when this process checks it under the guard; then another one acquires it.
    if (read === path && ++reads === 2) writeFileSync(path, other);
  };
  let links = 0;
  const link = (from: string, to: string): void => {
    if (to === path && links++ === 0) throw Object.assign(new Error(), { code: 'EEXIST' });
    writeFileSync(to, readFileSync(from), { flag: 'wx' });
  };
  expect(() => acquireLock(path, 'this import', { link })).toThrow(
    `this import is running in process ${process.ppid}`,
  );
  expect(readFileSync(path, 'utf8')).toBe(other);
});
