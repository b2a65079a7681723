import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { UsageError } from '../../errors.js';
import type { Shard } from '../../sources/shard.js';
import { countOf } from '../../output/numbers.js';
import { isHeld, throwIfHeld } from '../../storage/lock.js';
import { shardText } from './shard.js';

/** How an import is divided: shards of another division have other lines. */
interface Division {
  /** The number of shards; undefined for an import without shards. */
  readonly count: number | undefined;
  /** Whether users are divided, not lines. */
  readonly isOrdered: boolean;
}

/** A state of an import, or of one of its shards. */
interface State extends Division {
  readonly name: string;
  /** For messages: `shard 2/8 of this import`. */
  readonly what: string;
}

const files = ['.db', '.db-wal', '.db-shm', '.dead-letter.ndjson'];

/** The end of the name of a shard's state: `-shard-2-of-8`; empty without a shard. */
export function shardSuffix(shard: Shard | undefined, isOrdered: boolean): string {
  if (!shard) return '';
  const order = isOrdered ? '-ordered' : '';
  return `-shard-${shard.index + 1}-of-${shard.count}${order}`;
}

/** What a lock of the state prevents from running twice. */
export function shardName(shard: Shard | undefined): string {
  return shard ? `shard ${shardText(shard)} of this import` : 'this import';
}

/**
 * Checks that all states of an import in a folder are of the same division. Otherwise events would be
 * sent twice, or by no shard. `base` is the name of the state without its suffix.
 *
 * @throws UsageError that names both divisions
 */
export function checkDivision(
  folder: string,
  base: string,
  shard: Shard | undefined,
  isOrdered: boolean,
): void {
  const own = divisionOf(shard, isOrdered);
  const other = statesOf(folder, base).find((state) => !isSame(state, own));
  if (!other) return;
  throw new UsageError(
    `${join(folder, other.name)}.db: this import was started ${started(other, own)}; ${advice(other, own)}, or start over with --fresh`,
    'other_shards',
  );
}

/**
 * Removes the states and dead letters of other divisions, for `--fresh`; those of the same division are
 * of other shards, which may be at work.
 *
 * @throws UsageError when one of them is in use; then none is removed
 */
export function removeOtherDivisions(
  folder: string,
  base: string,
  shard: Shard | undefined,
  isOrdered: boolean,
): void {
  const own = divisionOf(shard, isOrdered);
  const others = statesOf(folder, base).filter((state) => !isSame(state, own));
  for (const { name, what } of others) throwIfHeld(join(folder, `${name}.lock`), what);
  for (const { name } of others) {
    for (const end of files) rmSync(join(folder, name + end), { force: true });
  }
}

function divisionOf(shard: Shard | undefined, isOrdered: boolean): Division {
  return { count: shard?.count, isOrdered: shard !== undefined && isOrdered };
}

function isSame(a: Division, b: Division): boolean {
  return a.count === b.count && a.isOrdered === b.isOrdered;
}

const suffixForm = /^(?:-shard-(\d+)-of-(\d+)(-ordered)?)?\.(db|lock)$/;

/** The states with a database, or that a process has just begun: two may start at the same time. */
function statesOf(folder: string, base: string): State[] {
  return namesIn(folder).flatMap((file) => {
    const [, number, count, order, kind] =
      (file.startsWith(base) && suffixForm.exec(file.slice(base.length))) || [];
    if (kind === undefined || (kind === 'lock' && !isHeld(join(folder, file)))) return [];
    return [
      {
        name: file.slice(0, -kind.length - 1),
        what: count === undefined ? 'this import' : `shard ${number}/${count} of this import`,
        count: count === undefined ? undefined : Number(count),
        isOrdered: order !== undefined,
      },
    ];
  });
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    // There is none yet, or it may be written but not read.
    return [];
  }
}

/** `with 4 shards, and this run is one of 8`. */
function started(then: Division, now: Division): string {
  if (then.count === undefined) return `without --shard, and this run is one of ${shards(now)}`;
  if (now.count === undefined) return `with ${shards(then)}, and this run has no --shard`;
  if (now.count !== then.count) return `with ${shards(then)}, and this run is one of ${now.count}`;
  return then.isOrdered
    ? 'with --ordered, which divides users, and this run divides lines'
    : 'without --ordered, so lines are divided, and this run divides users';
}

function advice(then: Division, now: Division): string {
  if (then.count === undefined) return 'run it without --shard';
  if (now.count !== then.count) return `use --shard i/${then.count}`;
  return then.isOrdered ? 'use --ordered' : 'remove --ordered';
}

function shards({ count = 1 }: Division): string {
  return countOf(count, 'shard');
}
