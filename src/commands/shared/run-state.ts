import { createHash, randomUUID } from 'node:crypto';
import { existsSync, rmSync, statSync, type Stats } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { chunksOf } from '../../collections/chunks.js';
import { UsageError } from '../../errors.js';
import { idOf, type Input } from '../../sources/input.js';
import { splitEntry } from '../../sources/entry-name.js';
import { claimDeadLetters } from '../../ledger/claim-dead-letters.js';
import { checkSame, fingerprintOf, lookAt, type Fingerprint } from '../../ledger/fingerprint.js';
import { checkLastLine } from '../../ledger/last-line.js';
import { DeadLetterFile } from '../../ledger/dead-letter-file.js';
import { ImportStore } from '../../ledger/store.js';
import { Locks, acquireLock, type Lock } from '../../storage/lock.js';
import { checkPeriod, type GivenTime } from '../flags/run.js';
import { filesText } from './files-text.js';
import { defaultStateDir } from './state-dir.js';

/** What a run keeps for the next one of the same command. */
export interface RunState {
  readonly store: ImportStore;
  readonly deadLetters: DeadLetterFile;
  /** Whether a later run can resume: every input is a file. */
  readonly isResumable: boolean;
  /** The seed for the ids of `--ids new`. */
  readonly seed: string;
  /** `--since` and `--until` as resolved by the first run. */
  readonly since: number | undefined;
  readonly until: number | undefined;
  /** Whether an earlier run had other secrets or header values; this one goes on with its own. */
  readonly hasOtherCredentials: boolean;
  close(): void;
}

/** The flags that say where a state is, and what is written besides it. */
export interface StateFlags {
  stateDir?: string;
  fresh?: boolean;
  deadLetter?: string;
  log?: string;
  since?: GivenTime;
  until?: GivenTime;
}

export interface RunStateOptions {
  readonly inputs: readonly Input[];
  readonly flags: StateFlags;
  /** Of its files in the folder: all that changes what is sent is part of it. */
  readonly name: string;
  /** Who holds the lock, for the message. */
  readonly holder?: string | undefined;
  /** Checks that the last line read is still in its place. Default: `checkLastLine`, of events. */
  readonly checkLast?: typeof checkLastLine;
  /** A hash of what the requests prove themselves by. Default: not known. */
  readonly credentials?: string | null;
  /** Called when the state is locked, before it is opened. */
  readonly onLocked?: (folder: string) => void;
  /** Called before the state of earlier runs is removed. */
  readonly onFresh?: (folder: string) => void;
}

/**
 * Opens the state of a run.
 * @throws UsageError when another process runs it, a file has changed, the state cannot be read, or nothing can be
 * in the period; StateError when it cannot be written.
 */
export async function openRunState(options: RunStateOptions): Promise<RunState> {
  const { inputs, flags, name, holder } = options;
  const folder = flags.stateDir ?? defaultStateDir;
  const deadLetterPath = flags.deadLetter ?? join(folder, `${name}.dead-letter.ndjson`);
  checkOutputs(deadLetterPath, flags, inputs);
  checkNamedOnce(inputs);
  const isResumable = inputs.every((input) => input.isFile);
  const path = join(folder, `${name}.db`);
  // A run that was begun keeps the times of then.
  if (flags.fresh || !existsSync(path)) checkPeriod(flags);
  const locks = new Locks();
  try {
    if (isResumable) {
      locks.add(acquireLock(join(folder, `${name}.lock`), holder));
      options.onLocked?.(folder);
    }
    if (flags.deadLetter !== undefined) locks.add(claimDeadLetters(flags.deadLetter));
    if (!isResumable) return await openInMemory(flags, deadLetterPath, locks);
    if (flags.fresh) {
      options.onFresh?.(folder);
      reset(path, flags.deadLetter === undefined ? deadLetterPath : undefined);
    }
    return await openResumable(path, deadLetterPath, options, locks);
  } catch (error) {
    locks.release();
    throw error;
  }
}

/**
 * A state that ends with the run.
 * @throws UsageError for a period in which nothing can be
 */
