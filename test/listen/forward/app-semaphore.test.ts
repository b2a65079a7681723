import { describe, expect, it, vi } from 'vitest';
import { AppSemaphore, type Admission } from '../../../src/listen/forward/app-semaphore.js';
import { afterEachTest } from '../../helpers/after-each.js';

afterEachTest(() => {
  vi.useRealTimers();
});

const live = new AbortController().signal;

/** Lets one request be with the app, of which one is; the next ones wait for at most a second. */
async function busyApp() {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  const semaphore = new AppSemaphore({ atOnce: 1, waitMs: 1_000 });
  expect(await semaphore.acquire(live)).toBe('admitted');
  const ended: Admission[] = [];
  const wait = (signal = live) => {
    void semaphore.acquire(signal).then((admission) => ended.push(admission));
  };
  return { semaphore, ended, wait };
}

describe('a request that waits for its turn', () => {
  it('gets it in order of arrival', async () => {
    const semaphore = new AppSemaphore({ atOnce: 2, waitMs: 60_000 });
    const order: number[] = [];
    const all = [1, 2, 3, 4].map(async (n) => {
      await semaphore.acquire(live);
      order.push(n);
    });
    await Promise.all(all.slice(0, 2));
    expect(order).toEqual([1, 2]);
    semaphore.release();
    semaphore.release();
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
    const { semaphore, ended, wait } = await busyApp();
    wait();
    for (let ms = 0; ms < 9_000; ms += 900) {
      await vi.advanceTimersByTimeAsync(900);
      semaphore.answered();
    }
    await vi.advanceTimersByTimeAsync(999);
    expect(ended).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(ended).toEqual(['busy']);
  });

  it('leaves the queue when its sender goes away', async () => {
    const { semaphore, ended, wait } = await busyApp();
    const gone = new AbortController();
    wait(gone.signal);
    wait();
    gone.abort();
    await vi.advanceTimersByTimeAsync(0);
    expect(ended).toEqual(['aborted']);
    semaphore.release();
    await vi.advanceTimersByTimeAsync(0);
    expect(ended).toEqual(['aborted', 'admitted']);
    expect(await semaphore.acquire(gone.signal)).toBe('aborted');
  });

  it('that gave up takes no turn away', async () => {
    const { semaphore, ended, wait } = await busyApp();
    wait();
    await vi.advanceTimersByTimeAsync(1_000);
    semaphore.release();
    expect(await semaphore.acquire(live)).toBe('admitted');
    expect(ended).toEqual(['busy']);
  });
});
