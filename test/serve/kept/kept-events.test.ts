import {
  appendFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  statSync,
  truncateSync,
} from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { StateError } from '../../../src/errors.js';
import { freeBytesAt } from '../../../src/serve/kept/free-bytes.js';
import { KeptFiles } from '../../../src/serve/kept/kept-files.js';
import { readKept } from '../../../src/serve/kept/reader.js';
import type { KeptEvent } from '../../../src/serve/kept/block.js';
import type { KeepSettings } from '../../../src/serve/kept/settings.js';
import { RawRequest, type RawHead } from '../../../src/serve/raw/raw-request.js';
import { stateOfService } from '../../../src/serve/store/sqlite/schema.js';
import { SqliteStore } from '../../../src/serve/store/sqlite/sqlite-store.js';
import type { Accepted, Source } from '../../../src/serve/types.js';
import { StateFile } from '../../../src/storage/state-file.js';
import { folderWith } from '../../helpers/folder.js';
import { withResolvers } from '../../../src/with-resolvers.js';
import { VirtualClock } from '../../helpers/virtual-clock.js';
import { acceptedOf, sourceOf } from '../batches.js';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

const stores = new Set<SqliteStore>();
afterEach(() => {
  for (const store of stores) store.close();
  stores.clear();
});

const week: KeepSettings = { retentionMs: 7 * day, maxBytes: 1024 ** 3, ofDestinations: new Map() };

async function open(
  settings: Partial<KeepSettings> = {},
  { folder = folderWith(), clock = new VirtualClock(), freeBytes = freeBytesAt } = {},
) {
  const dropped: number[] = [];
  const failures: unknown[] = [];
  const store = await SqliteStore.open(folder, {
    ...{ clock, freeBytes },
    onKeptDropped: (count) => dropped.push(count),
    onKeepFailure: (error) => failures.push(error),
  });
  stores.add(store);
  store.kept!.configure({ ...week, ...settings });
  return { store, folder, clock, dropped, failures };
}

type Opened = Awaited<ReturnType<typeof open>>;

async function take(
  { store, clock }: Pick<Opened, 'store' | 'clock'>,
  accepted: readonly Accepted[],
  destinations: readonly string[] = ['crm'],
  source: Source = sourceOf(),
): Promise<void> {
  const batch = { source, receivedAt: clock.now(), accepted, rejected: [] };
  const routes = accepted.map(() => ({ destinations, skipped: [] }));
  // Delivered at once, so that the queue has none of them.
  const done = store.accept(batch, routes, (event, names) => {
    for (const destination of names) {
      store.end({
        event,
        destination,
        ending: { kind: 'delivered' },
        onCommitted: () => undefined,
      });
    }
  });
  store.commit();
  await done;
  store.commit();
}

async function read(folder: string): Promise<KeptEvent[]> {
  const found: KeptEvent[] = [];
  for await (const { events } of readKept(join(folder, 'kept'))) found.push(...events);
  return found;
}

async function idsIn(folder: string): Promise<string[]> {
  return (await read(folder)).map(({ stamp }) => stamp.messageId);
}

const filesIn = (folder: string, name: string): string[] =>
  readdirSync(join(folder, 'kept', name))
    .filter((file) => file.endsWith('.log'))
    .map((file) => join(folder, 'kept', name, file));

