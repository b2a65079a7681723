import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { folderFor, ids, receiving, running, send } from './serve-process.js';

describe('serve, killed', () => {
  it('delivers every event that got a 200, however often it is killed', async () => {
    const receiver = await receiving();
    const folder = folderFor(receiver);
    const responded: string[] = [];
    let next = 0;
    for (let round = 0; round < 6; round++) {
      const served = await running(folder);
      const end = once(served.child, 'close');
      const clients = Array.from({ length: 4 }, async () => {
        for (;;) {
          const from = (next += 20);
          const status = await send(served.url, from, 20).catch(() => undefined);
          if (status !== 200) return;
          for (let i = 0; i < 20; i++) responded.push(`m${from + i}`);
          if (responded.length >= 400 * (round + 1)) served.child.kill('SIGKILL');
        }
      });
      await Promise.all([...clients, end]);
    }
    const served = await running(folder);
    expect(responded.length).toBeGreaterThanOrEqual(2400);
    const missing = (): string[] => {
      const got = new Set(ids(receiver));
      return responded.filter((id) => !got.has(id));
    };
    for (let count = receiver.requests.length; missing().length > 0; count++) {
      await receiver.atLeast(count + 1);
    }
    expect((await served.stop('SIGTERM')).code).toBe(0);
  });
});
