import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Connection } from '../../../src/serve/store/connection.js';
import { SeenIds } from '../../../src/serve/store/seen-ids.js';
import { seenKey } from '../../../src/serve/store/seen-key.js';
import { folderWith } from '../../helpers/folder.js';
import { VirtualClock } from '../../helpers/virtual-clock.js';

const hour = 3_600_000;

/** Whether each of these ids is new, all in one transaction, which may be rolled back. */
function note(connection: Connection, seen: SeenIds, ids: readonly number[], fails = false) {
  let isNew: boolean[] = [];
  try {
    connection.transaction(() => {
      isNew = ids.map((id) => seen.note(seenKey(1, String(id))));
      seen.write();
      if (fails) throw new Error('rolled back');
    });
    seen.committed();
  } catch {
    seen.rolledBack();
  }
  return isNew;
}

it('ids are known for a day and no longer, through restarts, failures and moves to the table', async () => {
  const step = fc.oneof(
    { weight: 8, arbitrary: fc.array(fc.nat(400), { minLength: 1, maxLength: 60 }) },
    { weight: 1, arbitrary: fc.constant('restart' as const) },
    { weight: 1, arbitrary: fc.constant('fail' as const) },
    { weight: 1, arbitrary: fc.constantFrom(1 * hour, 11 * hour, 24 * hour) },
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
      const connection = await Connection.open(join(folderWith(), 'seen.db'));
      const clock = new VirtualClock();
      const options = { connection, clock, youngKeys: 40 };
      let seen = new SeenIds(options);
      const model = new Map<number, number>();
      for (const given of steps) {
        if (given === 'restart') seen = new SeenIds(options);
        else if (given === 'fail') note(connection, seen, [1, 2, 3, 401, 402], true);
        else if (typeof given === 'number') clock.advance(given);
        else {
          const now = clock.now();
          const expected = given.map((id) => {
            const at = model.get(id);
            if (at !== undefined && now - at < 24 * hour) return false;
            model.set(id, now);
            return true;
          });
          expect(note(connection, seen, given)).toEqual(expected);
        }
      }
      connection.close();
    }),
    { numRuns: 60 },
  );
});

it('the table is swept of what is older than a day, and the log is cut', async () => {
  const connection = await Connection.open(join(folderWith(), 'seen.db'));
  const clock = new VirtualClock();
  const seen = new SeenIds({ connection, clock, youngKeys: 500 });
  const batch = (first: number): number[] => Array.from({ length: 100 }, (_, i) => first + i);
  for (let i = 0; i < 100; i++) note(connection, seen, batch(i * 100));
  clock.advance(25 * hour);
  for (let i = 0; i < 100; i++) note(connection, seen, batch(20_000 + i * 100));
  const count = (table: string): number =>
    Number(connection.get(`SELECT count(*) AS n FROM ${table}`)?.n);
  const old = connection.get(
    'SELECT count(*) AS n FROM seen WHERE at < ?',
    clock.now() / 1000 - 90_000 + 3_600,
  );
  expect(Number(old?.n)).toBe(0);
  expect(count('seen')).toBeGreaterThan(8_000);
  expect(count('seen_log')).toBeLessThan(20);
  connection.close();
});
