import { expect, it } from 'vitest';
import { completedText } from '../../../src/commands/shared/completed-text.js';

it('tells rejected events from failed ones', () => {
  const counts = { delivered: 1_043, rejected: 1, failed: 17 };
  expect(completedText(counts)).toBe('already completed (1,043 delivered, 1 rejected, 17 failed)');
  expect(completedText({ ...counts, rejected: 0 })).toBe(
    'already completed (1,043 delivered, 17 failed)',
  );
});
