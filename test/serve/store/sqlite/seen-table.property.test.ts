import fc from 'fast-check';
import { expect, it } from 'vitest';
import { stateOfService } from '../../../../src/serve/store/sqlite/schema.js';
import { SeenTable } from '../../../../src/serve/store/sqlite/seen-table.js';
import { seenForTicks } from '../../../../src/serve/store/sqlite/seen-tick.js';
import { StateFile } from '../../../../src/storage/state-file.js';
import { runs } from '../../../helpers/property-runs.js';

/** They have the same first two bytes, so they share a bucket on each of the first three levels. */
const keyOf = (third: number, n: number): string =>
  `\x80\0${String.fromCharCode(6 * third)}${n.toString(36).padStart(9, '~')}`;

const key = fc.tuple(fc.nat(40), fc.nat(2_000)).map(([third, n]) => keyOf(third, n));

const step = fc.record({
  keys: fc.array(key, { minLength: 1, maxLength: 40 }),
  /** The ticks of the keys go evenly from now back to almost this many before. */
  ticksAgo: fc.oneof({ weight: 9, arbitrary: fc.nat(30) }, fc.nat(600)),
  ticksLater: fc.oneof({ weight: 20, arbitrary: fc.nat(3) }, fc.nat(200)),
  asked: fc.array(key, { maxLength: 10 }),
});

function isKnown(tick: number | undefined, now: number): tick is number {
  return tick !== undefined && now - tick <= seenForTicks;
}

it('a table has all keys of the last day with their ticks, at all levels, and no other', async () => {
  let deepestBits = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 100 }), async (steps) => {
      const connection = await StateFile.open(':memory:', stateOfService);
      const table = new SeenTable(connection);
      const model = new Map<string, number>();
      let now = 2_990_000;
      for (let i = 0; i < 250; i++) add([keyOf(i % 40, 3_000 + i)], 0);
      deepestBits = Math.max(deepestBits, deepestBitsOf(connection));
      for (const { keys, ticksAgo, ticksLater, asked } of steps) {
        add(keys, ticksAgo);
        now += ticksLater;
        expectTicksOf([...asked, ...keys]);
        table.buildFilter();
      }
      expectTicksOf([...model.keys()]);
      connection.close();

      /** As its caller: only keys that are not known. */
      function add(keys: readonly string[], ticksAgo: number): void {
        const added = [...new Set(keys)].filter((one) => !isKnown(model.get(one), now));
        added.forEach((one, i) => model.set(one, now - Math.floor((i * ticksAgo) / added.length)));
        connection.transaction(() => table.add(added, (one) => model.get(one)!, now));
      }

      function expectTicksOf(keys: readonly string[]): void {
        for (const one of keys) {
          const tick = model.get(one);
          expect(table.tickOf(one, now)).toBe(isKnown(tick, now) ? tick : undefined);
        }
      }
    }),
    { numRuns: runs(60, 15) },
  );
  expect(deepestBits).toBe(20);
});

/** How many bits the buckets of the deepest level in use have. */
function deepestBitsOf(connection: StateFile): number {
  const row = connection.get('SELECT max(bucket) AS bucket FROM seen_run');
  return Math.floor(Math.log2(Number(row!.bucket)));
}
