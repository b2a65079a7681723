import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { Troubles } from '../../../src/store/postgres/troubles.js';
import { StoreUnavailable } from '../../../src/store/postgres/unavailable.js';
import { VirtualClock } from '../../helpers/virtual-clock.js';

const turn = promisify(setImmediate);

/** Moves the clock, and lets what was due do its work. */
async function pass(clock: VirtualClock, ms: number): Promise<void> {
  clock.advance(ms);
  await turn();
}

const full = new StoreUnavailable('refused', 'its disk is full');

function scene() {
  const clock = new VirtualClock();
  const lines: string[] = [];
  const troubles = new Troubles({
    ...{ shown: 'postgres://db', clock, probe: () => Promise.resolve() },
    onTrouble: (line) => lines.push(line),
    onRecovered: (line) => lines.push(line),
  });
  return { clock, lines, troubles };
}

describe('troubles of a store', () => {
  it('are told once while a full disk has room for probes, but not for the work', async () => {
    const { clock, lines, troubles } = scene();
    for (let ms = 0; ms < 60_000; ms += 500) {
      troubles.failed(full);
      await pass(clock, 500);
    }
    expect(lines).toEqual(['postgres://db refuses writes (its disk is full); waiting for it']);
    await pass(clock, 20_000);
    expect(lines.slice(1)).toEqual(['postgres://db is there again']);
  });

  it('name what is wrong now, and a server that was away may still be full', async () => {
    const { clock, lines, troubles } = scene();
    const lost = new StoreUnavailable('lost', 'connection refused');
    for (let ms = 0; ms < 3_000; ms += 500) {
      troubles.failed(full);
      await pass(clock, 500);
    }
    for (let ms = 0; ms < 1_000; ms += 100) {
      troubles.failed(lost);
      await pass(clock, 100);
    }
    troubles.succeeded();
    await pass(clock, 1_000);
    expect(lines).toEqual([
      'postgres://db refuses writes (its disk is full); waiting for it',
      'postgres://db cannot be reached (connection refused); waiting for it',
      'postgres://db is there again',
    ]);
  });

  it('are not over when a connection of a full server has broken', async () => {
    const { clock, lines, troubles } = scene();
    for (let ms = 0; ms < 30_000; ms += 500) {
      troubles.failed(ms % 5_000 === 0 ? new StoreUnavailable('lost', 'connection reset') : full);
      troubles.succeeded();
      await pass(clock, 500);
    }
    expect(lines).toEqual(['postgres://db refuses writes (its disk is full); waiting for it']);
  });

  it('end at once where what waited was written', async () => {
    const { clock, lines, troubles } = scene();
    troubles.failed(full);
    await pass(clock, 500);
    troubles.failed(full);
    const ended = troubles.waits();
    await pass(clock, 5_000);
    expect(troubles.failure).toBe(full);
    ended(true);
    expect(troubles.failure).toBeUndefined();
    expect(lines).toHaveLength(2);
  });
});
