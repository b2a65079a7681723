import { describe, expect, it } from 'vitest';
import { Semaphore } from '../../src/deliver/gate.js';

/** Whether a promise is settled by now. */
async function isSettled(promise: Promise<void> | undefined): Promise<boolean> {
  let settled = false;
  void promise?.then(() => (settled = true));
  await new Promise((resolve) => setImmediate(resolve));
  return settled;
}

function gateWith(active: number, waiting: number): Semaphore {
  const gate = new Semaphore(2, 10_000);
  for (let i = 0; i < active + waiting; i++) gate.enter();
  for (let i = 0; i < waiting; i++) gate.move('active', 'waiting');
  return gate;
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
    expect(gateWith(active, waiting).room() === undefined).toBe(expected);
  });

  it.each<[string, number, number, (gate: Semaphore) => void]>([
    ['an active item ends', 2, 0, (gate) => gate.move('active', 'ended')],
    ['an active item begins to wait', 2, 0, (gate) => gate.move('active', 'waiting')],
    ['a waiting item ends', 0, 10_000, (gate) => gate.move('waiting', 'ended')],
    ['a waiting item goes on', 0, 10_000, (gate) => gate.move('waiting', 'active')],
  ])('has room again when %s', async (_title, active, waiting, move) => {
    const gate = gateWith(active, waiting);
    const room = gate.room();
    expect(await isSettled(room)).toBe(false);
    move(gate);
    expect(await isSettled(room)).toBe(true);
    expect(gate.room()).toBeUndefined();
  });

  it('stays shut while one of its two limits is reached', async () => {
    const gate = gateWith(2, 10_000);
    const room = gate.room();
    gate.move('active', 'ended');
    expect(await isSettled(room)).toBe(false);
    gate.move('waiting', 'ended');
    expect(await isSettled(room)).toBe(true);
  });

  it('opens when all that ends in one turn of the event loop has ended', async () => {
    const gate = gateWith(2, 0);
    const freeOnOpening = gate.room()!.then(() => {
      gate.enter();
      gate.enter();
      return gate.room() !== undefined;
    });
    gate.move('active', 'ended');
    await Promise.resolve();
    gate.move('active', 'ended');
    expect(await freeOnOpening).toBe(true);
  });

  it('stays shut where what became free is taken before it has opened', async () => {
    const gate = gateWith(2, 0);
    const room = gate.room();
    gate.move('active', 'ended');
    gate.enter();
    expect(await isSettled(room)).toBe(false);
    gate.move('active', 'ended');
    expect(await isSettled(room)).toBe(true);
  });

  it('lets in those who wait in turn, as far as there is room, and nobody before them', async () => {
    const gate = gateWith(2, 0);
    const entered: string[] = [];
    const enter = (name: string): void => void gate.enterInTurn().then(() => entered.push(name));
    for (const name of ['a', 'b', 'c']) enter(name);
    gate.move('active', 'ended');
    expect(gate.room()).toBeUndefined();
    enter('d');
    expect(await isSettled(gate.room())).toBe(false);
    expect([entered, gate.room() === undefined]).toEqual([['a'], false]);
    gate.admitAll();
    expect(await isSettled(Promise.resolve())).toBe(true);
    expect(entered).toEqual(['a', 'b', 'c', 'd']);
  });

  it('is empty when nothing is active nor waiting', async () => {
    expect(await isSettled(gateWith(0, 0).empty())).toBe(true);
    const gate = gateWith(1, 1);
    const empty = gate.empty();
    gate.move('active', 'ended');
    expect(await isSettled(empty)).toBe(false);
    gate.move('waiting', 'active');
    expect(await isSettled(empty)).toBe(false);
    gate.move('active', 'ended');
    expect(await isSettled(empty)).toBe(true);
  });

  it('is not empty while somebody waits to enter', async () => {
    const gate = gateWith(2, 0);
    const entered = gate.enterInTurn();
    const order: string[] = [];
    const empty = gate.empty().then(() => order.push('empty'));
    gate.move('active', 'ended');
    gate.move('active', 'ended');
    await entered;
    order.push('entered');
    gate.move('active', 'ended');
    await empty;
    expect(order).toEqual(['entered', 'empty']);
  });
});