describe('kept events', () => {
  it('stay after they were delivered, byte for byte, also after a restart', async () => {
    const opened = await open();
    await take(opened, [acceptedOf('m0', { userId: 'ä' }), acceptedOf('m1', { userId: 7 })]);
    await take(opened, [acceptedOf('m2')], ['crm', 'shop']);
    opened.store.close();
    const again = await open({}, opened);
    await take(again, [acceptedOf('m3')], []);
    const events = await read(opened.folder);
    const expected = [acceptedOf('m0', { userId: 'ä' }), acceptedOf('m1', { userId: 7 })];
    expect(events.slice(0, 2).map(({ event }) => event.bytes.toString())).toEqual(
      expected.map(({ event }) => event.bytes.toString()),
    );
    expect(
      events.map(({ stamp, source, destinations }) => [stamp.messageId, source, destinations]),
    ).toEqual([
      ['m0', 'web', ['crm']],
      ['m1', 'web', ['crm']],
      ['m2', 'web', ['crm', 'shop']],
      ['m3', 'web', []],
    ]);
    expect(again.store.length('crm').waiting).toBe(0);
  });

  it('are requests of raw sources, too', async () => {
    const opened = await open();
    const head: RawHead = {
      ...{ method: 'POST', path: '/hooks/a?b=1', sourcePathLength: 8, headers: ['X-A', 'b'] },
      ...{ remoteAddress: null, isTls: false },
      ...{ signature: 'unchecked', scheme: null, reason: null },
    };
    const event = RawRequest.of(head, Buffer.from([0, 255, 10]), 'hooks');
    const stamp = { messageId: 'r0', writesMessageId: false };
    await take(opened, [{ event, stamp }]);
    const [kept] = await read(opened.folder);
    expect(kept!.event.bytes).toEqual(event.bytes);
  });

  it('are not written for a retention of 0, nor where all their destinations keep nothing', async () => {
    const off = await open({ retentionMs: 0 });
    await take(off, [acceptedOf('m0')]);
    expect(existsSync(join(off.folder, 'kept'))).toBe(false);
    const own = await open({ ofDestinations: new Map([['crm', 0]]) });
    await take(own, [acceptedOf('m0')]);
    await take(own, [acceptedOf('m1')], ['crm', 'shop']);
    expect(await idsIn(own.folder)).toEqual(['m1']);
  });

  it('are written once, whatever repeats them', async () => {
    const opened = await open();
    await take(opened, [acceptedOf('m0')]);
    await take(opened, [acceptedOf('m0'), acceptedOf('m1')]);
    expect(await idsIn(opened.folder)).toEqual(['m0', 'm1']);
  });

  it('take at most 200 bytes beside the text of each, alone in its commit', async () => {
    const opened = await open();
    const accepted = acceptedOf('0a1b2c3d-0a1b-0a1b-0a1b-0a1b2c3d4e5f', { userId: 'u' });
    await take(opened, [accepted]);
    expect(opened.store.kept!.bytes - accepted.event.bytes.length).toBeLessThanOrEqual(200);
  });

  it('leave nothing behind of a commit that failed', async () => {
    const opened = await open();
    await take(opened, [acceptedOf('m0')]);
    const broken = { code: 'c', message: null as unknown as string, bytes: Buffer.alloc(0) };
    const batch = {
      ...{ source: sourceOf(), receivedAt: 0, accepted: [acceptedOf('m1')] },
      rejected: [{ ...broken, isJson: false }],
    };
    const route = { destinations: ['crm'], skipped: [] };
    const failed = opened.store.accept(batch, [route], () => undefined);
    opened.store.commit();
    await expect(failed).rejects.toThrow();
    await take(opened, [acceptedOf('m2')]);
    expect(await idsIn(opened.folder)).toEqual(['m0', 'm2']);
  });
});

describe('the retention', () => {
  it('ends events that are older, within a part of it', async () => {
    const opened = await open({ retentionMs: day });
    await take(opened, [acceptedOf('m0')]);
    opened.clock.advance(20 * hour);
    await take(opened, [acceptedOf('m1')]);
    opened.clock.advance(3 * hour);
    expect(await idsIn(opened.folder)).toEqual(['m0', 'm1']);
    opened.clock.advance(2 * hour + 2 * minute);
    expect(await idsIn(opened.folder)).toEqual(['m1']);
    opened.clock.advance(20 * hour);
    expect(await idsIn(opened.folder)).toEqual([]);
    expect(opened.dropped).toEqual([]);
  });

  it('ends what they left in the queue, too', async () => {
    const opened = await open();
    const { folder, clock } = opened;
    await take(
      opened,
      Array.from({ length: 100 }, (_, i) => acceptedOf(`m${i}`)),
    );
    const rests = (): string[] =>
      readdirSync(folder).filter(
        (name) => name.startsWith('serve.db') && readFileSync(join(folder, name)).includes('"m99"'),
      );
    expect(rests()).not.toEqual([]);
    clock.advance(7 * day + 8 * hour);
    await expect.poll(rests).toEqual([]);
  });

  it('is overwritten once at a time', async () => {
    const { store } = await open();
    const { promise, resolve } = withResolvers();
    const erase = vi.spyOn(store, 'eraseFreed').mockReturnValue(promise.then(() => true));
    store.kept!.onDeleted();
    store.kept!.onDeleted();
    expect(erase).toHaveBeenCalledTimes(1);
    resolve();
    await setImmediate();
    store.kept!.onDeleted();
    expect(erase).toHaveBeenCalledTimes(2);
  });

  it('ends them after a restart, too, and when it is made shorter', async () => {
    const opened = await open();
    await take(opened, [acceptedOf('m0')]);
    opened.store.close();
    opened.clock.advance(2 * day);
    const again = await open({}, opened);
    expect(await idsIn(opened.folder)).toEqual(['m0']);
    again.store.kept!.configure({ ...week, retentionMs: day });
    expect(await idsIn(opened.folder)).toEqual([]);
  });

  it('of 0, set while events are kept, ends them at once', async () => {
    const { store, clock, folder } = await open();
    await take({ store, clock }, [acceptedOf('m1')]);
    store.kept!.configure({ ...week, retentionMs: 0 });
    expect(await idsIn(folder)).toEqual([]);
    expect(readdirSync(join(folder, 'kept', String(7 * day)))).toEqual([]);
  });

  it('of a destination is its own, and the longest one of an event counts', async () => {
    const opened = await open({ ofDestinations: new Map([['crm', hour]]) });
    await take(opened, [acceptedOf('m0')], ['crm']);
    await take(opened, [acceptedOf('m1')], ['crm', 'shop']);
    opened.clock.advance(2 * hour);
    expect(await idsIn(opened.folder)).toEqual(['m1']);
  });

  it('does not keep them for longer since the clock was set back', async () => {
    const opened = await open({ retentionMs: day });
    opened.clock.set(300 * day);
    await take(opened, [acceptedOf('m0')]);
    opened.clock.set(-300 * day);
    await take(opened, [acceptedOf('m1')]);
    opened.clock.advance(25 * hour + 2 * minute);
    expect(await idsIn(opened.folder)).toEqual([]);
  });
});

