import { randomUUID } from 'node:crypto';
import { linkSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { EvfwdError, StateError, UsageError } from '../errors.js';
import { makeFolder } from './make-folder.js';

/** Keeps a second process from the same job, for as long as this one lives. */
export interface Lock {
  release(): void;
}

/** Several locks as one. */
export class Locks implements Lock {
  readonly #locks: Lock[] = [];

  add(lock: Lock): void {
    this.#locks.push(lock);
  }

  release(): void {
    for (const lock of this.#locks.splice(0)) lock.release();
  }
}

/**
 * Takes the lock file at `path`, which holds the pid and start of its owner. One that a dead process
 * left behind is taken over, as is one that holds no owner. `what` begins the error: "this import".
 *
 * @throws UsageError when a living process has it; StateError when it cannot be written.
 */
export function takeLock(path: string, what = 'this import'): Lock {
  return writing(path, () => {
    makeFolder(dirname(path));
    const aside = writeAside(path);
    try {
      return take(path, aside, what);
    } finally {
      remove(aside);
    }
  });
}

/** `aside` is a file with this process as the owner; a lock is one more name of it. */
function take(path: string, aside: string, what: string): Lock {
  if (linkTo(aside, path)) return { release: () => release(path) };
  throwIfHeld(path, what);
  // Only one process at a time may remove the lock of a dead owner: the next one would remove that of
  // the first. The guard may itself have been left behind, and is taken over in the same way.
  const guard = take(`${path}.takeover`, aside, what);
  try {
    throwIfHeld(path, what);
    remove(path);
    if (linkTo(aside, path)) return { release: () => release(path) };
    throwIfHeld(path, what);
    throw new UsageError(`${path}: other processes take this lock; run again`, 'locked');
  } finally {
    guard.release();
  }
}

interface Owner {
  readonly pid: number;
  /** When it began, to tell a process that got the same pid later; empty where that is unknown. */
  readonly startedAt: string;
}

/** A lock must never be seen without its owner, so it is written under another name first. */
function writeAside(path: string): string {
  const aside = `${path}.${randomUUID()}`;
  const owner: Owner = { pid: process.pid, startedAt: startOf(process.pid) };
  writeFileSync(aside, JSON.stringify(owner), { flag: 'wx', mode: 0o600 });
  return aside;
}

/** Gives the file one more name, in one step. False where that name is taken. */
function linkTo(aside: string, path: string): boolean {
  try {
    linkSync(aside, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

function throwIfHeld(path: string, what: string): void {
  const owner = ownerOf(path);
  if (owner === undefined || !isAlive(owner)) return;
  throw new UsageError(
    `${what} is running in process ${owner.pid}; wait for it, or stop it`,
    'locked',
  );
}

/** Another process may have it by now, where somebody has removed the file by hand. */
function release(path: string): void {
  const owner = ownerOf(path);
  if (owner?.pid === process.pid && isAlive(owner)) remove(path);
}

function writing<T>(path: string, write: () => T): T {
  try {
    return write();
  } catch (cause) {
    if (cause instanceof EvfwdError) throw cause;
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
    // Left empty by a crash of an earlier version, or gone in the meantime.
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
