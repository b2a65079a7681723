import { defaultStateDir } from '../shared/state-dir.js';
import { createHash, randomUUID } from 'node:crypto';
import { readFileSync, rmSync, statSync, type Stats } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import type { TargetSettings } from '../../config/open-target.js';
import { UsageError } from '../../errors.js';
import type { Input } from '../../input/input.js';
import type { Shard } from '../../input/shard.js';
import { claimDeadLetters } from '../../ledger/claim-dead-letters.js';
import { checkSame, fingerprintOf, type Fingerprint } from '../../ledger/fingerprint.js';
import { checkLastLine } from '../../ledger/last-line.js';
import { DeadLetterFile } from '../../ledger/dead-letter-file.js';
import { ImportStore } from '../../ledger/store.js';
import { Locks, acquireLock, type Lock } from '../../storage/lock.js';
import type { ImportFlags } from './flags.js';
import { takeOver } from './earlier-state.js';
import { checkDivision, removeOtherDivisions, shardName, shardSuffix } from './shard-states.js';

/** What an import keeps between its runs. */
export interface ImportState {
  readonly store: ImportStore;
  readonly deadLetters: DeadLetterFile;
  /** Whether a later run can resume: every input is a file. */
  readonly isResumable: boolean;
  /** The seed for the ids of `--ids new`. */
  readonly seed: string;
  /** `--since` and `--until` as resolved by the first run. */
  readonly since: number | undefined;
  readonly until: number | undefined;
  close(): void;
}

/**
 * Opens the state of an import, identified by its files, its target and the options that change what
 * is sent; each of its shards has a state of its own.
 * @throws UsageError when another process runs it, a file has changed, other shards were started than now,
 * or the state cannot be read; StateError when it cannot be written.
 */
export async function openState(
  inputs: readonly Input[],
  settings: TargetSettings,
  flags: ImportFlags,
  shard?: Shard,
): Promise<ImportState> {
  const folder = flags.stateDir ?? defaultStateDir;
  const base = stateName(inputs, settings, flags);
  const isOrdered = flags.ordered === true;
  const name = base + shardSuffix(shard, isOrdered);
  const deadLetterPath = flags.deadLetter ?? join(folder, `${name}.dead-letter.ndjson`);
  checkOutputs(deadLetterPath, flags, inputs);
  checkNamedOnce(inputs);
  const isResumable = inputs.every((input) => input.isFile);
  const path = join(folder, `${name}.db`);
  const locks = new Locks();
  let isEarlier = false;
  try {
    if (isResumable) {
      locks.add(acquireLock(join(folder, `${name}.lock`), shardName(shard)));
      if (!flags.fresh) checkDivision(folder, base, shard, isOrdered);
      const { limit } = flags;
      if (limit !== undefined) {
        isEarlier = takeOver(folder, stateName(inputs, settings, flags, limit), name);
      }
    }
    if (flags.deadLetter !== undefined) locks.add(claimDeadLetters(flags.deadLetter));
    if (!isResumable) return await openUnresumable(deadLetterPath, flags, locks);
    if (flags.fresh) {
      removeOtherDivisions(folder, base, shard, isOrdered);
      reset(path, flags.deadLetter === undefined ? deadLetterPath : undefined);
    }
    const state = await openResumable(path, deadLetterPath, inputs, flags, locks);
    // Earlier versions also noted the end of the inputs at the limit.
    if (isEarlier) state.store.reopen();
    return state;
  } catch (error) {
    locks.release();
    throw error;
  }
}

async function openUnresumable(
  deadLetterPath: string,
  flags: ImportFlags,
  locks: Lock,
): Promise<ImportState> {
  const store = await ImportStore.open(':memory:');
  return {
    store,
    deadLetters: new DeadLetterFile(deadLetterPath),
    isResumable: false,
    seed: randomUUID(),
    since: flags.since?.at,
    until: flags.until?.at,
    close: () => {
      store.close();
      locks.release();
    },
  };
}