describe('maxDisk', () => {
  it('drops the oldest kept events, counts them, and nothing that waits', async () => {
    const opened = await open({ maxBytes: 96 * 1024 });
    const { store, clock } = opened;
    const text = 'x'.repeat(1024);
    const batch = {
      ...{ source: sourceOf(), receivedAt: clock.now(), rejected: [] },
      accepted: [acceptedOf('waits')],
    };
    const waits = store.accept(batch, [{ destinations: ['down'], skipped: [] }], () => undefined);
    store.commit();
    await waits;
    for (let i = 0; i < 200; i++) await take(opened, [acceptedOf(`m${i}`, { anonymousId: text })]);
    const left = await idsIn(opened.folder);
    expect(left.at(-1)).toBe('m199');
    expect(left).toEqual(
      Array.from({ length: left.length }, (_, i) => `m${200 - left.length + i}`),
    );
    expect(opened.dropped.reduce((sum, one) => sum + one, 0)).toBe(201 - left.length);
    expect(store.kept!.bytes).toBeLessThanOrEqual(96 * 1024);
    expect(store.length('down').waiting).toBe(1);
  });
});

describe('on a full disk', () => {
  const failing = async ({ store }: Opened): Promise<void> => {
    const broken = { code: 'c', message: null as unknown as string, bytes: Buffer.alloc(0) };
    const rejected = [{ ...broken, isJson: false }];
    const batch = { source: sourceOf(), receivedAt: 0, accepted: [], rejected };
    const failed = store.accept(batch, [], () => undefined);
    store.commit();
    await expect(failed).rejects.toThrow();
  };

  it('a commit that fails drops the oldest file, in the end the one that is being written', async () => {
    const opened = await open({}, { freeBytes: () => 0 });
    await take(opened, [acceptedOf('m0')]);
    opened.clock.advance(8 * hour);
    await take(opened, [acceptedOf('m1'), acceptedOf('m2')]);
    await failing(opened);
    expect(await idsIn(opened.folder)).toEqual(['m1', 'm2']);
    await failing(opened);
    expect(await idsIn(opened.folder)).toEqual([]);
    expect(opened.dropped).toEqual([1, 2]);
    await take(opened, [acceptedOf('m3')]);
    expect(await idsIn(opened.folder)).toEqual(['m3']);
  });

  it('a kept file is dropped where the reserve cannot be held, and the store accepts events again', async () => {
    const [folder, clock] = [folderWith(), new VirtualClock()];
    const dropped: number[] = [];
    let isFull = false;
    const kept = KeptFiles.open({
      ...{ folder: join(folder, 'kept'), clock, freeBytes: () => 0 },
      onDropped: (count) => dropped.push(count),
      onFailure: () => undefined,
    });
    const hold = (): void => {
      if (!isFull || dropped.length > 0) return;
      throw new StateError('full', { cause: Object.assign(new Error(), { code: 'ENOSPC' }) });
    };
    const file = await StateFile.open(join(folder, 'serve.db'), stateOfService);
    const store = new SqliteStore(
      { file, reserve: { hold, release: () => undefined }, kept },
      { clock },
    );
    stores.add(store);
    kept.configure(week);
    isFull = true;
    await take({ store, clock }, [acceptedOf('m0')]);
    expect(dropped).toEqual([1]);
    expect(store.failure).toBeUndefined();
  });

  it('a start drops the oldest files, and counts their events, until there is space to open the state', async () => {
    const opened = await open();
    await take(opened, [acceptedOf('m0'), acceptedOf('m1')]);
    opened.clock.advance(8 * hour);
    await take(opened, [acceptedOf('m2')]);
    opened.store.close();
    const freeBytes = (): number =>
      filesIn(opened.folder, String(7 * day)).length > 1 ? 1_000 : 1024 ** 3;
    const again = await open({}, { ...opened, freeBytes });
    expect(await idsIn(opened.folder)).toEqual(['m2']);
    expect(again.dropped).toEqual([2]);
  });

  it('a start drops nothing of a service that runs', async () => {
    const opened = await open();
    await take(opened, [acceptedOf('m0')]);
    const second = open({}, { ...opened, freeBytes: () => 0 });
    await expect(second).rejects.toThrow('is running in process');
    expect(await idsIn(opened.folder)).toEqual(['m0']);
  });
});

