import { expect, it } from 'vitest';
import { OutcomeLog } from '../../../../pages/serve/outcomes/outcome-log.js';
import { outcome } from './samples.js';

it('the log keeps the last record of an event at a destination, and that on top', () => {
  const log = new OutcomeLog(10);
  log.add([outcome({ state: 'retrying' }), outcome({ messageId: 'm2' })]);
  log.add([outcome()]);
  expect(log.toArray().map((one) => [one.messageId, one.state])).toEqual([
    ['m1', 'delivered'],
    ['m2', 'delivered'],
  ]);
  expect(log.arrived).toBe(3);
});

it('the log forgets the oldest beyond what it keeps', () => {
  const log = new OutcomeLog(2);
  log.add(['a', 'b', 'c'].map((messageId) => outcome({ messageId })));
  expect(log.toArray().map(({ messageId }) => messageId)).toEqual(['c', 'b']);
});
