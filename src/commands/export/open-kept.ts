import { readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { systemClock } from '../../clock.js';
import { UsageError } from '../../errors.js';
import { printable } from '../../output/printable.js';
import type { KeptEvents } from '../../serve/kept/kept-events.js';
import { whyUnreadable } from '../../sign/unreadable.js';
import type { Io } from '../shared/command.js';
import { openStoreFor, storeUrl, type StoreFlags } from '../shared/store-flags.js';

export interface KeptFlags extends StoreFlags {
  stateDir: string;
}

/** What services keep, to be read beside them. */
export interface OpenKept extends Pick<KeptEvents, 'read'> {
  /** By the clock that says how old an event is; milliseconds since 1970. */
  readonly now: number;
  readonly close: () => Promise<void>;
}

/** Opens the store of `--store` or EVFWD_STORE, else the state directory. @throws UsageError where there is none */
export async function openKept(flags: KeptFlags, io: Io): Promise<OpenKept> {
  return storeUrl(flags, io) === undefined ? keptInFiles(flags, io) : keptInStore(flags, io);
}

async function keptInFiles({ stateDir }: KeptFlags, io: Io): Promise<OpenKept> {
  const { keptFolder, readKept } = await import('../../serve/kept/reader.js');
  const folder = join(resolve(io.cwd, stateDir), keptFolder);
  try {
    readdirSync(folder);
  } catch (cause) {
    if (!missingCodes.has((cause as NodeJS.ErrnoException).code)) throw unreadable(cause, stateDir);
    throw new UsageError(
      `--state-dir ${printable(stateDir)}: no kept events found; name the state directory of an evfwd serve whose retention is not 0, or its --store`,
    );
  }
  return {
    read: async function* (options) {
      try {
        yield* readKept(folder, options);
      } catch (cause) {
        throw unreadable(cause, stateDir);
      }
    },
    now: systemClock.now(),
    close: () => Promise.resolve(),
  };
}

/** The folder, or a part of its path, is not there. */
const missingCodes: ReadonlySet<string | undefined> = new Set(['ENOENT', 'ENOTDIR']);

const permissionCodes: ReadonlySet<string | undefined> = new Set(['EACCES', 'EPERM']);

/** The UsageError for a system error while the state is read; any other error as it is. */
function unreadable(cause: unknown, stateDir: string): unknown {
  const { code, path, syscall } = cause as NodeJS.ErrnoException;
  if (syscall === undefined) return cause;
  const place = path === undefined ? '' : ` ${printable(path)}`;
  const why = whyUnreadable(cause);
  const reason = why === code ? why : `${why} (${code})`;
  const next = permissionCodes.has(code)
    ? 'run evfwd export as the user of evfwd serve'
    : 'check this path and its disk';
  return new UsageError(
    `--state-dir ${printable(stateDir)}:${place} cannot be read: ${reason}; ${next}`,
    'unreadable_file',
    { cause },
  );
}

async function keptInStore(flags: KeptFlags, io: Io): Promise<OpenKept> {
  const { readKeptBlocks } = await import('../../serve/store/postgres/kept-reader.js');
  const { Names } = await import('../../serve/store/postgres/names.js');
  const options = { isReadOnly: true, makesTables: false, maxConnections: 1 };
  const store = await openStoreFor(flags, io, options);
  const { database, schema } = store;
  const names = new Names(database, schema);
  // A server that is away for a moment is waited for.
  const queries = {
    query: <Row>(text: string, values?: readonly unknown[]) =>
      database.whenAvailable(() => database.query<Row>(text, values)),
  };
  return {
    read: (options) => readKeptBlocks({ queries, schema }, names, options),
    now: database.now(),
    close: () => store.close(),
  };
}
