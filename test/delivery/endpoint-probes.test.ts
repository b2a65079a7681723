import { describe, expect, it } from 'vitest';
import { EndpointProbes } from '../../src/delivery/endpoint-probes.js';
import { VirtualClock } from '../helpers/virtual-clock.js';

/** Probes that are asked for; `answer` answers the oldest question. */
function probesOf() {
  const clock = new VirtualClock();
  const asked: ((isAllowed: boolean) => void)[] = [];
  let due = 0;
  const ask = (): Promise<boolean> => new Promise((resolve) => asked.push(resolve));
  const probes = new EndpointProbes(clock, ask, () => due++);
  const answer = async (isAllowed: boolean): Promise<void> => {
    asked.shift()!(isAllowed);
    await Promise.resolve();
  };
  return { clock, asked, probes, answer, due: () => due };
}

describe('a probe that is asked for', () => {
  it('is sent once when it is allowed, and asked for again a second after a refusal', async () => {
    const { clock, asked, probes, answer, due } = probesOf();
    expect([probes.take(), probes.take(), asked.length]).toEqual([false, false, 1]);
    await answer(false);
    expect([probes.take(), asked.length, due()]).toEqual([false, 0, 0]);
    clock.advance(1_000);
    expect([due(), probes.take(), asked.length]).toEqual([1, false, 1]);
    await answer(true);
    expect([due(), probes.take(), probes.take()]).toEqual([2, true, false]);
  });

  it.each([true, false])(
    'is not allowed or refused by the answer of an earlier outage: %s',
    async (isAllowed) => {
      const { clock, asked, probes, answer, due } = probesOf();
      probes.take();
      probes.reset();
      probes.take();
      expect(asked).toHaveLength(2);
      await answer(isAllowed);
      expect([due(), probes.take(), asked.length, clock.waits]).toEqual([0, false, 1, []]);
      await answer(true);
      expect([due(), probes.take()]).toEqual([1, true]);
    },
  );
});