describe('a file', () => {
  it('is not read for a time when nothing of it can have arrived', async () => {
    const { store, folder, clock } = await open({ retentionMs: day });
    const startedAt = clock.now();
    for (let i = 0; i < 4; i++) {
      await take({ store, clock }, [acceptedOf(`m${i}`)]);
      clock.advance(2 * hour);
    }
    const idsOf = async (since: number, until: number) => {
      const ids: string[] = [];
      for await (const { events } of readKept(join(folder, 'kept'), { since, until }))
        ids.push(...events.map(({ stamp }) => stamp.messageId));
      return ids;
    };
    expect(await idsOf(startedAt + 4 * hour, startedAt + 5 * hour)).toEqual(['m2']);
    expect(await idsOf(startedAt, startedAt + hour)).toEqual(['m0']);
    expect(await idsOf(-Infinity, Infinity)).toEqual(['m0', 'm1', 'm2', 'm3']);
  });

  it('whose end was cut off, or is garbage, is read up to there and appended to', async () => {
    const opened = await open();
    await take(opened, [acceptedOf('m0')]);
    await take(opened, [acceptedOf('m1')]);
    opened.store.close();
    const [path] = filesIn(opened.folder, String(7 * day));
    truncateSync(path!, statSync(path!).size - 5);
    const second = await open({}, opened);
    expect(await idsIn(opened.folder)).toEqual(['m0']);
    await take(second, [acceptedOf('m2')]);
    second.store.close();
    appendFileSync(filesIn(opened.folder, String(7 * day)).at(-1)!, Buffer.alloc(20));
    await open({}, opened);
    expect(await idsIn(opened.folder)).toEqual(['m0', 'm2']);
  });

  it('in the place of the folder is an error that names it', async () => {
    const opened = await open({}, { folder: folderWith({ kept: 'no folder' }) }).catch(
      (error: unknown) => error,
    );
    expect(String(opened)).toContain('kept: cannot be used (ENOTDIR)');
  });
});

describe('a deletion', () => {
  const bytesOf = (folder: string): string =>
    filesIn(folder, String(7 * day))
      .map((path) => readFileSync(path, 'latin1'))
      .join('');

  it('removes the kept events of its user from the files, and no others', async () => {
    const opened = await open();
    const own = (id: string, userId: unknown): Accepted => acceptedOf(id, { userId, event: 'E' });
    await take(opened, [own('a-secret-1', 'secret'), own('b-1', 'other'), own('c-1', 'secretary')]);
    await take(opened, [own('d-1', 4711), own('a-secret-2', 'secret')]);
    opened.store.close();
    const again = await open({}, opened);
    const kept = again.store.kept!;
    const users = [
      { userId: '"secret"', receivedAt: opened.clock.now() },
      { userId: '4711', receivedAt: opened.clock.now() },
    ];
    expect(await kept.remove(users, () => true)).toBe(true);
    expect(await idsIn(opened.folder)).toEqual(['b-1', 'c-1']);
    expect(bytesOf(opened.folder)).not.toMatch(/"secret"|a-secret|4711/);
    // Whole blocks are still whole, and again changes nothing.
    expect(await kept.remove(users, () => true)).toBe(true);
    await take(again, [own('a-3', 'secret')]);
    expect(await idsIn(opened.folder)).toEqual(['b-1', 'c-1', 'a-3']);
  });

  it('takes its events from those that are counted when their file is dropped', async () => {
    const opened = await open({}, { freeBytes: () => 0 });
    const users = ['u', 'v', 'u'];
    await take(
      opened,
      users.map((userId, i) => acceptedOf(`m${i}`, { userId })),
    );
    const requested = { userId: '"u"', receivedAt: opened.clock.now() };
    await opened.store.kept!.remove([requested], () => true);
    opened.store.kept!.makeRoom();
    expect(opened.dropped).toEqual([1]);
  });

  it('leaves what came after it', async () => {
    const opened = await open();
    const requested = { userId: '"u"', receivedAt: opened.clock.now() };
    opened.clock.advance(1);
    await take(opened, [acceptedOf('m0', { userId: 'u' })]);
    await opened.store.kept!.remove([requested], () => true);
    expect(await idsIn(opened.folder)).toEqual(['m0']);
  });
});
