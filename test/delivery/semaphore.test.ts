import { describe, expect, it } from 'vitest';
import { Semaphore } from '../../src/delivery/semaphore.js';

/** Whether a promise is settled by now. */
async function isSettled(promise: Promise<void> | undefined): Promise<boolean> {
  let settled = false;
  void promise?.then(() => (settled = true));
  await new Promise((resolve) => setImmediate(resolve));
  return settled;
}

function semaphoreWith(active: number, waiting: number): Semaphore {
  const semaphore = new Semaphore(2, 10_000);
  for (let i = 0; i < active + waiting; i++) semaphore.enter();
  for (let i = 0; i < waiting; i++) semaphore.move('active', 'waiting');
  return semaphore;
}

describe('a gate', () => {
  it.each([
    [0, 0, true],
    [1, 0, true],
    [2, 0, false],
    [3, 0, false],
    [1, 9_999, true],
    [0, 10_000, false],
    [0, 10_001, false],
  ])('with %i active and %i waiting has room: %s', (active, waiting, expected) => {
    expect(semaphoreWith(active, waiting).room() === undefined).toBe(expected);
  });

  it.each<[string, number, number, (semaphore: Semaphore) => void]>([
    ['an active item ends', 2, 0, (semaphore) => semaphore.move('active', 'ended')],
    ['an active item begins to wait', 2, 0, (semaphore) => semaphore.move('active', 'waiting')],
    ['a waiting item ends', 0, 10_000, (semaphore) => semaphore.move('waiting', 'ended')],
    ['a waiting item goes on', 0, 10_000, (semaphore) => semaphore.move('waiting', 'active')],
  ])('has room again when %s', async (_title, active, waiting, move) => {
    const semaphore = semaphoreWith(active, waiting);
    const room = semaphore.room();
    expect(await isSettled(room)).toBe(false);
    move(semaphore);
    expect(await isSettled(room)).toBe(true);
    expect(semaphore.room()).toBeUndefined();
  });

  it('stays shut while one of its two limits is reached', async () => {
    const semaphore = semaphoreWith(2, 10_000);
    const room = semaphore.room();
    semaphore.move('active', 'ended');
    expect(await isSettled(room)).toBe(false);
    semaphore.move('waiting', 'ended');
    expect(await isSettled(room)).toBe(true);
  });

  it('opens when all that ends in one turn of the event loop has ended', async () => {
    const semaphore = semaphoreWith(2, 0);
    const freeOnOpening = semaphore.room()!.then(() => {
      semaphore.enter();
      semaphore.enter();
      return semaphore.room() !== undefined;
    });
    semaphore.move('active', 'ended');
    await Promise.resolve();
    semaphore.move('active', 'ended');
    expect(await freeOnOpening).toBe(true);
  });

  it('stays shut where what became free is taken before it has opened', async () => {
    const semaphore = semaphoreWith(2, 0);
    const room = semaphore.room();
    semaphore.move('active', 'ended');
    semaphore.enter();
    expect(await isSettled(room)).toBe(false);
    semaphore.move('active', 'ended');
    expect(await isSettled(room)).toBe(true);
  });

  it('lets in those who wait in turn, as far as there is room, and nobody before them', async () => {
    const semaphore = semaphoreWith(2, 0);
    const entered: string[] = [];
    const enter = (name: string): void =>
      void semaphore.enterInTurn().then(() => entered.push(name));
    for (const name of ['a', 'b', 'c']) enter(name);
    semaphore.move('active', 'ended');
    expect(semaphore.room()).toBeUndefined();
    enter('d');
    expect(await isSettled(semaphore.room())).toBe(false);
    expect([entered, semaphore.room() === undefined]).toEqual([['a'], false]);
    semaphore.admitAll();
    expect(await isSettled(Promise.resolve())).toBe(true);
    expect(entered).toEqual(['a', 'b', 'c', 'd']);
  });

  it('is empty when nothing is active nor waiting', async () => {
    expect(await isSettled(semaphoreWith(0, 0).empty())).toBe(true);
    const semaphore = semaphoreWith(1, 1);
    const empty = semaphore.empty();
    semaphore.move('active', 'ended');
    expect(await isSettled(empty)).toBe(false);
    semaphore.move('waiting', 'active');
    expect(await isSettled(empty)).toBe(false);
    semaphore.move('active', 'ended');
    expect(await isSettled(empty)).toBe(true);
  });

  it('is not empty while somebody waits to enter', async () => {
    const semaphore = semaphoreWith(2, 0);
    const entered = semaphore.enterInTurn();
    const order: string[] = [];
    const empty = semaphore.empty().then(() => order.push('empty'));
    semaphore.move('active', 'ended');
    semaphore.move('active', 'ended');
    await entered;
    order.push('entered');
    semaphore.move('active', 'ended');
    await empty;
    expect(order).toEqual(['entered', 'empty']);
  });
});
