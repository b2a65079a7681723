import { expect, it } from 'vitest';
import { newestRecords } from '../../src/api/newest-records.js';
import { at, outcome } from '../pages/serve/outcomes/samples.js';

const statesOf = (...records: Parameters<typeof newestRecords>[0]) =>
  newestRecords(records).map(({ state }) => state);
const attempt = { at: at(0), url: 'u', attempt: 1, status: 500, error: null, durationMs: 1 };
const response = { headers: {}, body: 'no plan' };

it('what waits now is newer than what it came to earlier', () => {
  const failed = outcome({ state: 'failed', at: at(50) });
  const again = outcome({ state: 'retrying', at: at(0), asOf: at(60) });
  expect(statesOf(failed, again)).toEqual(['retrying']);
  expect(statesOf(again, outcome({ at: at(70) }))).toEqual(['delivered']);
});

it('the newest are first', () => {
  const old = outcome({ messageId: 'old', at: at(-5) });
  expect(newestRecords([old, outcome()]).map(({ messageId }) => messageId)).toEqual(['m1', 'old']);
});

it('an event has one record at a destination, and each destination its own', () => {
  const failed = outcome({ state: 'failed' });
  expect(statesOf(failed, failed, outcome({ destination: 'b' }))).toHaveLength(2);
});

it('of the same state, the newer record has what only the older one knows', () => {
  const streamed = outcome({ state: 'failed', at: at(10), endpoints: [attempt] });
  const logged = outcome({ state: 'failed', at: at(10), response });
  const deadLetter = outcome({ state: 'failed', at: at(11) });
  const all = { at: at(11), endpoints: [attempt], response };
  expect(newestRecords([deadLetter, streamed, logged])).toMatchObject([all]);
});

it('what was delivered since is no dead letter any more', () => {
  const deadLetter = outcome({ state: 'failed', at: at(11), response });
  const [record] = newestRecords([deadLetter, outcome({ at: at(500) })]);
  expect(record).toMatchObject({ state: 'delivered' });
  expect(record).not.toHaveProperty('response');
});
