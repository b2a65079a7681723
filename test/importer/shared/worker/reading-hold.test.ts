import { describe, expect, it } from 'vitest';
import { HeldItem } from '../../../../src/importer/shared/worker/held-item.js';
import { ReadingHold } from '../../../../src/importer/shared/worker/reading-hold.js';
import { refOf } from '../../../helpers/held-ref.js';
import { snapshotOf } from '../../../helpers/run-snapshots.js';

/** A hold at ten events, what its only item was told, and a look that finds so many that wait. */
function setup() {
  const told: boolean[] = [];
  const item = new HeldItem(refOf('ranges', 'i'));
  item.attach({
    ended: new Promise(() => undefined),
    ...{ durable: () => undefined, applyNotice: () => undefined, stop: () => undefined },
    holdReading: (isHeld) => void told.push(isHeld),
  });
  const said: string[] = [];
  const onChange = (isHeld: boolean, waiting: number): void =>
    void said.push(`${isHeld ? 'paused' : 'on'} at ${waiting}`);
  const hold = new ReadingHold({ maxWaiting: 10, items: () => [item], onChange });
  const look = (retrying: number, changes: Parameters<typeof snapshotOf>[0] = {}): void =>
    hold.looked(snapshotOf({ nextDueAt: 1_000, stats: { retrying }, ...changes }));
  return { told, said, hold, look };
}

describe('reading', () => {
  it('waits for the first look at the run', () => {
    const { told, hold, look } = setup();
    hold.added(1);
    expect(hold.isHeld).toBe(true);
    look(0);
    expect([hold.isHeld, told]).toEqual([false, [false]]);
  });

  it('pauses while too many events wait, and goes on when fewer do; each is told once', () => {
    const { told, look } = setup();
    for (const retrying of [9, 10, 25, 9, 0]) look(retrying);
    expect(told).toEqual([false, true, false]);
  });

  it('is said to pause, and to go on when half of the events have gone', () => {
    const { said, look } = setup();
    for (const retrying of [9, 12, 9, 10, 5, 4, 9, 11]) look(retrying);
    expect(said).toEqual(['paused at 12', 'on at 4', 'paused at 11']);
  });

  it('pauses with the retries that this worker adds between two looks', () => {
    const { told, hold, look } = setup();
    look(4);
    hold.added(5);
    expect(hold.isHeld).toBe(false);
    hold.added(1);
    expect(told).toEqual([false, true]);
    look(10);
    look(9);
    expect(told).toEqual([false, true, false]);
  });

  it('does not wait for events that nobody sends again: all batches failed', () => {
    const { hold, look } = setup();
    look(50, { failedRetries: 1, nextDueAt: Infinity });
    expect(hold.isHeld).toBe(false);
    look(12, { failedRetries: 3 });
    expect(hold.isHeld).toBe(false);
    look(12, { failedRetries: 2 });
    expect(hold.isHeld).toBe(true);
  });
});
