import { randomUUID } from 'node:crypto';
import { linkSync, readdirSync, readFileSync, statSync, unlinkSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { EvfwdError, StateError, UsageError } from '../errors.js';
import { makeFolder } from './make-folder.js';
import { limitIsMet, type StateAdvice } from './state-errors.js';

/** Prevents a second process from doing the same work while this one is running. */
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

export interface LockOptions {
  /** Creates a hard link; on a file system without hard links, the file is written instead. */
  readonly link?: Link;
  /** What to do while a running process has it. Default: `wait for it, or stop it`. */
  readonly inUse?: string;
  /** The advice for a full disk, as in `StateAdvice`. Default: `, then run again`. */
  readonly full?: string;
  /** What to do where it cannot be written. Default: `make it writable, or choose another place with --state-dir`. */
  readonly notWritten?: string;
}

/**
 * Acquires the lock file at `path`, which contains the pid and start time of its owner. A lock is taken
 * over if its owner is dead or it has no owner. `what` is the subject of the error: "this import".
 *
 * @throws UsageError when a running process has it; StateError when it cannot be written.
 */
export function acquireLock(
  path: string,
  what = 'this import',
  {
    link = linkSync,
    inUse,
    full = ', then run again',
    notWritten = 'make it writable, or choose another place with --state-dir',
  }: LockOptions = {},
): Lock {
  return writing(path, { full, notWritten }, () => {
    makeFolder(dirname(path));
    const ownerFile = `${path}.${randomUUID()}`;
    try {
      writeOwnerFile(ownerFile);
      const lock = acquire(path, { what, inUse }, (name) => create(name, ownerFile, link));
      removeStaleOwnerFiles(path, ownerFile);
      return lock;
    } finally {
      remove(ownerFile);
    }
  });
}

/** What is said of a lock that a running process has. */
interface Held {
  readonly what: string;
  readonly inUse?: string | undefined;
}

type Link = (existing: string, path: string) => void;

/** `create` creates a lock file owned by this process, or returns false if there is one already. */
function acquire(path: string, held: Held, create: (path: string) => boolean): Lock {
  if (create(path)) return { release: () => release(path) };
  throwIfAlive(ownerOf(path), held);
  // Only one process at a time may remove the lock of a dead owner, or a second one would remove the new
  // lock of the first. The guard may itself be stale, and is then taken over in the same way.
  const guard = acquire(`${path}.takeover`, { what: `a takeover of ${path}` }, create);
  try {
    if (isStale(path, held)) remove(path);
    if (create(path)) return { release: () => release(path) };
    throwIfAlive(ownerOf(path), held);
    throw new UsageError(`${path}: other processes are acquiring this lock; run again`, 'locked');
  } finally {
    guard.release();
  }
}

interface Owner {
  readonly pid: number;
  /** Start time, since a later process may get the same pid; empty if unknown. */
  readonly startedAt: string;
  /** User id of the process; absent on Windows, and in locks of older versions. */
  readonly uid?: number | undefined;
}

/** No process may see a lock without an owner, so it is first written under another name. */
function writeOwnerFile(ownerFile: string): void {
  const startedAt = statOf(process.pid).start;
  const owner: Owner = { pid: process.pid, startedAt, uid: process.getuid?.() };
  writeFileSync(ownerFile, JSON.stringify(owner), newFile);
}

const newFile = { flag: 'wx', mode: 0o600 };

/** Turns the owner file into a lock atomically. Returns false if there is a lock already. */
function create(path: string, ownerFile: string, link: Link): boolean {
  try {
    linkOrWrite(path, ownerFile, link);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** Errors of link(2) on file systems without hard links, such as exFAT and some network shares. */
const noHardLinks = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'EMLINK']);

/** Without hard links, another process may see the lock before its owner is written. */
function linkOrWrite(path: string, ownerFile: string, link: Link): void {
  try {
    link(ownerFile, path);
  } catch (error) {
    if (!noHardLinks.has((error as NodeJS.ErrnoException).code ?? '')) throw error;
    writeFileSync(path, readFileSync(ownerFile), newFile);
  }
}

const ownerFileSuffix = /^\.[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/;

/** An owner file that is empty for longer than this is not being written anymore. */
const maxWriteMs = 60_000;

/**
 * Removes the owner files of processes that died while acquiring this lock. `own`, that of this process, was just
 * written, so it tells the time of the file system.
 */
function removeStaleOwnerFiles(path: string, own: string): void {
  const lockName = basename(path);
  const oldest = (writtenAt(own) ?? 0) - maxWriteMs;
  for (const name of namesIn(dirname(path))) {
    if (!name.startsWith(lockName) || !ownerFileSuffix.test(name.slice(lockName.length))) continue;
    const ownerFile = join(dirname(path), name);
    const owner = ownerOf(ownerFile);
    const isStale = owner ? !isAlive(owner) : (writtenAt(ownerFile) ?? Infinity) < oldest;
    if (isStale) remove(ownerFile);
  }
}

/** When a file was written, by the clock of its file system. */
function writtenAt(path: string): number | undefined {
  try {
    return statSync(path).mtimeMs;
  } catch {
    return undefined;
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    // A folder may be writable but not readable.
    return [];
  }
}

/**
 * Whether there is a lock of a dead process. It stays stale until it is taken over, whereas a missing
 * lock may be created by any process at any time.
 */
function isStale(path: string, held: Held): boolean {
  const text = textOf(path);
  throwIfAlive(ownerIn(text), held);
  return text !== undefined;
}

/** @throws UsageError when a running process has the lock at `path`. */
export function throwIfHeld(path: string, what: string): void {
  throwIfAlive(ownerOf(path), { what });
}

/** Whether a running process has the lock at `path`. */
export function isHeld(path: string): boolean {
  const owner = ownerOf(path);
  return owner !== undefined && isAlive(owner);
}

function throwIfAlive(
  owner: Owner | undefined,
  { what, inUse = 'wait for it, or stop it' }: Held,
): void {
  if (owner === undefined || !isAlive(owner)) return;
  throw new UsageError(`${what} is running in process ${owner.pid}; ${inUse}`, 'locked');
}

/** Checks the owner: another process has the lock if a user has removed the file by hand. */
function release(path: string): void {
  const owner = ownerOf(path);
  if (owner?.pid === process.pid && isAlive(owner)) remove(path);
}

function writing<T>(
  path: string,
  { full, notWritten }: Pick<StateAdvice, 'full' | 'notWritten'>,
  write: () => T,
): T {
  try {
    return write();
  } catch (cause) {
    if (cause instanceof EvfwdError) throw cause;
    const limit = limitIsMet(cause, dirname(path), { full });
    if (limit) throw limit;
    const { code = 'unknown error' } = cause as NodeJS.ErrnoException;
    throw new StateError(`${dirname(path)}: the state cannot be written (${code}); ${notWritten}`, {
      cause,
    });
  }
}

function ownerOf(path: string): Owner | undefined {
  return ownerIn(textOf(path));
}

/** Undefined if there is no lock, or it cannot be read. */
function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

/** Undefined for an empty lock, as a power cut may leave it. */
function ownerIn(text: string | undefined): Owner | undefined {
  try {
    return (JSON.parse(text ?? 'null') as Owner | null) ?? undefined;
  } catch {
    return undefined;
  }
}

function isAlive({ pid, startedAt, uid }: Owner): boolean {
  let isOfOtherUser = false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    isOfOtherUser = (error as NodeJS.ErrnoException).code === 'EPERM';
    if (!isOfOtherUser) return false;
  }
  const { state, start } = statOf(pid);
  if (hasEnded.has(state)) return false;
  // The start time of another user's process may be hidden (hidepid, ProtectProc=). An owner with our uid has ended
  // then, and its pid was used again, as after a power cut; any other owner may still run.
  if (isOfOtherUser && start === '') return uid === undefined || uid !== process.getuid?.();
  return startedAt === '' || startedAt === start;
}

/** A process that was killed is a zombie (Z) until its parent has noticed, which may take as long as that parent lives. */
const hasEnded = new Set(['Z', 'X']);

interface ProcessStat {
  readonly state: string;
  /** Clock ticks from boot to the start of the process. */
  readonly start: string;
}

/** On Linux: fields 3 and 22 of proc(5); elsewhere both are empty. */
function statOf(pid: number): ProcessStat {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
    return { state: fields[0] ?? '', start: fields[19] ?? '' };
  } catch {
    return { state: '', start: '' };
  }
}

function remove(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // Already removed.
  }
}
