import { createHash, randomUUID } from 'node:crypto';
import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { AudienceName } from '../../audience/identify.js';
import { AudienceStore, type Plan } from '../../audience/store.js';
import type { TargetSettings } from '../../config/open-target.js';
import { addressOf, credentialsOf, slowHash } from '../../config/target-identity.js';
import { StateError, UsageError } from '../../errors.js';
import { claimDeadLetters } from '../../ledger/claim-dead-letters.js';
import { DeadLetterFile } from '../../ledger/dead-letter-file.js';
import { ImportStore } from '../../ledger/store.js';
import { Locks, acquireLock, type Lock } from '../../storage/lock.js';
import { listOf, type AudienceFlags } from './flags.js';
import { defaultStateDir } from '../shared/state-dir.js';

type Audience = Pick<AudienceName, 'kind' | 'property'>;

/** What an audience keeps between its runs. */
export interface AudienceState {
  readonly store: AudienceStore;
  readonly deadLetters: DeadLetterFile;
  /** Whether earlier runs used other secrets or header values. */
  readonly hasOtherCredentials: boolean;
  /** The progress of a plan; close it before `resetProgress`. */
  openProgress(plan: Plan): Promise<ImportStore>;
  /** Removes the progress of a completed plan. */
  resetProgress(): void;
  close(): void;
}

/**
 * Opens the state of an audience, identified by its kind, its property and its target.
 * @throws UsageError when another process runs it, or the state cannot be read; StateError when it
 * cannot be written.
 */
export async function openAudience(
  audience: Audience,
  settings: TargetSettings,
  flags: AudienceFlags,
): Promise<AudienceState> {
  const paths = await pathsOf(audience, settings, flags);
  if (resolve(paths.deadLetters) === resolve(listOf(flags))) {
    throw new UsageError(
      `--dead-letter ${paths.deadLetters}: is the list itself; use another file`,
    );
  }
  const locks = new Locks();
  try {
    locks.add(acquireLock(paths.lock, `this audience ${audience.kind}`));
    if (flags.deadLetter !== undefined) locks.add(claimDeadLetters(flags.deadLetter));
    if (flags.fresh) reset(paths, flags.deadLetter === undefined);
    const credentials = await slowHash(credentialsOf(settings), [audience.kind, audience.property]);
    const store = await AudienceStore.open(paths.state, seedFor(flags));
    return stateAt(paths, store, locks, store.noteCredentials(credentials));
  } catch (error) {
    locks.release();
    throw error;
  }
}

/** A temporary copy of the state that may be changed. */
export async function copyAudience(
  audience: Audience,
  settings: TargetSettings,
  flags: AudienceFlags,
): Promise<{ readonly store: AudienceStore; close(): void }> {
  const paths = await pathsOf(audience, settings, flags);
  const folder = mkdtempSync(join(tmpdir(), 'evfwd-'));
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  try {
    const copy = join(folder, 'state.db');
    if (!flags.fresh && existsSync(paths.state)) copyState(paths, copy, audience);
    const store = await AudienceStore.open(copy);
    const close = (): void => {
      store.close();
      remove();
    };
    return { store, close };
  } catch (error) {
    remove();
    throw error;
  }
}

interface Paths {
  readonly state: string;
  readonly progress: string;
  readonly deadLetters: string;
  readonly lock: string;
}

/**
 * `audience-high_value_users-3f9c02d1a4b7`: the readable property, and a hash of everything. Queries and the write
 * key are in it by a slow hash.
 */
async function pathsOf(
  { kind, property }: Audience,
  settings: TargetSettings,
  flags: AudienceFlags,
): Promise<Paths> {
  const { target, hidden } = await addressOf(settings, [kind, property]);
  const known = JSON.stringify([kind, property, target, hidden]);
  const hash = createHash('sha256').update(known).digest('hex').slice(0, 12);
  const shown = Array.from(property).slice(0, 40).join('');
  const base = join(flags.stateDir ?? defaultStateDir, `audience-${shown}-${hash}`);
  return {
    state: `${base}.db`,
    progress: `${base}.plan.db`,
    deadLetters: flags.deadLetter ?? `${base}.dead-letter.ndjson`,
    lock: `${base}.lock`,
  };
}

function stateAt(
  paths: Paths,
  store: AudienceStore,
  lock: Lock,
  hasOtherCredentials: boolean,
): AudienceState {
  return {
    store,
    hasOtherCredentials,
    deadLetters: new DeadLetterFile(paths.deadLetters),
    openProgress: (plan) => openProgress(paths.progress, plan),
    resetProgress: () => removeDatabase(paths.progress),
    close: () => {
      store.close();
      lock.release();
    },
  };
}

/** Existing progress belongs to an earlier plan if a run died after completing that plan. */
async function openProgress(path: string, plan: Plan): Promise<ImportStore> {
  const found = await ImportStore.open(path);
  const seed = found.record()?.seed;
  if (seed === plan.name) return found;
  found.close();
  if (seed !== undefined) removeDatabase(path);
  const store = await ImportStore.open(path);
  store.putRecord({
    description: plan.file,
    seed: plan.name,
    selection: '',
    credentials: null,
  });
  return store;
}

/** A new seed changes the ids; a receiver would treat the old ones as duplicates. */
function seedFor({ fresh }: AudienceFlags): string {
  return fresh ? randomUUID() : '';
}

function reset(paths: Paths, ownsDeadLetters: boolean): void {
  removeDatabase(paths.progress);
  removeDatabase(paths.state);
  if (ownsDeadLetters) rmSync(paths.deadLetters, { force: true });
}

function removeDatabase(path: string): void {
  for (const file of [path, `${path}-wal`, `${path}-shm`]) rmSync(file, { force: true });
}

/** After a crash, the newest commits are in the `-wal` file. */
function copyState(paths: Paths, copy: string, { kind }: Audience): void {
  const lock = acquireLock(paths.lock, `this audience ${kind}`);
  try {
    copyFileSync(paths.state, copy);
    if (existsSync(`${paths.state}-wal`)) copyFileSync(`${paths.state}-wal`, `${copy}-wal`);
  } catch (cause) {
    const { code = 'unknown error' } = cause as NodeJS.ErrnoException;
    const message = `${paths.state}: cannot be copied for the dry run (${code}); free disk space in ${tmpdir()}`;
    throw new StateError(message, { cause });
  } finally {
    lock.release();
  }
}
