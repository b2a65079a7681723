import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RequestStore } from '../../src/listen/request-store.js';
import { received } from './listening.js';

function filled(count: number, limits = { requests: 5, bytes: 1e6 }, size = 10): RequestStore {
  const kept = new RequestStore(limits);
  for (let sequence = 1; sequence <= count; sequence++) {
    kept.add(received({ sequence, body: Buffer.alloc(size) }));
  }
  return kept;
}

const numbers = (kept: RequestStore): number[] => kept.all().map(({ sequence }) => sequence);

describe('the newest requests', () => {
  it('are kept, the oldest first', () => {
    expect(numbers(filled(3))).toEqual([1, 2, 3]);
    expect(numbers(filled(12))).toEqual([8, 9, 10, 11, 12]);
    expect(filled(12).size).toBe(5);
  });

  it('need at most the allowed bytes, but one is always kept', () => {
    const limits = { requests: 100, bytes: 1000 };
    const kept = filled(50, limits, 400);
    expect(numbers(kept)).toEqual([49, 50]);
    kept.add(received({ sequence: 51, body: Buffer.alloc(5000) }));
    expect(numbers(kept)).toEqual([51]);
  });

  it('are found by id while they are kept', () => {
    const kept = filled(12);
    expect(kept.find('run-9')?.sequence).toBe(9);
    for (const id of ['run-7', 'run-13', 'other-9', 'run-', '9', 'run-9e0', '__proto__', '']) {
      expect(kept.find(id)).toBeUndefined();
    }
  });

  it('are read from any sequence number', () => {
    const kept = filled(12);
    const after = (sequence: number, most: number) =>
      kept.after(sequence, most).map((item) => item.sequence);
    expect(after(0, 3)).toEqual([8, 9, 10]);
    expect(after(9, 10)).toEqual([10, 11, 12]);
    expect(after(12, 10)).toEqual([]);
  });

  it('are dropped on reset, and numbers continue', () => {
    const kept = filled(4);
    kept.clear();
    expect(kept.size).toBe(0);
    kept.add(received({ sequence: 5 }));
    expect(numbers(kept)).toEqual([5]);
    expect(kept.find('run-5')?.sequence).toBe(5);
  });

  it('equal those of a plain list', () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat(300), { maxLength: 200 }),
        fc.integer({ min: 1, max: 20 }),
        (sizes, most) => {
          const kept = new RequestStore({ requests: most, bytes: 1000 });
          let plain: { sequence: number; size: number }[] = [];
          const total = () => plain.reduce((sum, { size }) => sum + size, 0);
          sizes.forEach((size, i) => {
            const item = received({
              sequence: i + 1,
              path: '',
              headers: [],
              body: Buffer.alloc(size),
            });
            kept.add(item);
            plain.push({ sequence: i + 1, size });
            while (plain.length > 1 && (plain.length > most || total() > 1000))
              plain = plain.slice(1);
          });
          expect(numbers(kept)).toEqual(plain.map(({ sequence }) => sequence));
        },
      ),
    );
  });
});
