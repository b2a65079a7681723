import { appendFileSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { Trail } from '../../../src/serve/store/trail.js';
import type { TrailEntry } from '../../../src/serve/store/trail-entry.js';
import { searchTrail } from '../../../src/serve/store/trail-search.js';
import { folderWith } from '../../helpers/folder.js';
import { VirtualClock } from '../../helpers/virtual-clock.js';

function entry(n: number, change: Partial<TrailEntry> = {}): TrailEntry {
  return {
    ...{ at: n, state: 'delivered', source: 'web', destination: 'crm', messageId: `m${n}` },
    ...{ type: 'track', name: 'Größe "XL"\n', user: `u${n}`, receivedAt: n - 5, tries: 1 },
    ...{ status: 200, error: null, durationMs: 1.5, code: null, message: null },
    ...change,
  };
}

function trailIn(folder: string, more: { fileBytes?: number; maxFiles?: number } = {}): Trail {
  return new Trail({ folder, clock: new VirtualClock(), ...more });
}

const find = (trail: Trail, text: string, limit = 100) =>
  searchTrail(trail, {
    ...{ text, limit, goesOn: () => Promise.resolve(true) },
    isWanted: () => true,
  });

it('an entry is found as it was, by any of its texts, in any case, also after a restart', async () => {
  const folder = folderWith();
  const trail = trailIn(folder);
  for (let n = 1; n <= 50; n++) trail.add(entry(n));
  for (const text of ['m17', 'M17', 'u17']) {
    expect((await find(trail, text)).entries).toEqual([entry(17)]);
  }
  expect((await find(trail, 'größe "xl"\n')).entries).toHaveLength(50);
  trail.add(entry(51));
  trail.close();
  const again = trailIn(folder);
  expect((await find(again, 'm51')).entries).toEqual([entry(51)]);
  expect(await find(again, 'm', 3)).toEqual({
    ...{ entries: [entry(51), entry(50), entry(49)], isComplete: false, from: 1 },
  });
});

it('the oldest files go, and it is known what is left', async () => {
  const folder = folderWith();
  const trail = trailIn(folder, { fileBytes: 2_000, maxFiles: 3 });
  for (let n = 1; n <= 200; n++) {
    trail.add(entry(n));
    await trail.flush();
  }
  const names = readdirSync(folder);
  expect(names).toHaveLength(3);
  const total = names.reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
  expect(total).toBeLessThan(3 * 2_500);
  const { from, isComplete } = await find(trail, 'm3');
  const oldest = Number(/\[(\d+)/.exec(readFileSync(join(folder, names.sort()[0]!), 'utf8'))![1]);
  expect([from, isComplete]).toEqual([oldest, true]);
  expect(statSync(join(folder, names[0]!)).mode & 0o77).toBe(0);
});

it('a line that a crash has cut is passed over, and spoils no other', async () => {
  const folder = folderWith();
  const trail = trailIn(folder);
  trail.add(entry(1));
  trail.close();
  appendFileSync(join(folder, readdirSync(folder)[0]!), '[2,"delivered","web","cr');
  const again = trailIn(folder);
  again.add(entry(3));
  expect((await find(again, 'web')).entries).toEqual([entry(3), entry(1)]);
});

it('lines that do not end where a read ends are found', async () => {
  const trail = trailIn(folderWith());
  for (let n = 0; n < 400; n++) trail.add(entry(n, { message: 'x'.repeat(2_000) }));
  expect((await find(trail, 'm399')).entries).toHaveLength(1);
  expect((await find(trail, 'u1', 200)).entries).toHaveLength(111);
});

it('a search that is given up says that there may be more', async () => {
  const trail = trailIn(folderWith());
  trail.add(entry(1));
  const search = { text: 'm1', limit: 9, isWanted: () => true };
  const found = await searchTrail(trail, { ...search, goesOn: () => Promise.resolve(false) });
  expect(found).toMatchObject({ entries: [], isComplete: false });
});

it('a folder that cannot be written disturbs nobody', async () => {
  const folder = folderWith();
  const trail = trailIn(folder);
  rmSync(folder, { recursive: true });
  for (let n = 0; n < 30_000; n++) trail.add(entry(n));
  await trail.flush();
  trail.add(entry(1));
  trail.close();
  expect(await find(trail, 'm1')).toMatchObject({ entries: [], from: undefined });
});
