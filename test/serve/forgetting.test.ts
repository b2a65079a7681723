import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { LogRedaction } from '../../src/serve/forgetting.js';
import { DeletedUsers } from '../../src/serve/store/forgotten-users.js';
import { ServiceStore } from '../../src/serve/store/service-store.js';
import { DeliveryLog } from '../../src/serve/store/trail.js';
import type { Deletion } from '../../src/serve/types.js';
import { folderWith } from '../helpers/folder.js';
import { VirtualClock } from '../helpers/virtual-clock.js';
import { sourceOf } from './intakes.js';

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  vi.restoreAllMocks();
  for (const close of closing.splice(0)) await close();
});

/** A store, a delivery log of several files, and what forgets users in it. */
async function scene(folder = folderWith(), clock = new VirtualClock()) {
  const store = await ServiceStore.open(folder, { clock });
  const trailFolder = join(folder, 'trail');
  const forgotten = new DeletedUsers(store.forgottenUsers());
  const trail = new DeliveryLog({ folder: trailFolder, clock, forgotten, fileBytes: 1_000 });
  const failures: unknown[] = [];
  const forgetting = new LogRedaction({
    ...{ store, trail, clock, onFailure: (error) => failures.push(error) },
    accept: async (deletion) => {
      const accepted = store.acceptDeletion(deletion, [], () => undefined);
      store.commit();
      await accepted;
    },
  });
  const stop = async (): Promise<void> => {
    await forgetting.stop();
    trail.close();
    store.close();
  };
  closing.push(stop);
  const text = (): string =>
    readdirSync(trailFolder)
      .map((name) => readFileSync(join(trailFolder, name), 'utf8'))
      .join('');
  return { folder, trailFolder, clock, store, trail, forgetting, failures, stop, text };
}

/** So many lines of each user, in files of some of them. */
async function log(trail: DeliveryLog, users: readonly string[], lines = 20): Promise<void> {
  for (let n = 0; n < lines * users.length; n++) {
    trail.add({
      ...{ at: n, state: 'delivered', source: 'web', destination: 'crm', messageId: `m${n}` },
      ...{ type: 'track', name: 'n', user: users[n % users.length]!, receivedAt: n, tries: 1 },
      ...{ status: 200, error: null, durationMs: 1, code: null, message: null },
    });
    await trail.flush();
  }
}

const deletionOf = (user: string, clock: VirtualClock): Deletion => ({
  ...{ source: sourceOf(), userId: JSON.stringify(user), receivedAt: clock.now() },
  timestamp: new Date(clock.now()).toISOString(),
});

/** Resolves when nothing is left to be forgotten; time passes meanwhile. */
async function done({ store, clock }: Awaited<ReturnType<typeof scene>>): Promise<void> {
  await expect
    .poll(() => {
      clock.advance(1_000);
      return store.toForget();
    })
    .toEqual([]);
}

it('a deletion takes its user out of the log, and the store knows when that is done', async () => {
  const all = await scene();
  await log(all.trail, ['user-a', 'user-b']);
  await all.forgetting.accept(deletionOf('user-a', all.clock));
  expect(all.store.toForget()).toMatchObject([{ userId: '"user-a"' }]);
  await done(all);
  expect([all.text().includes('user-a'), all.text().includes('user-b')]).toEqual([false, true]);
});

it('what a crash has left is done at the next start', async () => {
  const { trail, store, folder, clock, stop } = await scene();
  await log(trail, ['user-a']);
  const accepted = store.acceptDeletion(deletionOf('user-a', clock), [], () => undefined);
  store.commit();
  await accepted;
  await stop();
  const again = await scene(folder);
  expect(again.text()).toContain('user-a');
  again.forgetting.start();
  await done(again);
  expect(again.text()).not.toContain('user-a');
});

it('a log that cannot be written is tried again in a minute', async () => {
  const all = await scene();
  await log(all.trail, ['user-a']);
  // In the place of the file that is to be written.
  const blocked = join(all.trailFolder, '00000001.ndjson.new');
  mkdirSync(blocked);
  await all.forgetting.accept(deletionOf('user-a', all.clock));
  await expect.poll(() => all.failures).toMatchObject([{ code: 'EISDIR' }]);
  rmSync(blocked, { recursive: true });
  await new Promise((resolve) => setImmediate(resolve));
  all.clock.advance(59_000);
  expect(all.store.toForget()).toHaveLength(1);
  all.clock.advance(1_000);
  await done(all);
  expect(all.text()).not.toContain('user-a');
  expect(all.failures).toHaveLength(1);
});

it('stop() ends it between two files, and the next start does the rest', async () => {
  const { trail, forgetting, store, folder, clock, stop, text } = await scene();
  await log(trail, ['user-a'], 40);
  const forget = vi.spyOn(trail, 'forget');
  let stopped: Promise<void> | undefined;
  forget.mockImplementationOnce((users, goesOn) => {
    let files = 0;
    return trail.forget(users, () => {
      if (++files === 2) stopped = forgetting.stop();
      return goesOn();
    });
  });
  await forgetting.accept(deletionOf('user-a', clock));
  await expect.poll(() => stopped !== undefined).toBe(true);
  await stopped;
  expect([store.toForget().length, text().includes('user-a')]).toEqual([1, true]);
  await stop();
  const again = await scene(folder);
  again.forgetting.start();
  await done(again);
  expect(again.text()).not.toContain('user-a');
});

it('a deletion that comes while another one is under way is done after it', async () => {
  const all = await scene();
  const { trail, forgetting, clock } = all;
  await log(trail, ['user-a', 'user-b']);
  const forget = vi.spyOn(trail, 'forget');
  let second: Promise<void> | undefined;
  forget.mockImplementationOnce(async (users, goesOn) => {
    second = forgetting.accept(deletionOf('user-b', clock));
    await second;
    return trail.forget(users, goesOn);
  });
  await forgetting.accept(deletionOf('user-a', clock));
  await done(all);
  expect(second).toBeDefined();
  expect(all.text()).not.toMatch(/user-[ab]/);
});

it('requests that keep coming have the log read every few seconds, not all the time', async () => {
  const all = await scene();
  const { trail, forgetting, store, clock } = all;
  await log(trail, ['user-a', 'user-b']);
  const forget = vi.spyOn(trail, 'forget');
  await forgetting.accept(deletionOf('user-a', clock));
  await expect.poll(() => (store.commit(), store.toForget())).toEqual([]);
  await new Promise((resolve) => setImmediate(resolve));
  await forgetting.accept(deletionOf('user-b', clock));
  await forgetting.accept(deletionOf('user-c', clock));
  expect(forget).toHaveBeenCalledTimes(1);
  await done(all);
  expect(forget).toHaveBeenCalledTimes(2);
  expect(all.text()).not.toMatch(/user-[ab]/);
});
