import { expect, it } from 'vitest';
import { newMessageId } from '../../src/collector/call.js';

it('ids look like random UUIDs, and none is made twice', () => {
  const ids = Array.from({ length: 10_000 }, newMessageId);
  for (const id of ids) {
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  }
  expect(new Set(ids).size).toBe(ids.length);
});

it('few ids share their beginning', () => {
  const beginnings = Array.from({ length: 10_000 }, () => newMessageId().slice(0, 8));
  expect(new Set(beginnings).size).toBeGreaterThanOrEqual(10_000 / 256);
});
