import { describe, expect, it } from 'vitest';
import { ofDeadLetter, ofWaiting, type Outcome } from '../../../../pages/serve/outcomes/outcome.js';
import { OutcomeLog } from '../../../../pages/serve/outcomes/outcome-log.js';
import { mergeOutcomes, newestOf } from '../../../../pages/serve/outcomes/merge.js';
import { at, delivery, outcome } from './samples.js';

const idsOf = (outcomes: readonly Outcome[]) => outcomes.map(({ messageId }) => messageId);
const { source, destination, messageId, type, name, user, receivedAt } = delivery();
const event = { id: '9', source, destination, messageId, type, name, user, receivedAt };
const deadLetter = ofDeadLetter({
  ...event,
  ...{ at: at(11), code: 'status_500', message: 'answered 500', tries: 1, lastStatus: 500 },
});
const unheld = { status: 503, error: null, held: null };
const waiting = ofWaiting({
  ...event,
  nextAt: at(99),
  tries: 2,
  status: 503,
  error: null,
  held: null,
});

describe('lists put together', () => {
  it('take what waits now before what it came to earlier', () => {
    const failed = outcome({ state: 'failed', at: at(50) });
    const again = ofWaiting({ ...event, ...{ nextAt: at(99), tries: 2 }, ...unheld }, at(60));
    expect(newestOf([failed, again]).map(({ state }) => state)).toEqual(['retrying']);
    expect(newestOf([again, outcome({ at: at(70) })]).map(({ state }) => state)).toEqual([
      'delivered',
    ]);
  });

  it('are the newest first', () => {
    const old = outcome({ messageId: 'old', at: at(-5) });
    expect(idsOf(mergeOutcomes([[old], [outcome()]]))).toEqual(['m1', 'old']);
  });

  it('have one outcome for an event at a destination, and each destination its own', () => {
    const merged = mergeOutcomes([
      [outcome({ state: 'failed' })],
      [deadLetter],
      [outcome({ destination: 'b' })],
    ]);
    expect(merged).toHaveLength(2);
  });

  it('know of a dead letter its attempts from one list and its id from the other', () => {
    const attempts = [{ at: at(0), url: 'u', attempt: 1, status: 500, error: null, durationMs: 1 }];
    const [merged] = mergeOutcomes([[outcome({ state: 'failed', attempts })], [deadLetter]]);
    expect(merged).toMatchObject({ state: 'failed', deadLetterId: '9', attempts });
  });

  it('believe the newer one: what was delivered is no longer a dead letter', () => {
    const [merged] = mergeOutcomes([[deadLetter], [outcome({ at: at(500) })]]);
    expect(merged).toMatchObject({ state: 'delivered', deadLetterId: null });
  });

  it('show what waits though it is not among the newest', () => {
    const [merged] = mergeOutcomes([[], [waiting]]);
    expect(merged).toMatchObject({ state: 'retrying', tries: 2, status: 503 });
  });
});

describe('the log', () => {
  it('keeps the last outcome of an event at a destination, and that on top', () => {
    const log = new OutcomeLog(10);
    log.add([outcome({ state: 'retrying' }), outcome({ messageId: 'm2' })]);
    log.add([outcome()]);
    expect(log.toArray().map((one) => [one.messageId, one.state])).toEqual([
      ['m1', 'delivered'],
      ['m2', 'delivered'],
    ]);
    expect(log.arrived).toBe(3);
  });

  it('forgets the oldest beyond what it keeps', () => {
    const log = new OutcomeLog(2);
    log.add(['a', 'b', 'c'].map((id) => outcome({ messageId: id })));
    expect(idsOf(log.toArray())).toEqual(['c', 'b']);
  });
});
