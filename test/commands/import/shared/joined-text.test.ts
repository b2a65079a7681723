import { expect, it } from 'vitest';
import { announcementOf } from '../../../../src/commands/import/shared/joined-text.js';
import { snapshotOf } from '../../../helpers/run-snapshots.js';

it.each([
  ['of its ranges', { ranges: { total: 10, done: 4, failed: 0 } }, '40%'],
  ['of the bytes of ranges in hand', { ranges: { total: 1, done: 0, failed: 0 } }, '40%'],
  ['below all, as events wait for retries', waiting(), '99%'],
])('says how much of a run that is there is done: %s', (_what, changes, share) => {
  const snapshot = snapshotOf(changes);
  const joined = { isNew: false, record: snapshot.record, snapshot };
  expect(announcementOf(joined, [])).toBe(`joined run history-k3f9c02d: ${share} done`);
});

function waiting() {
  return { ranges: { total: 10, done: 10, failed: 0 }, stats: { delivered: 40, retrying: 1 } };
}
