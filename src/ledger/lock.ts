import { readFileSync, unlinkSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { StateError, UsageError } from '../errors.js';
import { makeFolder } from './make-folder.js';

/** Keeps a second process from the same import, for as long as this one lives. */
export interface Lock {
  release(): void;
}

/**
 * Takes the lock file at `path`, which holds the pid and start of its owner. One that a dead process
 * left behind is taken over. `what` begins the error: "this import".
 *
 * @throws UsageError when a living process has it; StateError when it cannot be written.
 */
export function takeLock(path: string, what = 'this import'): Lock {
  writing(path, () => makeFolder(dirname(path)));
  for (let tries = 0; tries < 3; tries++) {
    if (create(path)) return { release: () => remove(path) };
    const owner = ownerOf(path);
    if (owner !== undefined && isAlive(owner)) {
      throw new UsageError(
        `${what} is running in process ${owner.pid}; wait for it, or stop it`,
        'locked',
      );
    }
    remove(path);
  }
  throw new UsageError(`${path}: another process keeps taking this lock; run again`, 'locked');
}

interface Owner {
  readonly pid: number;
  /** When it began, to tell a process that got the same pid later; empty where that is unknown. */
  readonly startedAt: string;
}

function create(path: string): boolean {
  const owner: Owner = { pid: process.pid, startedAt: startOf(process.pid) };
  return writing(path, () => {
    try {
      writeFileSync(path, JSON.stringify(owner), { flag: 'wx', mode: 0o600 });
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
      throw error;
    }
  });
}

function writing<T>(path: string, write: () => T): T {
  try {
    return write();
  } catch (cause) {
    const { code = 'unknown error' } = cause as NodeJS.ErrnoException;
    throw new StateError(
      `${dirname(path)}: the state cannot be written (${code}); make it writable, or choose another place with --state-dir`,
      { cause },
    );
  }
}

function ownerOf(path: string): Owner | undefined {
  try {
    return (JSON.parse(readFileSync(path, 'utf8')) as Owner | null) ?? undefined;
  } catch {
    // Empty after a crash between creating and writing it, or gone in the meantime.
    return undefined;
  }
}

function isAlive({ pid, startedAt }: Owner): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
  return startedAt === '' || startedAt === startOf(pid);
}

/** Clock ticks from boot to the start of a process, on Linux; proc(5), field 22. */
function startOf(pid: number): string {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
    return fields[19] ?? '';
  } catch {
    return '';
  }
}

function remove(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // Gone already, as it should be.
  }
}
