import { expect, it } from 'vitest';
import { signatureAgeText } from '../../../../pages/listen/detail/signature.js';

it.each([
  [0, '0.00 ms before it was received'],
  [830, '830 ms before it was received'],
  [12_400, '12.4 s before it was received'],
  [372_900, '6 min 12 s before it was received'],
  [7_260_000, '2 h 1 min before it was received'],
  [3 * 86_400_000, '3 days before it was received'],
  [-900_000, '15 min 0 s ahead of the receiver’s clock'],
])('an age of %d ms is %j', (ageMs, text) => {
  expect(signatureAgeText(ageMs)).toBe(text);
});