export async function openInMemory(
  flags: StateFlags,
  deadLetterPath = '',
  locks?: Lock,
): Promise<RunState> {
  checkPeriod(flags);
  const store = await ImportStore.open(':memory:');
  return {
    store,
    deadLetters: new DeadLetterFile(deadLetterPath),
    isResumable: false,
    seed: randomUUID(),
    since: flags.since?.at,
    until: flags.until?.at,
    hasOtherCredentials: false,
    close: () => {
      store.close();
      locks?.release();
    },
  };
}

async function openResumable(
  path: string,
  deadLetterPath: string,
  options: RunStateOptions,
  locks: Lock,
): Promise<RunState> {
  const { inputs, flags, checkLast = checkLastLine, credentials = null } = options;
  const store = await ImportStore.open(path);
  try {
    const changed = store.record() ? await checkFiles(store, inputs, checkLast) : undefined;
    const hasOtherCredentials = differsInCredentials(store, changed ?? [], credentials);
    if (changed) store.putFiles(changed.map(({ index, now }) => [index, now]));
    else await noteFiles(store, inputs);
    const { seed, selection } = remember(store, inputs, flags, credentials);
    return {
      store,
      deadLetters: new DeadLetterFile(deadLetterPath),
      isResumable: true,
      seed,
      ...(JSON.parse(selection) as Pick<RunState, 'since' | 'until'>),
      hasOtherCredentials,
      close: () => {
        store.close();
        locks.release();
      },
    };
  } catch (error) {
    store.close();
    throw error;
  }
}

/** In turns and groups: there may be very many files, and what each needs is freed between them. */
async function noteFiles(store: ImportStore, inputs: readonly Input[]): Promise<void> {
  for (const group of chunksOf(inputs.entries(), filesPerTurn)) {
    await nextTurn();
    store.putFiles(group.map(([index, input]) => [index, fingerprintOf(input)]));
  }
}

const filesPerTurn = 1_000;

/** A file whose size or modification time is not that of an earlier run. */
interface ChangedFile {
  readonly index: number;
  /** Size and time of now, but the beginning as the first run saw it: the next run compares with that again. */
  readonly now: Fingerprint;
  readonly hasGrown: boolean;
}

/**
 * Compares the files with what earlier runs have noted; they may have grown.
 * @throws UsageError when one has changed otherwise; nothing is sent then.
 */
async function checkFiles(
  store: ImportStore,
  inputs: readonly Input[],
  checkLast: typeof checkLastLine,
): Promise<ChangedFile[]> {
  const changed: ChangedFile[] = [];
  for (const [index, input] of inputs.entries()) {
    if (index % filesPerTurn === 0) await nextTurn();
    const before = store.file(index);
    const now = lookAt(input);
    // A file may be named in another way than before.
    if (!before || (input.object && before.path !== now.path)) throw otherFiles(input.name);
    checkSame(before, now, input);
    if (!isModified(before, now)) continue;
    const hasGrown = before.size !== now.size;
    changed.push({ index, now: { ...before, ...now }, hasGrown });
  }
  if (store.file(inputs.length)) throw otherFiles(inputs.at(-1)!.name);
  const modified = new Set(changed.map(({ index }) => index));
  for (const [index, last] of store.checkpoint().last) {
    if (index % filesPerTurn === 0) await nextTurn();
    await checkLast(inputs[index]!, last, modified.has(index));
  }
  return changed;
}

/** The named files are the same: an archive has other entries. */
function otherFiles(name: string): UsageError {
  const { file } = splitEntry(name);
  return new UsageError(
    `${file}: has other entries than when this import began; restore it, or start over with --fresh`,
    'file_changed',
  );
}

function isModified(before: Fingerprint, now: Pick<Fingerprint, 'size' | 'modified'>): boolean {
  return before.size !== now.size || before.modified !== now.modified;
}

/**
 * Whether earlier runs had other secrets or header values: a secret may be replaced while an import is not
 * complete, which then goes on.
 * @throws UsageError when all is sent: how that ended says nothing about whom the new ones are for
 */
