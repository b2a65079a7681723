import { expect, it } from 'vitest';
import { RowCount } from '../../src/ledger/row-count.js';
import { noCounts } from '../../src/ledger/store.js';

it('a large dead letter counts as one more row for each 16 KB', () => {
  const rowCount = new RowCount();
  const rows = (rejected: number, addDeadLetters: Buffer[]): number =>
    rowCount.of({ counts: { ...noCounts, rejected }, putRetries: [], addDeadLetters });
  expect(rows(2, [Buffer.alloc(500), Buffer.alloc(500)])).toBe(2);
  expect(rows(3, [Buffer.alloc(1024 * 1024)])).toBe(1 + 64);
  expect(rows(4, [])).toBe(1);
});