async function openResumable(
  path: string,
  deadLetterPath: string,
  inputs: readonly Input[],
  flags: ImportFlags,
  locks: Lock,
): Promise<ImportState> {
  const store = await ImportStore.open(path);
  try {
    const files = inputs.map(({ name }) => fingerprintOf(name));
    await checkFiles(store, inputs, files);
    const { seed, selection } = remember(store, files, flags);
    return {
      store,
      deadLetters: new DeadLetterFile(deadLetterPath),
      isResumable: true,
      seed,
      ...(JSON.parse(selection) as Pick<ImportState, 'since' | 'until'>),
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

/**
 * Compares the files with their fingerprints of earlier runs; they may have grown.
 * @throws UsageError when one has changed otherwise; nothing is sent then.
 */
async function checkFiles(
  store: ImportStore,
  inputs: readonly Input[],
  files: readonly Fingerprint[],
): Promise<void> {
  const before = store.record()?.files ?? [];
  before.forEach((file, i) => checkSame(file, files[i]!));
  for (const [index, last] of store.checkpoint().last) {
    const [then, now] = [before[index]!, files[index]!];
    const isModified = then.size !== now.size || then.modified !== now.modified;
    await checkLastLine(inputs[index]!, last, isModified);
  }
}

/** Keeps the record of the first run, with the current sizes of the files. */
function remember(
  store: ImportStore,
  files: readonly Fingerprint[],
  flags: ImportFlags,
): { seed: string; selection: string } {
  const before = store.record();
  const record = {
    description: files.map(({ path }) => path).join(', '),
    seed: before?.seed ?? randomUUID(),
    selection:
      before?.selection ?? JSON.stringify({ since: flags.since?.at, until: flags.until?.at }),
    files: files.map((file, i) => ({ ...file, ...headOf(before?.files[i]) })),
  };
  store.putRecord(record);
  return record;
}

/** The head as the first run saw it, so that a file that grew is still compared with it. */
function headOf(before: Fingerprint | undefined): Partial<Fingerprint> {
  return before ? { headBytes: before.headBytes, headHash: before.headHash } : {};
}

/** `history-3f9c02d1a4b7`: a readable name of the first file, and a hash of everything. */
function stateName(
  inputs: readonly Input[],
  settings: TargetSettings,
  flags: ImportFlags,
  limit?: number,
): string {
  const known = {
    files: inputs.map(({ name }) => resolve(name)),
    target:
      settings.kind === 'collector'
        ? [settings.endpoint, settings.writeKey]
        : settings.endpoints.map(({ url }) => url),
    options: [...sentOptions(flags, limit), ...bodyOption(settings)],
  };
  const hash = createHash('sha256').update(JSON.stringify(known)).digest('hex');
  return `${shortName(inputs)}-${hash.slice(0, 12)}`;
}

/**
 * The options that change what is sent, as they were typed. A limit only bounds one run; states of earlier
 * versions have it in its place.
 */
function sentOptions(flags: ImportFlags, limit: number | undefined): unknown[] {
  const { types, events, users, sample, ids, ignoreIntegrations, transform } = flags;
  return [
    ...[flags.since?.text, flags.until?.text],
    ...[types, events, users, limit, sample, ids, ignoreIntegrations ?? false],
    transform === undefined ? undefined : [resolve(transform), readFileSync(transform, 'utf8')],
  ];
}

/** Absent by default, so that states of versions without this option are found. */
function bodyOption(settings: TargetSettings): unknown[] {
  const isOriginal = settings.kind === 'webhooks' && settings.body === 'original';
  return isOriginal ? [{ body: 'original' }] : [];
}

function shortName(inputs: readonly Input[]): string {
  const first = inputs[0]?.name ?? '-';
  if (first === '-') return 'stdin';
  return basename(first)
    .replace(/\.(gz|ndjson|jsonl|json)\b/g, '')
    .slice(0, 60);
}

/** @throws UsageError when the run would write to a file that it reads, or to one file twice. */
export function checkOutputs(
  deadLetterPath: string,
  flags: Pick<ImportFlags, 'log'>,
  inputs: readonly Input[],
): void {
  const read = new Set(
    inputs.filter(({ name }) => name !== '-').flatMap(({ name }) => idsOf(name)),
  );
  const written = {
    '--dead-letter': deadLetterPath,
    ...(flags.log !== undefined && { '--log': flags.log }),
  };
  for (const [flag, path] of Object.entries(written)) {
    if (idsOf(path).some((id) => read.has(id))) {
      throw new UsageError(`${flag} ${path}: is one of the input files; use another file`);
    }
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
  for (const { name } of inputs) {
    const path = name === '-' ? name : resolve(name);
    if (paths.has(path)) throw new UsageError(`${name}: is duplicated; name each file once`);
    paths.add(path);
  }
}

/** `--fresh`: everything is sent again, so the dead letters of an earlier run are not lost either. */
function reset(path: string, deadLetterPath: string | undefined): void {
  for (const file of [path, `${path}-wal`, `${path}-shm`]) rmSync(file, { force: true });
  if (deadLetterPath !== undefined) rmSync(deadLetterPath, { force: true });
}
