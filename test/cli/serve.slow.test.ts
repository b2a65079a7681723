import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { seededRandom } from '../helpers/seed.js';
import { folderFor, receiving, running, send, type Running } from './serve-process.js';

const batch = 20;

/** Clients that send to one service after the other, and a receiver that can be down. */
async function scene() {
  const state = { isDown: false };
  const delivered = new Set<string>();
  const receiver = await receiving(({ body }) => {
    if (state.isDown) return { status: 503 };
    delivered.add(JSON.parse(body.toString()).messageId);
    return {};
  });
  const folder = folderFor(receiver);
  const responded: string[] = [];
  let next = 0;
  const sendBatch = async ({ url }: Running): Promise<void> => {
    const from = (next += batch);
    expect(await send(url, from, batch)).toBe(200);
    for (let i = 0; i < batch; i++) responded.push(`m${from + i}`);
  };
  /** Sends until the service is killed. */
  const sendTo = async (served: Running, onResponse: () => void): Promise<void> => {
    try {
      for (;;) {
        await sendBatch(served);
        onResponse();
      }
    } catch (error) {
      if (!served.child.killed) throw error;
    }
  };
  return {
    state,
    responded,
    /** Kills a service when so many more events have got a 200, while others are sent. */
    killAtIntake: async (count: number): Promise<void> => {
      const served = await running(folder);
      const end = once(served.child, 'close');
      const goal = responded.length + count;
      const killAtGoal = (): void => {
        if (responded.length >= goal) served.child.kill('SIGKILL');
      };
      const sending = Array.from({ length: 4 }, () => sendTo(served, killAtGoal));
      await Promise.all([...sending, end]);
    },
    /** Kills a service when it has sent so many more. */
    killAtDrain: async (count: number): Promise<void> => {
      const served = await running(folder);
      await receiver.atLeast(receiver.requests.length + count);
      await served.stop('SIGKILL');
    },
    /** Sends once more, and resolves when every event that got a 200 has been delivered. */
    allDelivered: async (): Promise<void> => {
      const served = await running(folder);
      await sendBatch(served);
      for (;;) {
        const missing = responded.filter((id) => !delivered.has(id)).length;
        if (missing === 0) break;
        await receiver.atLeast(receiver.requests.length + missing);
      }
      expect((await served.stop('SIGTERM')).code).toBe(0);
    },
  };
}

describe('serve, killed', () => {
  it('delivers every event that got a 200, however often it is killed', async () => {
    const { responded, killAtIntake, allDelivered } = await scene();
    for (let round = 0; round < 6; round++) await killAtIntake(400);
    expect(responded.length).toBeGreaterThanOrEqual(2400);
    await allDelivered();
  });

  it('delivers a backlog, killed while it builds up and while it is sent', async () => {
    const random = seededRandom();
    const upTo = (most: number): number => 1 + Math.floor(random() * most);
    const { state, killAtIntake, killAtDrain, allDelivered } = await scene();
    state.isDown = true;
    for (let round = 0; round < 4; round++) await killAtIntake(1_000 + upTo(500));
    state.isDown = false;
    for (let round = 0; round < 6; round++) await killAtDrain(upTo(300));
    await allDelivered();
  });
});
