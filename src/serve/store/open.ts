import { closeSync, openSync, statSync } from 'node:fs';
import { EvfwdError, StateError, UsageError } from '../../errors.js';
import { openDatabase, type Database } from '../../storage/sqlite.js';
import { migrate, schemaVersion, versionOf } from './schema.js';

/**
 * Opens the file of a service, and makes it where there is none; for the owner alone.
 * @throws UsageError when it is damaged, in use, or of a newer version; StateError when it cannot be
 * written.
 */
export async function openStoreFile(path: string): Promise<Database> {
  try {
    closeSync(openSync(path, 'a', 0o600));
    const database = await openDatabase(path);
    checkVersion(database, path);
    // FULL: a commit has reached the disk when it returns. The process that has the lock is alone.
    database.exec('PRAGMA locking_mode = EXCLUSIVE');
    database.exec('PRAGMA journal_mode = WAL');
    database.exec('PRAGMA synchronous = FULL');
    migrate(database);
    return database;
  } catch (error) {
    throw explained(error, path);
  }
}

/** The file that was opened, as the system knows it. */
export function inodeOf(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.ino;
}

function checkVersion(database: Database, path: string): void {
  const version = versionOf(database);
  if (version <= schemaVersion) return;
  throw new UsageError(
    `${path}: was made by a newer evfwd (state version ${version}, this one knows ${schemaVersion}); update evfwd, or choose another place with --state-dir`,
    'state_newer',
  );
}

/** SQLite's result codes, https://sqlite.org/rescode.html */
const busy = 5;
const ioError = 10;
const corrupt = 11;
const noDatabase = 26;

/** What SQLite or the file system has thrown, as an error of the program's own. */
export function explained(error: unknown, path: string): unknown {
  if (error instanceof EvfwdError) return error;
  const errcode = resultCode(error);
  const primary = errcode === undefined ? undefined : errcode & 0xff;
  if (primary === corrupt || primary === noDatabase) {
    const message = `${path}: this state file is damaged; restore it from a backup, or move it away`;
    return new UsageError(message, 'state_damaged', { cause: error });
  }
  if (primary === busy) {
    const message = `${path}: is in use by another process; stop that one first`;
    return new UsageError(message, 'locked', { cause: error });
  }
  const { syscall, code = 'unknown error' } = error as NodeJS.ErrnoException;
  if (errcode === undefined && typeof syscall !== 'string') return error;
  const reason = errcode === undefined ? code : (error as Error).message;
  return new StateError(
    `${path}: the state cannot be written (${reason}); make room or make it writable`,
    { cause: error },
  );
}

/** What the package's queries throw has a message, but no code. */
function resultCode(error: unknown): number | undefined {
  const { errcode, message, code } = error as { errcode?: number; message: string; code?: string };
  if (errcode !== undefined || code !== 'ERR_SQLITE_ERROR') return errcode;
  return message.includes('malformed') ? corrupt : ioError;
}
