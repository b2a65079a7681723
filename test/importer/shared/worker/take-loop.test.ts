import { describe, expect, it } from 'vitest';
import type { TakenItem } from '../../../../src/importer/shared/item.js';
import { TakeLoop } from '../../../../src/importer/shared/worker/take-loop.js';
import { withResolvers } from '../../../../src/with-resolvers.js';
import { VirtualClock } from '../../../helpers/virtual-clock.js';

/** A loop with two items in hand, over a store with items of these weights. */
function loopOver(weights: readonly number[], maxItems?: number) {
  const waiting = [...weights.keys()];
  const taken: number[] = [];
  const ends: (() => void)[] = [];
  const indexOf = ({ ref }: TakenItem): number => Number(ref.id);
  const loop = new TakeLoop({
    server: {
      take: (_run, _kind, limit) => Promise.resolve(waiting.splice(0, limit).map(itemOf)),
      giveBack: () => Promise.resolve(),
    },
    ...{ run: 'run', kind: 'ranges', concurrency: 2, maxItems, clock: new VirtualClock() },
    weightOf: (item) => weights[indexOf(item)]!,
    work: (item) => {
      const { promise, resolve } = withResolvers();
      taken.push(indexOf(item));
      ends[indexOf(item)] = resolve;
      return promise;
    },
    onEnded: () => undefined,
    onFailure: (error) => {
      throw error;
    },
  });
  const end = (...items: readonly number[]): void => items.forEach((item) => ends[item]!());
  return { loop, taken, end };
}

function itemOf(id: number): TakenItem {
  const ref = { run: 'run', kind: 'ranges', id: String(id) } as TakenItem['ref'];
  return { ref, range: undefined, progress: undefined, takeovers: 0 };
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('the items in hand of a worker', () => {
  it('are as many as it may have, and the next one when one has ended', async () => {
    const { loop, taken, end } = loopOver([1, 1, 1, 1]);
    await turn();
    expect(taken).toEqual([0, 1]);
    end(1);
    await turn();
    expect(taken).toEqual([0, 1, 2]);
    end(0, 2);
    await turn();
    end(3);
    await loop.close();
    expect(taken).toEqual([0, 1, 2, 3]);
  });

  it('are more if they are small, but one place is kept for a whole one', async () => {
    const { loop, taken, end } = loopOver([...Array<number>(6).fill(0.25), 1, 1, 0.1]);
    await turn();
    // Beside four quarters there is room for one more, whose weight is not known.
    expect(taken).toEqual([0, 1, 2, 3, 4]);
    end(0, 1, 2);
    await turn();
    expect(taken).toEqual([0, 1, 2, 3, 4, 5, 6]);
    end(3, 4, 5);
    await turn();
    expect(taken).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    end(6);
    await turn();
    expect(taken).toHaveLength(9);
    end(7, 8);
    await loop.close();
  });

  it('are no more than a maximum, however small', async () => {
    const { loop, taken, end } = loopOver(Array<number>(6).fill(0.1), 3);
    await turn();
    expect(taken).toEqual([0, 1, 2]);
    end(0);
    await turn();
    expect(taken).toEqual([0, 1, 2, 3]);
    void loop.close();
    end(1, 2, 3);
    await loop.close();
  });
});
