import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { stateOfService } from '../../../../src/serve/store/sqlite/schema.js';
import { SeenIds } from '../../../../src/serve/store/sqlite/seen-ids.js';
import { seenKey } from '../../../../src/serve/store/seen-key.js';
import { StateFile } from '../../../../src/storage/state-file.js';
import { folderWith } from '../../../helpers/folder.js';
import { VirtualClock } from '../../../helpers/virtual-clock.js';
import { runs } from '../../../helpers/property-runs.js';

const hour = 3_600_000;

const keyOf = (id: number): string => seenKey(1, 2, String(id));

/**
 * Whether each of these ids is new, all in one transaction, which may be rolled back; some are forgotten
 * before, and some afterwards.
 */
function note(
  connection: StateFile,
  seen: SeenIds,
  ids: readonly number[],
  fails = false,
  { before = [], after = [] }: { before?: readonly number[]; after?: readonly number[] } = {},
) {
  let isNew: boolean[] = [];
  try {
    connection.transaction(() => {
      for (const id of before) seen.forget(keyOf(id));
      isNew = ids.map((id) => seen.note(keyOf(id)));
      for (const id of after) seen.forget(keyOf(id));
      seen.write();
      if (fails) throw new Error('rolled back');
    });
    seen.committed();
  } catch {
    seen.rolledBack();
  }
  return isNew;
}

const some = fc.array(fc.nat(400), { maxLength: 30 });

it('ids are remembered for a day unless they are forgotten, through restarts, failures and moves to the table', async () => {
  const step = fc.oneof(
    { weight: 8, arbitrary: fc.array(fc.nat(400), { minLength: 1, maxLength: 60 }) },
    { weight: 1, arbitrary: fc.constant('restart' as const) },
    { weight: 1, arbitrary: fc.constant('fail' as const) },
    {
      weight: 3,
      arbitrary: fc.record({ before: some, ids: some, after: some, fails: fc.boolean() }),
    },
    { weight: 1, arbitrary: fc.constantFrom(1 * hour, 11 * hour, 24 * hour) },
    { weight: 1, arbitrary: fc.constant('set back' as const) },
  );
  let connection: StateFile;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
      connection = await StateFile.open(join(folderWith(), 'seen.db'), stateOfService);
      const clock = new VirtualClock();
      const options = { connection, clock, memtableKeys: 40 };
      let seen = new SeenIds(options);
      let model = new Map<number, number>();
      /** Those that have expired once: a clock that is set back finds them or not. */
      let undecided = new Set<number>();
      const expires = (at: number): boolean => Math.abs(clock.now() - at) > 24 * hour;
      for (const given of steps) {
        for (const [id, at] of model) if (expires(at)) undecided.add(id);
        if (given === 'restart') seen = new SeenIds(options);
        else if (given === 'fail') note(connection, seen, [1, 2, 3, 401, 402], true);
        else if (given === 'set back') clock.set(-3 * hour);
        else if (typeof given === 'number') clock.advance(given);
        else {
          const {
            before = [],
            ids = [],
            after = [],
            fails = false,
          } = given instanceof Array ? { ids: given } : given;
          const next = new Map(model);
          const nextUndecided = new Set(undecided);
          const forget = (id: number): void => {
            next.delete(id);
            nextUndecided.delete(id);
          };
          before.forEach(forget);
          const isNew = note(connection, seen, ids, fails, { before, after });
          for (const [i, id] of ids.entries()) {
            const at = next.get(id);
            const isKnown = at !== undefined && !expires(at);
            if (!isKnown || !nextUndecided.has(id)) expect([id, isNew[i]]).toEqual([id, !isKnown]);
            if (!isNew[i]) continue;
            next.set(id, clock.now());
            nextUndecided.delete(id);
          }
          after.forEach(forget);
          if (!fails) [model, undecided] = [next, nextUndecided];
        }
      }
    }),
    { numRuns: runs(60, 10), plugins: [fc.afterEach(() => connection.close())] },
  );
});

const batch = (first: number, count = 100): number[] =>
  Array.from({ length: count }, (_, i) => first + i);

it('ids older than a day are removed as new ones arrive, and the log is truncated', async () => {
  const connection = await StateFile.open(join(folderWith(), 'seen.db'), stateOfService);
  const clock = new VirtualClock();
  const seen = new SeenIds({ connection, clock, memtableKeys: 500 });
  const count = (what: string): number => Number(connection.get(`SELECT ${what} AS n`)?.n);
  const bytes = '(SELECT sum(length(entries)) FROM seen_run)';
  for (let i = 0; i < 100; i++) note(connection, seen, batch(i * 100));
  const full = count(bytes);
  for (let day = 1; day < 5; day++) {
    clock.advance(25 * hour);
    for (let i = 0; i < 100; i++) note(connection, seen, batch(day * 20_000 + i * 100));
  }
  expect(count(bytes)).toBeGreaterThan(0.8 * full);
  expect(count(bytes)).toBeLessThan(1.3 * full);
  expect(count('(SELECT count(*) FROM seen_log)')).toBeLessThan(20);
  connection.close();
});

it('an id is new again when the low byte of the current tick is that of its own', async () => {
  const connection = await StateFile.open(join(folderWith(), 'seen.db'), stateOfService);
  const clock = new VirtualClock();
  const seen = new SeenIds({ connection, clock, memtableKeys: 10 });
  note(connection, seen, batch(0));
  // After 256 ticks the stored low byte is the same again.
  clock.advance((256 / 6) * hour);
  for (let i = 0; i < 100; i++) note(connection, seen, [1000 + i]);
  expect(note(connection, seen, batch(0)).filter((isNew) => !isNew)).toEqual([]);
  connection.close();
});

it('a forgotten id is new, wherever it was, and after a failure', async () => {
  const connection = await StateFile.open(join(folderWith(), 'seen.db'), stateOfService);
  const options = { connection, clock: new VirtualClock(), memtableKeys: 50 };
  let seen = new SeenIds(options);
  /** Has all earlier ids moved to the table. */
  const move = (first: number): void => {
    for (let i = 0; i < 20; i++) note(connection, seen, batch(first + i * 100));
  };
  note(connection, seen, batch(0));
  move(1_000);
  note(connection, seen, [], false, { before: batch(0, 30) });
  const again = () => note(connection, seen, batch(0, 30), true).filter((isNew) => !isNew);
  expect([again(), again()]).toEqual([[], []]);
  move(10_000);
  expect([again(), again()]).toEqual([[], []]);
  seen = new SeenIds(options);
  expect([again(), again()]).toEqual([[], []]);
  const others = [...batch(30, 70), ...batch(1_000)];
  expect(note(connection, seen, others).filter((isNew) => isNew)).toEqual([]);
  connection.close();
});

it('an id takes less than 20 bytes of the file', async () => {
  const connection = await StateFile.open(join(folderWith(), 'seen.db'), stateOfService);
  const pages = (): number => Number(connection.get('PRAGMA page_count')?.page_count);
  const seen = new SeenIds({ connection, clock: new VirtualClock(), memtableKeys: 4_000 });
  const empty = pages();
  for (let i = 0; i < 60; i++) note(connection, seen, batch(i * 1000, 1000));
  expect(((pages() - empty) * 4096) / 60_000).toBeLessThan(20);
  connection.close();
});
