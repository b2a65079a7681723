import { randomUUID } from 'node:crypto';
import { linkSync, readdirSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
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
 * `link` makes a hard link; a file system without them is no error.
 *
 * @throws UsageError when a living process has it; StateError when it cannot be written.
 */
export function acquireLock(path: string, what = 'this import', link: Link = linkSync): Lock {
  return writing(path, () => {
    makeFolder(dirname(path));
    const ownerFile = writeOwnerFile(path);
    try {
      const lock = take(path, what, (name) => create(name, ownerFile, link));
      removeStaleOwnerFiles(path);
      return lock;
    } finally {
      remove(ownerFile);
    }
  });
}

type Link = (existing: string, path: string) => void;

/** `create` makes a lock file with this process as the owner; false where there is one. */
function take(path: string, what: string, create: (path: string) => boolean): Lock {
  if (create(path)) return { release: () => release(path) };
  throwIfHeld(path, what);
  // Only one process at a time may remove the lock of a dead owner: the next one would remove that of
  // the first. The guard may itself have been left behind, and is taken over in the same way.
  const guard = take(`${path}.takeover`, `a takeover of ${path}`, create);
  try {
    if (isStale(path, what)) remove(path);
    if (create(path)) return { release: () => release(path) };
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
function writeOwnerFile(path: string): string {
  const ownerFile = `${path}.${randomUUID()}`;
  const owner: Owner = { pid: process.pid, startedAt: startOf(process.pid) };
  writeFileSync(ownerFile, JSON.stringify(owner), newFile);
  return ownerFile;
}

const newFile = { flag: 'wx', mode: 0o600 };

/** Makes a lock of the owner file in one step. False where there is a lock. */
function create(path: string, ownerFile: string, link: Link): boolean {
  try {
    linkOrWrite(path, ownerFile, link);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** What link(2) fails with on file systems without hard links, such as exFAT and some network shares. */
const noHardLinks = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'EMLINK']);

/** Without hard links, a process that comes between the opening and the write sees a lock without owner. */
function linkOrWrite(path: string, ownerFile: string, link: Link): void {
  try {
    link(ownerFile, path);
  } catch (error) {
    if (!noHardLinks.has((error as NodeJS.ErrnoException).code ?? '')) throw error;
    writeFileSync(path, readFileSync(ownerFile), newFile);
  }
}

const ownerFileSuffix = /^\.[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/;

/** Removes the owner files of processes that died while they took this lock. */
function removeStaleOwnerFiles(path: string): void {
  const lockName = basename(path);
  for (const name of namesIn(dirname(path))) {
    if (!name.startsWith(lockName) || !ownerFileSuffix.test(name.slice(lockName.length))) continue;
    const ownerFile = join(dirname(path), name);
    // One without an owner may be in the middle of being written.
    const owner = ownerOf(ownerFile);
    if (owner && !isAlive(owner)) remove(ownerFile);
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    // A folder may be writable and not readable.
    return [];
  }
}

/**
 * Whether a dead process has left the lock; false where there is none. A stale lock stays what it is as
 * long as nobody takes it over; one that is missing may be made by anybody at any time.
 */
function isStale(path: string, what: string): boolean {
  const text = textOf(path);
  throwIfAlive(ownerIn(text), what);
  return text !== undefined;
}

function throwIfHeld(path: string, what: string): void {
  throwIfAlive(ownerOf(path), what);
}

function throwIfAlive(owner: Owner | undefined, what: string): void {
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
  return ownerIn(textOf(path));
}

/** Undefined where there is no lock, or none that can be read. */
function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

/** Undefined for a lock that a crash of an earlier version has left empty. */
function ownerIn(text: string | undefined): Owner | undefined {
  try {
    return (JSON.parse(text ?? 'null') as Owner | null) ?? undefined;
  } catch {
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
