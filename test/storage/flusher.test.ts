import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Flusher } from '../../src/storage/flusher.js';

interface Flush {
  readonly end: (error?: Error) => Promise<void>;
}

/** A flusher whose flushes are ended by the test. */
function opened(maxRows: number) {
  const begun: Flush[] = [];
  const flusher = new Flusher(
    () =>
      new Promise<void>((resolve, reject) =>
        begun.push({
          end: async (error) => {
            if (error) reject(error);
            else resolve();
            await settled();
          },
        }),
      ),
    maxRows,
  );
  return { flusher, begun };
}

const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

describe('committed rows', () => {
  it('are flushed by one flush after the other, each with all rows added meanwhile', async () => {
    const { flusher, begun } = opened(100);
    flusher.add(1);
    flusher.add(1);
    flusher.add(1);
    expect(begun).toHaveLength(1);
    await begun[0]!.end();
    expect(begun).toHaveLength(2);
    await begun[1]!.end();
    expect(begun).toHaveLength(2);
    flusher.add(1);
    expect(begun).toHaveLength(3);
  });

  it('leave no room while too many are unflushed', async () => {
    const steps = fc.array(
      fc.oneof(fc.nat({ max: 6 }), fc.constant('flushed' as const), fc.constant('all' as const)),
    );
    await fc.assert(
      fc.asyncProperty(steps, fc.nat({ max: 3 }), async (list, unreported) => {
        const { flusher, begun } = opened(10);
        /** Rows of the flush in progress, and rows added since it began. */
        let [before, since] = [0, 0];
        for (const step of list) {
          if (step === 'all') {
            flusher.reset();
            [before, since] = [0, 0];
          } else if (step === 'flushed') {
            if (begun.length === 0) continue;
            await begun.pop()!.end();
            [before, since] = [since, 0];
          } else {
            const isFirst = begun.length === 0;
            flusher.add(step);
            if (isFirst) before = step;
            else since += step;
          }
          const isFull = before + since + unreported >= 10;
          expect(flusher.room(unreported) !== undefined).toBe(isFull && begun.length > 0);
        }
      }),
    );
  });

  it('have room again as soon as a flush has ended', async () => {
    const { flusher, begun } = opened(10);
    flusher.add(6);
    flusher.add(5);
    const room = flusher.room(0)!;
    await begun[0]!.end();
    await room;
    expect(flusher.room(0)).toBeUndefined();
    expect(flusher.room(5)).toBeDefined();
  });
});

describe('a flush that fails', () => {
  it('is reported on request, ends the wait for room, and is the last', async () => {
    const { flusher, begun } = opened(10);
    flusher.add(6);
    flusher.add(6);
    const room = flusher.room(0);
    const full = new Error('no space');
    await begun[0]!.end(full);
    await room;
    expect(flusher.room(0)).toBeUndefined();
    expect(() => flusher.throwIfFailed()).toThrow(full);
    expect(begun).toHaveLength(1);
  });
});
