import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Newest } from '../../../src/serve/operations/newest.js';

it('keeps the newest, numbered from 1 without gaps, in both directions', () => {
  const counts = fc.integer({ min: 0, max: 60 });
  const run = fc.property(counts, fc.integer({ min: 1, max: 9 }), counts, (count, most, from) => {
    const newest = new Newest<string>(most);
    const all = Array.from({ length: count }, (_, i) => ({ number: i + 1, item: `item ${i + 1}` }));
    for (const { number, item } of all) expect(newest.add(item)).toBe(number);
    const kept = all.slice(-most);
    expect(newest.size).toBe(kept.length);
    expect(newest.last).toBe(count);
    const behind = kept.filter(({ number }) => number > from);
    expect(newest.after(from, 4)).toEqual(behind.slice(0, 4));
    const before = kept.filter(({ number }) => number < from);
    expect([...newest.before(from)]).toEqual(before.reverse());
  });
  fc.assert(run);
});
