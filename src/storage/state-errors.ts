import { dirname } from 'node:path';
import { EvfwdError, StateError, UsageError } from '../errors.js';

/** What the user can do when a state file cannot be used: the end of each error message. */
export interface StateAdvice {
  /** When it was removed; begins with the process that used it: `while the import ran; run it again`. */
  readonly removed: string;
  /** The alternative to that version of evfwd, when another one created it. */
  readonly otherVersion: string;
  readonly damaged: string;
  readonly inUse: string;
  readonly notWritten: string;
  /** For a full disk; follows `free space there`, with its comma or semicolon: `, then run again`. */
  readonly full: string;
}

/** SQLite's result codes, https://sqlite.org/rescode.html */
const busy = 5;
const ioError = 10;
const corrupt = 11;
const full = 13;
const noDatabase = 26;

/** Codes of the file system: the disk or the quota of the user is full. */
const fullCodes = new Set(['ENOSPC', 'EDQUOT']);

/** Whether an error of the file system says that the disk, or the quota of the user, is full. */
export function isDiskFull(error: unknown): boolean {
  const { code = '' } = (error ?? {}) as NodeJS.ErrnoException;
  return fullCodes.has(code);
}

/** Of a process that has opened as many files as it may, and of the system. */
const fileLimitCodes = new Set(['EMFILE', 'ENFILE']);

/**
 * The error for a limit that the state has met, if that is the cause: a full disk, or too many open files. The state
 * stays where it is: it may have accepted events.
 */
export function limitIsMet(
  cause: unknown,
  folder: string,
  advice: Pick<StateAdvice, 'full'>,
): StateError | undefined {
  const { code = '' } = cause as NodeJS.ErrnoException;
  if (fileLimitCodes.has(code)) {
    const text = `${folder}: the state cannot be written, since too many files are open (${code}); raise their limit (ulimit -n)`;
    return new StateError(text, { cause });
  }
  const errcode = resultCode(cause);
  if (!isDiskFull(cause) && (errcode === undefined || (errcode & 0xff) !== full)) return undefined;
  const text = `${folder}: the state cannot be written, because the disk is full; free space there${advice.full}`;
  return new StateError(text, { cause });
}

/** Turns an error of SQLite or the file system into a one-line error with advice. */
export function explained(cause: unknown, path: string, advice: StateAdvice): unknown {
  if (cause instanceof EvfwdError) return cause;
  const { syscall, code = 'unknown error', message } = cause as NodeJS.ErrnoException;
  const errcode = resultCode(cause);
  if (errcode === undefined && typeof syscall !== 'string') return cause;
  const limit = limitIsMet(cause, dirname(path), advice);
  if (limit) return limit;
  switch (errcode === undefined ? undefined : errcode & 0xff) {
    case corrupt:
    case noDatabase: {
      const text = `${path}: this state file is damaged; ${advice.damaged}`;
      return new UsageError(text, 'state_damaged', { cause });
    }
    case busy: {
      const text = `${path}: is in use by another process; ${advice.inUse}`;
      return new UsageError(text, 'locked', { cause });
    }
    default: {
      const reason = errcode === undefined ? code : message;
      const text = `${path}: the state cannot be written (${reason}); ${advice.notWritten}`;
      return new StateError(text, { cause });
    }
  }
}

/** The error for a file of another version than `supported`. */
export function otherVersion(
  path: string,
  version: number,
  supported: number,
  advice: StateAdvice,
): UsageError {
  const versions = `state version ${version}, this one supports ${supported}`;
  const next = `use that one, or ${advice.otherVersion}`;
  const message = `${path}: was created by another version of evfwd (${versions}); ${next}`;
  return new UsageError(message, 'state_version');
}

/** Query errors of the package have a message, but no result code. */
function resultCode(error: unknown): number | undefined {
  const { errcode, message, code } = error as { errcode?: number; message: string; code?: string };
  if (errcode !== undefined || code !== 'ERR_SQLITE_ERROR') return errcode;
  return message.includes('malformed') ? corrupt : ioError;
}
