import { describe, expect, it } from 'vitest';
import { Troubles } from '../../../src/store/postgres/troubles.js';
import { StoreUnavailable } from '../../../src/store/postgres/unavailable.js';
import { VirtualClock } from '../../helpers/virtual-clock.js';

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
      await clock.advance(500);
    }
    expect(lines).toEqual(['postgres://db refuses writes (its disk is full); waiting for it']);
    await clock.advance(20_000);
    expect(lines.slice(1)).toEqual(['postgres://db is there again']);
  });

  it('end at once where what waited was written', async () => {
    const { clock, lines, troubles } = scene();
    troubles.failed(full);
    await clock.advance(500);
    troubles.failed(full);
    const ended = troubles.waits();
    await clock.advance(5_000);
    expect(troubles.failure).toBe(full);
    ended(true);
    expect(troubles.failure).toBeUndefined();
    expect(lines).toHaveLength(2);
  });
});
