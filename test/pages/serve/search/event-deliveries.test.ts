import { expect, it } from 'vitest';
import { noRecordText } from '../../../../pages/serve/search/event-deliveries.js';
import { at } from '../outcomes/samples.js';

const text = (isOff: boolean, historyFrom: string | null): string =>
  noRecordText(isOff, at(0), historyFrom, () => '12:00');

it.each([
  [true, at(-5), 'Not sent: the configuration disables the destination.'],
  [false, at(-5), 'No record for this destination: its source did not have it yet.'],
  [
    true,
    at(5),
    /disables the destination, its source did not have it yet, or .* completed before 12:00\.$/,
  ],
  [false, null, /: its source did not have it yet, or the delivery was completed long ago\.$/],
])('with the destination off: %s, and the history from %s', (isOff, historyFrom, expected) => {
  expect(text(isOff, historyFrom)).toMatch(expected);
});
