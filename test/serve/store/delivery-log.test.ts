import { appendFileSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { DeletedUsers } from '../../../src/serve/store/deleted-users.js';
import { DeliveryLog } from '../../../src/serve/store/delivery-log.js';
import { notAttempted, type EventRecord } from '../../../src/serve/event-record.js';
import { searchLog } from '../../../src/serve/store/delivery-log-search.js';
import { folderWith } from '../../helpers/folder.js';
import { VirtualClock } from '../../helpers/virtual-clock.js';

afterEach(() => void vi.restoreAllMocks());

function entry(n: number, change: Partial<EventRecord> = {}): EventRecord {
  return {
    ...notAttempted,
    ...{ at: n, state: 'delivered', source: 'web', destination: 'crm', messageId: `m${n}` },
    ...{ type: 'track', name: 'Größe "XL"\n', user: `u${n}`, receivedAt: n - 5, attempts: 1 },
    ...{ status: 200, error: null, durationMs: 1.5, code: null, message: null, response: null },
    ...change,
  };
}

function deliveryLogIn(
  folder: string,
  more: { fileBytes?: number; maxFiles?: number } = {},
): DeliveryLog {
  return new DeliveryLog({ folder, clock: new VirtualClock(), ...more });
}

const find = (deliveryLog: DeliveryLog, text: string, limit = 100) =>
  searchLog(deliveryLog, {
    ...{ text, limit, mayContinue: () => Promise.resolve(true) },
    isWanted: () => true,
  });

const response = { headers: { 'content-type': 'text/plain' }, body: 'unknown user u7\n' };

it('an entry keeps what the endpoint said', async () => {
  const deliveryLog = deliveryLogIn(folderWith());
  const failed = entry(7, { state: 'failed', status: 400, response });
  deliveryLog.add(failed);
  expect((await find(deliveryLog, 'm7')).items).toEqual([failed]);
});

it('what the endpoint said of a deleted user is removed, since it may repeat the event', async () => {
  const folder = folderWith();
  const deliveryLog = deliveryLogIn(folder);
  deliveryLog.add(entry(7, { state: 'failed', status: 400, response }));
  deliveryLog.add(entry(8, { state: 'failed', status: 400, response }));
  const deletedUsers = new DeletedUsers([{ userId: '"u7"', receivedAt: 10 }]);
  await deliveryLog.redact(deletedUsers, () => true);
  const responses = (await find(deliveryLog, 'm')).items.map((found) => found.response);
  expect(responses).toEqual([response, null]);
});

it('an entry is found unchanged, by any of its texts, in any case, also after a restart', async () => {
  const folder = folderWith();
  const deliveryLog = deliveryLogIn(folder);
  for (let n = 1; n <= 50; n++) deliveryLog.add(entry(n));
  for (const text of ['m17', 'M17', 'u17']) {
    expect((await find(deliveryLog, text)).items).toEqual([entry(17)]);
  }
  expect((await find(deliveryLog, 'größe "xl"\n')).items).toHaveLength(50);
  deliveryLog.add(entry(51));
  deliveryLog.close();
  const again = deliveryLogIn(folder);
  expect((await find(again, 'm51')).items).toEqual([entry(51)]);
  expect(await find(again, 'm', 3)).toEqual({
    ...{ items: [entry(51), entry(50), entry(49)], isComplete: false, from: 1 },
  });
});

it('the oldest files are deleted, and the start of the history is known', async () => {
  const folder = folderWith();
  const deliveryLog = deliveryLogIn(folder, { fileBytes: 2_000, maxFiles: 3 });
  for (let n = 1; n <= 200; n++) {
    deliveryLog.add(entry(n));
    await deliveryLog.flush();
  }
  const names = readdirSync(folder);
  expect(names).toHaveLength(3);
  const total = names.reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
  expect(total).toBeLessThan(3 * 2_500);
  const { from, isComplete } = await find(deliveryLog, 'm3');
  const oldest = Number(/\[(\d+)/.exec(readFileSync(join(folder, names.sort()[0]!), 'utf8'))![1]);
  expect([from, isComplete]).toEqual([oldest, true]);
  expect(statSync(join(folder, names[0]!)).mode & 0o77).toBe(0);
});

it('a line that a crash has truncated is skipped, and affects no other', async () => {
  const folder = folderWith();
  const deliveryLog = deliveryLogIn(folder);
  deliveryLog.add(entry(1));
  deliveryLog.close();
  appendFileSync(join(folder, readdirSync(folder)[0]!), '[2,"delivered","web","cr');
  const again = deliveryLogIn(folder);
  again.add(entry(3));
  expect((await find(again, 'web')).items).toEqual([entry(3), entry(1)]);
});

it('lines across chunk boundaries are found', async () => {
  const deliveryLog = deliveryLogIn(folderWith());
  for (let n = 0; n < 400; n++) deliveryLog.add(entry(n, { message: 'x'.repeat(2_000) }));
  expect((await find(deliveryLog, 'm399')).items).toHaveLength(1);
  expect((await find(deliveryLog, 'u1', 200)).items).toHaveLength(111);
});

it('an interrupted search reports that it is incomplete', async () => {
  const deliveryLog = deliveryLogIn(folderWith());
  deliveryLog.add(entry(1));
  const search = { text: 'm1', limit: 9, isWanted: () => true };
  const found = await searchLog(deliveryLog, {
    ...search,
    mayContinue: () => Promise.resolve(false),
  });
  expect(found).toMatchObject({ items: [], isComplete: false });
});

it('a folder that cannot be written causes no error', async () => {
  const folder = folderWith();
  const deliveryLog = deliveryLogIn(folder);
  rmSync(folder, { recursive: true });
  for (let n = 0; n < 30_000; n++) deliveryLog.add(entry(n));
  await deliveryLog.flush();
  deliveryLog.add(entry(1));
  deliveryLog.close();
  expect(await find(deliveryLog, 'm1')).toMatchObject({ items: [], from: undefined });
});

const gone = { userId: '"u17"', receivedAt: 1_000 };
const redact = (deliveryLog: DeliveryLog, users = [gone]) =>
  deliveryLog.redact(new DeletedUsers(users), () => true);
const textOf = (folder: string): string =>
  readdirSync(folder)
    .map((name) => readFileSync(join(folder, name), 'utf8'))
    .join('');

it('the ids of a deleted user are removed from all files, and nothing else is', async () => {
  const folder = folderWith();
  const deliveryLog = deliveryLogIn(folder, { fileBytes: 2_000 });
  for (let n = 1; n <= 60; n++) {
    deliveryLog.add(
      entry(n, { user: n % 2 === 0 ? 'user-17' : `u${n}`, messageId: `m-user-17-${n}` }),
    );
    await deliveryLog.flush();
  }
  const users = [{ userId: '"user-17"', receivedAt: 41 }];
  expect(await redact(deliveryLog, users)).toBe(true);
  const { items: entries } = await find(deliveryLog, 'm-', 100);
  expect(entries).toHaveLength(60);
  for (const { at, user, name, messageId } of entries) {
    const isDeleted = at % 2 === 0 && at - 5 <= 41;
    expect([user, name, messageId]).toEqual([
      isDeleted ? null : at % 2 === 0 ? 'user-17' : `u${at}`,
      isDeleted ? null : 'Größe "XL"\n',
      isDeleted ? `m-…-${at}` : `m-user-17-${at}`,
    ]);
  }
  deliveryLog.add(entry(61));
  deliveryLog.close();
  expect(textOf(folder).split('\n').filter(Boolean)).toHaveLength(61);
});

it('entries written later do not name them, unless the event was received later', async () => {
  const folder = folderWith();
  const deliveryLog = deliveryLogIn(folder);
  deliveryLog.deletedUsers.add(gone);
  deliveryLog.add(entry(17));
  deliveryLog.add(entry(17, { receivedAt: 2_000, messageId: 'later' })); // sent after the request
  deliveryLog.add(entry(7, { user: '7' }));
  deliveryLog.deletedUsers.add({ userId: '7', receivedAt: 1_000 });
  deliveryLog.add(entry(8, { user: '7' }));
  const { items: entries } = await find(deliveryLog, 'm', 9);
  expect(entries.map(({ messageId, user }) => [messageId, user]).sort()).toEqual([
    ['later', 'u17'],
    ['m17', null],
    ['m7', '7'],
    ['m8', null],
  ]);
});

it('an unfinished file that a crash has left is removed', async () => {
  const folder = folderWith();
  const deliveryLog = deliveryLogIn(folder);
  for (let n = 1; n <= 20; n++) deliveryLog.add(entry(n));
  deliveryLog.close();
  const [name] = readdirSync(folder);
  const whole = readFileSync(join(folder, name!), 'utf8');
  appendFileSync(join(folder, `${name!}.new`), whole.slice(0, 100));
  appendFileSync(
    join(folder, name!),
    whole
      .slice(0, whole.indexOf('u17') + 5)
      .split('\n')
      .at(-1)!,
  );
  const again = deliveryLogIn(folder);
  expect(readdirSync(folder)).toEqual([name]);
  await redact(again);
  expect(textOf(folder)).not.toContain('u17');
  expect((await find(again, 'm')).items).toHaveLength(20);
});

/** What all file handles have in common. */
async function handles(folder: string): Promise<FileHandle> {
  const handle = await open(folder);
  await handle.close();
  return Object.getPrototypeOf(handle) as FileHandle;
}

it('a rewritten file is complete, even if the system writes less at once than requested', async () => {
  const folder = folderWith();
  const deliveryLog = deliveryLogIn(folder);
  for (let n = 1; n <= 20; n++) deliveryLog.add(entry(n));
  await deliveryLog.flush();
  const prototype = await handles(folder);

  const { write } = prototype as unknown as { write: (...values: unknown[]) => Promise<unknown> };
  vi.spyOn(prototype, 'write').mockImplementation(function (this: FileHandle, data: unknown) {
    return write.call(this, Buffer.from(data as string), 0, 100) as never;
  });
  await redact(deliveryLog);
  expect((await find(deliveryLog, 'm')).items).toHaveLength(20);
  expect(textOf(folder)).not.toContain('u17');
});

it('the rename of a rewritten file is durable before its users count as removed', async () => {
  const folder = folderWith();
  const deliveryLog = deliveryLogIn(folder);
  deliveryLog.add(entry(17));
  await deliveryLog.flush();
  const prototype = await handles(folder);
  // eslint-disable-next-line @typescript-eslint/unbound-method -- called with the handle
  const { sync } = prototype;
  const seen: string[][] = [];
  vi.spyOn(prototype, 'sync').mockImplementation(function (this: FileHandle) {
    seen.push(readdirSync(folder));
    return sync.call(this);
  });
  await redact(deliveryLog);
  const name = '00000001.ndjson';
  expect(seen).toEqual([[name, `${name}.new`], [name]]);
});

it('a limited number of users is remembered, those of the newest requests', () => {
  const users = new DeletedUsers([], 3);
  for (const id of ['1', '2', '3', '1', '4']) users.add({ userId: `"${id}"`, receivedAt: 9 });
  const known = ['1', '2', '3', '4'].filter((user) => users.has(entry(1, { user, receivedAt: 5 })));
  expect(known).toEqual(['1', '3', '4']);
});