function differsInCredentials(
  store: ImportStore,
  changed: readonly ChangedFile[],
  credentials: string | null,
): boolean {
  const before = store.record();
  if (!before || before.credentials === credentials) return false;
  const hasGrown = changed.some((file) => file.hasGrown);
  if (!store.isFinished() || hasGrown) return store.hasBegun();
  throw new UsageError(
    `${before.description}: this run has completed with another shared secret or other header values; use those, or --fresh to send everything again`,
    'other_credentials',
  );
}

/** Keeps the record of the first run. */
function remember(
  store: ImportStore,
  inputs: readonly Input[],
  flags: StateFlags,
  credentials: string | null,
): { seed: string; selection: string } {
  const before = store.record();
  const record = {
    description: filesText(inputs.map(({ name }) => name)),
    seed: before?.seed ?? randomUUID(),
    selection:
      before?.selection ?? JSON.stringify({ since: flags.since?.at, until: flags.until?.at }),
    credentials,
  };
  store.putRecord(record);
  return record;
}

/**
 * A hash of the absolute paths of the inputs, which is part of the name of a state. The paths are never joined to
 * one text, since there may be very many.
 */
export function hashOfPaths(inputs: readonly Input[]): string {
  const hash = createHash('sha256');
  let archive: string | undefined;
  for (const input of inputs) {
    const id = splitEntry(idOf(input)).file;
    // The entries of an archive stand for it.
    if (id !== archive) hash.update(`${id}\0`);
    archive = input.object ? id : undefined;
  }
  return hash.digest('hex');
}

/** A readable name of the first file. */
export function shortName(inputs: readonly Input[]): string {
  const first = splitEntry(inputs[0]?.name ?? '-').file;
  if (first === '-') return 'stdin';
  return basename(first)
    .replace(/\.(gz|zst|zip|ndjson|jsonl|json|csv|tsv|parquet)\b/g, '')
    .slice(0, 60);
}

/** @throws UsageError when the run would write to a file that it reads, or to one file twice. */
export function checkOutputs(
  deadLetterPath: string,
  flags: Pick<StateFlags, 'log'>,
  inputs: readonly Input[],
): void {
  const written = {
    '--dead-letter': deadLetterPath,
    ...(flags.log !== undefined && { '--log': flags.log }),
  };
  const outputOf = new Map(
    Object.entries(written).flatMap(([flag, path]) =>
      idsOf(path).map((id) => [id, `${flag} ${path}`]),
    ),
  );
  const files = inputs.flatMap((input) => input.object?.archive ?? input);
  const read = files.filter(({ object }) => !object).map(({ name }) => name);
  for (const name of new Set(read)) {
    if (name === '-') continue;
    const output = idsOf(name)
      .map((id) => outputOf.get(id))
      .find((found) => found !== undefined);
    if (output === undefined) continue;
    throw new UsageError(`${output}: is one of the input files; use another file`);
  }
  if (flags.log === undefined || !isRegular(deadLetterPath)) return;
  if (idsOf(flags.log).some((id) => idsOf(deadLetterPath).includes(id))) {
    throw new UsageError(`--log ${flags.log}: is also the dead-letter file; use another file`);
  }
}

/** The identities of a file: its path and, if it exists, its device and inode, which links share. */
function idsOf(path: string): string[] {
  const found = look(path);
  return [resolve(path), ...(found ? [`${found.dev}:${found.ino}`] : [])];
}

/** Pipes and devices, such as a terminal, can have several writers. */
function isRegular(path: string): boolean {
  return look(path)?.isFile() ?? true;
}

function look(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    // The error is reported when the file is opened.
    return undefined;
  }
}

/** @throws UsageError for a duplicated file: lines are identified by file and number. */
export function checkNamedOnce(inputs: readonly Input[]): void {
  const paths = new Set<string>();
  for (const input of inputs) {
    const { name } = input;
    const path = name === '-' ? name : idOf(input);
    if (paths.has(path)) throw new UsageError(`${name}: is duplicated; name each file once`);
    paths.add(path);
  }
}

/** `--fresh`: everything is sent again, so the dead letters of an earlier run are not lost either. */
function reset(path: string, deadLetterPath: string | undefined): void {
  for (const file of [path, `${path}-wal`, `${path}-shm`]) rmSync(file, { force: true });
  if (deadLetterPath !== undefined) rmSync(deadLetterPath, { force: true });
}
