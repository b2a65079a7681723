import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { LogRedaction } from '../../src/serve/log-redaction.js';
import { DeletedUsers } from '../../src/serve/store/deleted-users.js';
import { SqliteStore } from '../../src/serve/store/sqlite/sqlite-store.js';
import { notAttempted } from '../../src/serve/event-record.js';
import { DeliveryLog } from '../../src/serve/store/delivery-log.js';
import type { Deletion } from '../../src/serve/types.js';
import { folderWith } from '../helpers/folder.js';
import { VirtualClock } from '../helpers/virtual-clock.js';
import { sourceOf } from './batches.js';

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  vi.restoreAllMocks();
  for (const close of closing.splice(0)) await close();
});

/** A store, a delivery log of several files, and its redaction. */
async function scene(
  folder = folderWith(),
  clock = new VirtualClock(),
  afterStoring = (): Promise<void> => Promise.resolve(),
) {
  const store = await SqliteStore.open(folder, { clock });
  const deliveryLogFolder = join(folder, 'delivery-log');
  const forgotten = new DeletedUsers(store.deletedUsers());
  const deliveryLog = new DeliveryLog({
    folder: deliveryLogFolder,
    clock,
    deletedUsers: forgotten,
    fileBytes: 1_000,
  });
  const failures: unknown[] = [];
  const redaction = new LogRedaction({
    ...{ store, deliveryLog, clock, onFailure: (error) => failures.push(error) },
    accept: async (deletion) => {
      const accepted = store.acceptDeletion(deletion, [], () => undefined);
      store.commit();
      await accepted;
      await afterStoring();
    },
  });
  const stop = async (): Promise<void> => {
    await redaction.stop();
    deliveryLog.close();
    store.close();
  };
  closing.push(stop);
  const text = (): string =>
    readdirSync(deliveryLogFolder)
      .map((name) => readFileSync(join(deliveryLogFolder, name), 'utf8'))
      .join('');
  return { folder, deliveryLogFolder, clock, store, deliveryLog, redaction, failures, stop, text };
}

/** Writes this many lines per user, over several files. */
async function log(deliveryLog: DeliveryLog, users: readonly string[], lines = 20): Promise<void> {
  for (let n = 0; n < lines * users.length; n++) {
    deliveryLog.add({
      ...notAttempted,
      ...{ at: n, state: 'delivered', source: 'web', destination: 'crm', messageId: `m${n}` },
      ...{ type: 'track', name: 'n', user: users[n % users.length]!, receivedAt: n, attempts: 1 },
      ...{ status: 200, error: null, durationMs: 1, code: null, message: null, response: null },
    });
    await deliveryLog.flush();
  }
}

const deletionOf = (user: string, clock: VirtualClock): Deletion => ({
  ...{ source: sourceOf(), userId: JSON.stringify(user), receivedAt: clock.now() },
  timestamp: new Date(clock.now()).toISOString(),
});

/** Resolves when no redaction is pending; time passes meanwhile. */
async function done({ store, clock }: Awaited<ReturnType<typeof scene>>): Promise<void> {
  await expect
    .poll(() => {
      clock.advance(1_000);
      return store.pendingRedactions();
    })
    .toEqual([]);
}

it('a deletion removes its user from the log, and the store records when that is done', async () => {
  const all = await scene();
  await log(all.deliveryLog, ['user-a', 'user-b']);
  await all.redaction.accept(deletionOf('user-a', all.clock));
  expect(all.store.pendingRedactions()).toMatchObject([{ userId: '"user-a"' }]);
  await done(all);
  expect([all.text().includes('user-a'), all.text().includes('user-b')]).toEqual([false, true]);
});

it('a deletion that was stored is carried out, even if its client gets an error', async () => {
  const error = new Error('cannot be flushed');
  const all = await scene(undefined, undefined, () => Promise.reject(error));
  await log(all.deliveryLog, ['user-a']);
  await expect(all.redaction.accept(deletionOf('user-a', all.clock))).rejects.toBe(error);
  await done(all);
  await log(all.deliveryLog, ['user-a']);
  expect(all.text()).not.toContain('user-a');
});

