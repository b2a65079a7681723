import { describe, expect, it, vi } from 'vitest';
import { Turns, type Turn } from '../../../src/listen/forward/turns.js';
import { afterEachTest } from '../../helpers/after-each.js';

afterEachTest(() => {
  vi.useRealTimers();
});

const live = new AbortController().signal;

/** Lets one request be with the app, of which one is; the next ones wait for at most a second. */
async function busyApp() {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  const turns = new Turns({ atOnce: 1, patienceMs: 1_000 });
  expect(await turns.take(live)).toBe('own');
  const ended: Turn[] = [];
  const wait = (signal = live) => {
    void turns.take(signal).then((turn) => ended.push(turn));
  };
  return { turns, ended, wait };
}

describe('a request that waits for its turn', () => {
  it('gets it in order of arrival', async () => {
    const turns = new Turns({ atOnce: 2, patienceMs: 60_000 });
    const order: number[] = [];
    const all = [1, 2, 3, 4].map(async (n) => {
      await turns.take(live);
      order.push(n);
    });
    await Promise.all(all.slice(0, 2));
    expect(order).toEqual([1, 2]);
    turns.leave();
    turns.leave();
    await Promise.all(all);
    expect(order).toEqual([1, 2, 3, 4]);
  });

  it('gives up when the app has answered nothing for so long', async () => {
    const { ended, wait } = await busyApp();
    wait();
    await vi.advanceTimersByTimeAsync(999);
    expect(ended).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(ended).toEqual(['busy']);
  });

  it('waits on while the app answers others, but ten times as long at most', async () => {
    const { turns, ended, wait } = await busyApp();
    wait();
    for (let ms = 0; ms < 9_000; ms += 900) {
      await vi.advanceTimersByTimeAsync(900);
      turns.answered();
    }
    await vi.advanceTimersByTimeAsync(999);
    expect(ended).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(ended).toEqual(['busy']);
  });

  it('leaves the queue when its sender goes away', async () => {
    const { turns, ended, wait } = await busyApp();
    const gone = new AbortController();
    wait(gone.signal);
    wait();
    gone.abort();
    await vi.advanceTimersByTimeAsync(0);
    expect(ended).toEqual(['aborted']);
    turns.leave();
    await vi.advanceTimersByTimeAsync(0);
    expect(ended).toEqual(['aborted', 'own']);
    expect(await turns.take(gone.signal)).toBe('aborted');
  });

  it('that gave up takes no turn away', async () => {
    const { turns, ended, wait } = await busyApp();
    wait();
    await vi.advanceTimersByTimeAsync(1_000);
    turns.leave();
    expect(await turns.take(live)).toBe('own');
    expect(ended).toEqual(['busy']);
  });
});
