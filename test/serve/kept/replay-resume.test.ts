import { appendFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { keptBlock, type KeptEvent } from '../../../src/serve/kept/block.js';
import { readKept } from '../../../src/serve/kept/reader.js';
import type { Progress, StoredReplay } from '../../../src/serve/kept/replay-store.js';
import { Replays } from '../../../src/serve/kept/replays.js';
import { keepsNothing } from '../../../src/serve/kept/settings.js';
import { eventOf } from '../../../src/serve/store/stored.js';
import { folderWith } from '../../helpers/folder.js';
import { VirtualClock } from '../../helpers/virtual-clock.js';
import { destinationOf } from '../batches.js';
import { logTo, source } from '../serving.js';
import { replayStoreOf } from './replay-store.js';

const dayMs = 86_400_000;
const now = 100 * dayMs;

const eventWith = (id: number, user = `u${id}`, receivedAt = now - 1_000): KeptEvent => ({
  ...{ id, source: 'web', receivedAt, destinations: ['crm'] },
  event: eventOf(Buffer.from(`{"type":"track","event":"E","userId":"${user}"}`), 'web'),
  stamp: { messageId: `m${id}`, writesMessageId: true },
});

/** Blocks of 100 events each; the ids of their first ones. */
const blocksFrom = (...ids: readonly number[]): Buffer =>
  Buffer.concat(
    ids.map((first) => keptBlock(Array.from({ length: 100 }, (_, n) => eventWith(first + n)))),
  );

const logAt = (days: number, number: number, startedAt: number): string =>
  join(String(days * dayMs), `0000000${number}-${startedAt}.log`);

/** A folder with these files. */
function keptIn(files: Readonly<Record<string, Buffer>>): string {
  const folder = folderWith({});
  for (const [name, bytes] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), bytes);
  }
  return folder;
}

const begun: StoredReplay = {
  ...{ id: 'r1', request: { destination: 'crm', state: 'any' }, state: 'running' },
  ...{ createdAt: now, endedAt: null, position: { done: 0, total: 1 }, sent: 0, message: null },
};

/** Replays what is kept in a folder, until `turns` were queued. Resolves to what was queued. */
async function replayed(
  folder: string,
  replay: StoredReplay,
  turns = Infinity,
): Promise<readonly Progress[]> {
  const clock = new VirtualClock(now);
  const queued: Progress[] = [];
  let end = (): void => undefined;
  const isOver = new Promise<void>((resolve) => (end = resolve));
  const store = replayStoreOf(replay, {
    isOurs: () => queued.length < turns,
    release: () => end(),
    add: (progress) => Promise.resolve(void queued.push(progress)),
  });
  const replays = new Replays({
    store: { failure: undefined },
    kept: {
      ...{ settings: keepsNothing, configure: () => undefined },
      read: (options) => readKept(folder, options),
      remove: () => Promise.resolve(true),
    },
    ...{ replays: store, clock, log: logTo([]) },
    ...{ onStored: () => undefined, onChange: () => undefined, utilization: () => 0 },
    isStalled: () => false,
    routing: () => ({
      sources: [source('web')],
      destinations: [destinationOf('http://127.0.0.1:1/')],
    }),
  });
  replays.start();
  await clock.runUntil(isOver);
  await replays.stop();
  return queued;
}

const idsIn = (queued: readonly Progress[]): number[] =>
  queued.flatMap(({ events }) => events.map(({ id }) => id));

it('a replay that stopped within a block loses none of the next file when that one was dropped', async () => {
  const first = logAt(7, 1, now - 5_000);
  const folder = keptIn({
    [first]: blocksFrom(1, 101, 201),
    [logAt(7, 2, now - 2_000)]: blocksFrom(301, 401),
  });
  const [turn] = await replayed(folder, begun, 1);
  expect(turn!.position.done).toBeGreaterThan(0);
  rmSync(join(folder, first));
  const rest = await replayed(folder, { ...begun, position: turn!.position });
  expect(idsIn(rest)).toEqual(Array.from({ length: 200 }, (_, n) => 301 + n));
});

it('a replay that stopped within a block sends none of it twice when an earlier file grew', async () => {
  const first = logAt(7, 1, now - 5_000);
  const folder = keptIn({
    [first]: blocksFrom(1, 101),
    [logAt(8, 1, now - 4_000)]: blocksFrom(301, 401),
  });
  const [turn] = await replayed(folder, begun, 1);
  expect(turn!.position.done).toBeGreaterThan(0);
  appendFileSync(join(folder, first), keptBlock([eventWith(999, 'u', now + 5)]));
  const rest = await replayed(folder, { ...begun, position: turn!.position });
  const ids = idsIn([turn!, ...rest]);
  expect(ids).toHaveLength(400);
  expect(new Set(ids).size).toBe(400);
});

it('a replay queues the bytes of each event, also when the buffer of its file is used again', async () => {
  const users = ['1', '2', '3'].map((digit) => digit.repeat(200_000));
  const blocks = users.map((user, n) => keptBlock([eventWith(n, user)]));
  const folder = keptIn({ [logAt(7, 1, now - 5_000)]: Buffer.concat(blocks) });
  const queued = await replayed(folder, begun);
  const texts = queued.flatMap(({ events }) => events.map(({ event }) => event.bytes.toString()));
  expect(texts.map((text) => (JSON.parse(text) as { userId: string }).userId)).toEqual(users);
});

it('a replay leaves out the rest of a file whose next block says a length that it cannot have', async () => {
  const damaged = blocksFrom(101);
  // Of its texts.
  damaged.writeUInt32LE(0xffff_ffff, 8);
  const folder = keptIn({
    [logAt(7, 1, now - 5_000)]: Buffer.concat([blocksFrom(1), damaged]),
    [logAt(7, 2, now - 2_000)]: blocksFrom(301),
  });
  const ids = idsIn(await replayed(folder, begun));
  expect(ids).toEqual(
    [1, 301].flatMap((first) => Array.from({ length: 100 }, (_, n) => first + n)),
  );
});