it('a redaction that a crash interrupted is done at the next start', async () => {
  const { deliveryLog, store, folder, clock, stop } = await scene();
  await log(deliveryLog, ['user-a']);
  const accepted = store.acceptDeletion(deletionOf('user-a', clock), [], () => undefined);
  store.commit();
  await accepted;
  await stop();
  const again = await scene(folder);
  expect(again.text()).toContain('user-a');
  again.redaction.start();
  await done(again);
  expect(again.text()).not.toContain('user-a');
});

it('a log that cannot be written is retried in a minute', async () => {
  const all = await scene();
  await log(all.deliveryLog, ['user-a']);
  // In the place of the file that is to be written.
  const blocked = join(all.deliveryLogFolder, '00000001.ndjson.new');
  mkdirSync(blocked);
  await all.redaction.accept(deletionOf('user-a', all.clock));
  await expect.poll(() => all.failures).toMatchObject([{ code: 'EISDIR' }]);
  rmSync(blocked, { recursive: true });
  await new Promise((resolve) => setImmediate(resolve));
  all.clock.advance(59_000);
  expect(all.store.pendingRedactions()).toHaveLength(1);
  all.clock.advance(1_000);
  await done(all);
  expect(all.text()).not.toContain('user-a');
  expect(all.failures).toHaveLength(1);
});

it('stop() interrupts it between two files, and the next start resumes it', async () => {
  const { deliveryLog, redaction, store, folder, clock, stop, text } = await scene();
  await log(deliveryLog, ['user-a'], 40);
  const redact = vi.spyOn(deliveryLog, 'redact');
  let stopped: Promise<void> | undefined;
  redact.mockImplementationOnce((users, mayContinue) => {
    let files = 0;
    return deliveryLog.redact(users, () => {
      if (++files === 2) stopped = redaction.stop();
      return mayContinue();
    });
  });
  await redaction.accept(deletionOf('user-a', clock));
  await expect.poll(() => stopped !== undefined).toBe(true);
  await stopped;
  expect([store.pendingRedactions().length, text().includes('user-a')]).toEqual([1, true]);
  await stop();
  const again = await scene(folder);
  again.redaction.start();
  await done(again);
  expect(again.text()).not.toContain('user-a');
});

it('a deletion during the redaction of another one is done after it', async () => {
  const all = await scene();
  const { deliveryLog, redaction, clock } = all;
  await log(deliveryLog, ['user-a', 'user-b']);
  const redact = vi.spyOn(deliveryLog, 'redact');
  let second: Promise<void> | undefined;
  redact.mockImplementationOnce(async (users, mayContinue) => {
    second = redaction.accept(deletionOf('user-b', clock));
    await second;
    return deliveryLog.redact(users, mayContinue);
  });
  await redaction.accept(deletionOf('user-a', clock));
  await done(all);
  expect(second).toBeDefined();
  expect(all.text()).not.toMatch(/user-[ab]/);
});

it('continuous requests have the log read every few seconds, not all the time', async () => {
  const all = await scene();
  const { deliveryLog, redaction, store, clock } = all;
  await log(deliveryLog, ['user-a', 'user-b']);
  const redact = vi.spyOn(deliveryLog, 'redact');
  await redaction.accept(deletionOf('user-a', clock));
  await expect.poll(() => (store.commit(), store.pendingRedactions())).toEqual([]);
  await new Promise((resolve) => setImmediate(resolve));
  await redaction.accept(deletionOf('user-b', clock));
  await redaction.accept(deletionOf('user-c', clock));
  expect(redact).toHaveBeenCalledTimes(1);
  await done(all);
  expect(redact).toHaveBeenCalledTimes(2);
  expect(all.text()).not.toMatch(/user-[ab]/);
});

it('what others have left is not looked for while the store is away', async () => {
  const { store, redaction, clock } = await scene();
  const asked = vi.spyOn(store, 'pendingRedactions');
  const failure = vi.spyOn(store, 'failure', 'get').mockReturnValue(new Error('away'));
  clock.advance(60_000);
  redaction.lookAgain();
  expect(asked).not.toHaveBeenCalled();
  failure.mockReturnValue(undefined);
  redaction.lookAgain();
  expect(asked).toHaveBeenCalledTimes(1);
});
