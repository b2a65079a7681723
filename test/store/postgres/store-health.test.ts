import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { StoreHealth } from '../../../src/store/postgres/store-health.js';
import { StoreUnavailable } from '../../../src/store/postgres/unavailable.js';
import { VirtualClock } from '../../helpers/virtual-clock.js';

const turn = promisify(setImmediate);

/** Moves the clock, and lets what was due do its work. */
async function pass(clock: VirtualClock, ms: number): Promise<void> {
  clock.advance(ms);
  await turn();
}

const shown = 'postgres://db';
const full = new StoreUnavailable('refused', 'its disk is full', { shown });

function scene() {
  const clock = new VirtualClock();
  const lines: string[] = [];
  const health = new StoreHealth({
    ...{ shown, clock, probe: () => Promise.resolve() },
    onOutage: (line) => lines.push(line),
    onRecovered: (line) => lines.push(line),
  });
  return { clock, lines, health };
}

describe('the health of a store', () => {
  it('is reported once while a full disk has room for probes, but not for the work', async () => {
    const { clock, lines, health } = scene();
    for (let ms = 0; ms < 60_000; ms += 500) {
      health.failed(full);
      await pass(clock, 500);
    }
    expect(lines).toEqual(['postgres://db refuses writes (its disk is full); waiting for it']);
    await pass(clock, 20_000);
    expect(lines.slice(1)).toEqual(['postgres://db is there again']);
  });

  it('name what is wrong now, and a server that was away may still be full', async () => {
    const { clock, lines, health } = scene();
    const lost = new StoreUnavailable('lost', 'connection refused', { shown });
    for (let ms = 0; ms < 3_000; ms += 500) {
      health.failed(full);
      await pass(clock, 500);
    }
    for (let ms = 0; ms < 1_000; ms += 100) {
      health.failed(lost);
      await pass(clock, 100);
    }
    health.succeeded();
    await pass(clock, 1_000);
    expect(lines).toEqual([
      'postgres://db refuses writes (its disk is full); waiting for it',
      'postgres://db cannot be reached (connection refused); waiting for it',
      'postgres://db is there again',
    ]);
  });

  it('is not good again when a connection of a full server has broken', async () => {
    const { clock, lines, health } = scene();
    for (let ms = 0; ms < 30_000; ms += 500) {
      health.failed(
        ms % 5_000 === 0 ? new StoreUnavailable('lost', 'connection reset', { shown }) : full,
      );
      health.succeeded();
      await pass(clock, 500);
    }
    expect(lines).toEqual(['postgres://db refuses writes (its disk is full); waiting for it']);
  });

  it('are told once while commits have no answer, and other statements do', async () => {
    const { clock, lines, health } = scene();
    const silent = new StoreUnavailable('lost', 'no response', { shown });
    for (let round = 0; round < 10; round++) {
      health.failed(silent);
      await pass(clock, 450);
      health.failed(silent);
      health.succeeded();
      await pass(clock, 6_000);
    }
    expect(lines).toEqual(['postgres://db cannot be reached (no response); waiting for it']);
    await pass(clock, 10_000);
    expect(lines.slice(1)).toEqual(['postgres://db is there again']);
  });

  it('end at once where what waited was written', async () => {
    const { clock, lines, health } = scene();
    health.failed(full);
    await pass(clock, 500);
    health.failed(full);
    const ended = health.waits();
    await pass(clock, 5_000);
    expect(health.failure).toBe(full);
    ended(true);
    expect(health.failure).toBeUndefined();
    expect(lines).toHaveLength(2);
  });
});
