import { expect, it } from 'vitest';
import { ReasonCounts } from '../../src/ledger/reason-counts.js';

it('reasons are listed by their frequency', () => {
  const reasons = new ReasonCounts();
  for (const code of ['timeout', 'status_401', 'status_401']) reasons.add(code);
  reasons.add(undefined, 5);
  expect(reasons.list()).toEqual([
    { code: 'other', count: 5 },
    { code: 'status_401', count: 2 },
    { code: 'timeout', count: 1 },
  ]);
  expect([reasons.count('timeout'), reasons.count('dns')]).toEqual([1, 0]);
});

it('reasons use bounded memory, and none is lost from the sum', () => {
  const reasons = new ReasonCounts();
  for (let i = 0; i < 10_000; i++) reasons.add(`status_${i}`);
  const list = reasons.list();
  expect(list.length).toBeLessThan(300);
  expect(list.reduce((sum, { count }) => sum + count, 0)).toBe(10_000);
});
