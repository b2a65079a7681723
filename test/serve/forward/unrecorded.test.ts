import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it, vi } from 'vitest';
import { StateFile } from '../../../src/storage/state-file.js';
import { reply, startRawServer } from '../../helpers/raw-server.js';
import { destinationOf, ids } from '../batches.js';
import { scene } from './scene.js';

type Scene = Awaited<ReturnType<typeof scene>>;

async function passes({ clock, store }: Scene, seconds: number): Promise<void> {
  for (let second = 0; second < seconds; second++) {
    clock.advance(1_000);
    for (let turn = 0; turn < 20; turn++) await nextTurn();
    store.commit();
  }
}

it('nothing new is sent after a commit that failed, until one succeeds', async () => {
  const server = await startRawServer();
  const at = await scene([destinationOf(server.url)], { starts: false });
  await at.take(ids(1_000));
  const failing = vi.spyOn(StateFile.prototype, 'transaction').mockImplementation(() => {
    throw new Error('the disk is full');
  });
  at.forwarder.start();
  await passes(at, 5);
  const sent = server.requests.length;
  expect(sent).toBeGreaterThan(0);
  await passes(at, 60);
  expect(server.requests.length).toBe(sent);
  expect(sent).toBeLessThan(1_000);
  failing.mockRestore();
  await passes(at, 10);
  expect(server.requests.length).toBe(1_000);
});

it('what waits for a connection when a commit fails is not sent, and later it is', async () => {
  const held: Socket[] = [];
  let isHolding = true;
  const server = await startRawServer({
    response: () => (isHolding ? (socket) => held.push(socket) : reply(200)),
  });
  const at = await scene([destinationOf(server.url)]);
  await at.take(ids(40));
  await server.arrived(16);
  const failing = vi.spyOn(StateFile.prototype, 'transaction').mockImplementation(() => {
    throw new Error('the disk is full');
  });
  await expect(at.take(['refused'])).rejects.toThrow('the disk is full');
  isHolding = false;
  for (const socket of held) socket.write(reply(200));
  await passes(at, 4);
  expect(server.requests.length).toBe(16);
  failing.mockRestore();
  await passes(at, 10);
  expect(server.requests.length).toBe(40);
});

it('nothing new is sent either while no space can be reserved after that', async () => {
  const server = await startRawServer();
  const at = await scene([destinationOf(server.url)]);
  const reserve = join(at.folder, 'serve.reserve');
  const failing = vi.spyOn(StateFile.prototype, 'transaction').mockImplementationOnce(() => {
    throw new Error('the disk is full');
  });
  await expect(at.take(['lost'])).rejects.toThrow('the disk is full');
  failing.mockRestore();
  // A folder in its place: it cannot be written.
  rmSync(reserve, { force: true });
  mkdirSync(join(reserve, 'x'), { recursive: true });
  await at.take(ids(100));
  await passes(at, 5);
  expect([server.requests.length, at.store.failure]).toEqual([0, expect.any(Error)]);
  rmSync(reserve, { recursive: true });
  await passes(at, 5);
  expect([server.requests.length, at.store.failure]).toEqual([100, undefined]);
});

it('of large events, each outcome that fits the disk is recorded, and the stop says how many are not', async () => {
  const server = await startRawServer({
    response: (_, index) => reply(index % 2 === 0 ? 200 : 404),
  });
  const at = await scene([destinationOf(server.url)], { starts: false });
  await at.take(ids(64));
  // Ten dead letters fit. What only deletes always does.
  let room = 10;
  // eslint-disable-next-line @typescript-eslint/unbound-method -- called with its object
  const { run, transaction } = StateFile.prototype;
  const failing = vi.spyOn(StateFile.prototype, 'run').mockImplementation(function (
    this: StateFile,
    sql,
    ...values
  ) {
    if (sql.includes('INSERT INTO dead_letter') && --room < 0) throw new Error('the disk is full');
    return run.call(this, sql, ...values);
  });
  vi.spyOn(StateFile.prototype, 'transaction').mockImplementation(function (
    this: StateFile,
    work,
    onDisk,
  ) {
    const before = room;
    try {
      transaction.call(this, work, onDisk);
    } catch (error) {
      room = before;
      throw error;
    }
  });
  at.forwarder.start();
  await passes(at, 5);
  const requests = server.requests.length;
  expect(requests).toBeGreaterThan(10);
  expect(requests).toBeLessThanOrEqual(64);
  expect(at.store.views.deadLetters({ limit: 99 })).toHaveLength(10);
  expect(at.store.length('crm').waiting).toBe(64 - requests / 2 - 10);
  await at.forwarder.stop();
  expect(() => at.store.close()).toThrow(`${requests / 2 - 10} outcomes were not recorded`);
  failing.mockRestore();
  vi.restoreAllMocks();
});
