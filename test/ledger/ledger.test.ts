import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  rejection,
  type AttemptResult,
  type FinalStatus,
  type Outcome,
} from '../../src/delivery/outcome.js';
import { StateError } from '../../src/errors.js';
import { isProblem } from '../../src/events/event.js';
import { stampEvent } from '../../src/events/stamp.js';
import type { Ledger } from '../../src/ledger/ledger.js';
import type { StateChanges } from '../../src/ledger/store.js';
import { split } from '../../src/ledger/progress.js';
import { eventOf, itemOf, trackWith, type Item } from '../helpers/events.js';
import { folderWith } from '../helpers/folder.js';
import { openLedger } from '../helpers/ledger.js';
import { VirtualClock } from '../helpers/virtual-clock.js';

const clock = new VirtualClock();

function attempt(change: Partial<AttemptResult> = {}): AttemptResult {
  return {
    url: 'https://example.com/hook',
    attempt: 1,
    at: 0,
    durationMs: 10,
    status: 500,
    error: null,
    verdict: 'failed',
    ...change,
  };
}

function outcomeOf(verdict: FinalStatus, change: Partial<Outcome> = {}): Outcome {
  return { verdict, messageId: 'm', attempts: [], ...change };
}

function record(ledger: Ledger, item: Item, outcome: Outcome): void {
  const stamp = isProblem(item) ? undefined : stampEvent(item, { ids: 'keep', seed: '', now: 0 });
  ledger.close(ledger.open(item), item, stamp, outcome);
}

describe('the counts of a run', () => {
  it('add up for any outcomes, and each rejected or failed event is in the dead letters', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(finalStatus), fc.boolean(), async (verdicts, isResumable) => {
        const { ledger, path } = await openLedger({ isResumable, clock });
        verdicts.forEach((verdict, i) =>
          record(ledger, eventOf({}, { line: i + 1 }), outcomeOf(verdict)),
        );
        const summary = ledger.finish(true);
        const { read, delivered, rejected, failed, skipped, pending } = summary;
        expect(delivered + rejected + failed + skipped + pending).toBe(read);
        expect(read).toBe(verdicts.length);
        const left = verdicts.filter((verdict) => verdict === 'pending').length;
        expect(pending).toBe(isResumable ? left : 0);
        const kept = rejected + failed;
        expect(deadLettersIn(path)).toHaveLength(kept);
        expect(existsSync(path)).toBe(kept > 0);
        expect(summary.deadLetter).toBe(kept > 0 ? path : null);
        expect(summary.bytes).toBe(delivered * eventOf().bytes.length);
      }),
      { numRuns: 50 },
    );
  });

  it('are available during the run', async () => {
    const { ledger } = await openLedger({ clock });
    const line = ledger.open(eventOf());
    ledger.open(eventOf({}, { line: 2 }));
    expect([ledger.read, ledger.count('delivered'), ledger.medianMs]).toEqual([2, 0, null]);
    ledger.close(line, eventOf(), undefined, outcomeOf('delivered'));
    ledger.attempt(attempt(), 'm');
    ledger.attempt(attempt({ status: null, error: 'timeout', durationMs: 5_000 }), 'm');
    expect([ledger.read, ledger.count('delivered')]).toEqual([2, 1]);
    expect(ledger.medianMs).toBeCloseTo(10, 0);
  });

  it('include attempts: those beyond the first are retries', async () => {
    const { ledger } = await openLedger({ clock });
    for (const number of [1, 2, 3, 1]) ledger.attempt(attempt({ attempt: number }), 'm');
    expect(ledger.finish(true)).toMatchObject({
      retries: 2,
      latencyMs: {
        p50: expect.closeTo(10, 0),
        p95: expect.closeTo(10, 0),
        p99: expect.closeTo(10, 0),
      },
      resumed: false,
    });
  });

  it('have the reasons of failures, and why events were skipped', async () => {
    const { ledger } = await openLedger({ clock });
    const ends: [FinalStatus, string?][] = [
      ['failed', 'timeout'],
      ['rejected', 'missing_user'],
      ['failed', 'timeout'],
      ['skipped'],
      ['skipped', 'integration_off'],
      ['skipped', 'integration_off'],
    ];
    ends.forEach(([verdict, code], i) =>
      record(ledger, eventOf({}, { line: i + 1 }), outcomeOf(verdict, code ? { code } : {})),
    );
    expect(ledger.finish(true)).toMatchObject({
      reasons: [
        { code: 'timeout', count: 2 },
        { code: 'missing_user', count: 1 },
      ],
      skippedBy: { filter: 1, integrations: 2, endpoints: 0, earlier: 0 },
    });
  });

  it('include the rate, measured by the monotonic clock', async () => {
    const own = new VirtualClock();
    const { ledger } = await openLedger({ clock: own });
    for (let n = 1; n <= 5; n++) record(ledger, eventOf({}, { line: n }), outcomeOf('delivered'));
    own.advance(2_000);
    own.set(-3_600_000);
    expect(ledger.finish(true)).toMatchObject({ seconds: 2, eventsPerSecond: 3 });
  });

  it('of a run without events are zeros', async () => {
    const { ledger } = await openLedger({ clock });
    expect(ledger.finish(true)).toEqual({
      read: 0,
      delivered: 0,
      rejected: 0,
      failed: 0,
      skipped: 0,
      skippedBy: { filter: 0, integrations: 0, endpoints: 0, earlier: 0 },
      pending: 0,
      earlier: { delivered: 0, rejected: 0, failed: 0 },
      reasons: [],
      retries: 0,
      bytes: 0,
      seconds: expect.any(Number),
      eventsPerSecond: 0,
      latencyMs: { p50: null, p95: null, p99: null },
      deadLetter: null,
      resumed: false,
    });
  });
});

describe('a dead letter', () => {
  it('has the reason and the origin, and the text of the event unchanged', async () => {
    const text = trackWith('[1e400, -0,12345678901234567890,"\\u00e9"]');
    const { ledger, path } = await openLedger({ clock });
    const event = eventOf(text, { file: 'may.ndjson', line: 7, offset: 300 });
    const attempts = [attempt({ status: 503, attempt: 1 }), attempt({ status: 404, attempt: 2 })];
    record(
      ledger,
      event,
      outcomeOf('failed', { attempts, code: 'status_404', message: 'answered 404' }),
    );
    ledger.finish(true);
    const line = readFileSync(path, 'utf8');
    expect(line).toMatch(/\n$/);
    expect(line).toContain(`"event":${text}}`);
    expect(JSON.parse(line)).toEqual({
      type: 'dead-letter',
      reason: 'failed',
      code: 'status_404',
      message: 'answered 404',
      file: 'may.ndjson',
      line: 7,
      attempts: 2,
      lastStatus: 404,
      url: 'https://example.com/hook',
      at: '2026-11-20T08:30:00.000Z',
      messageId: expect.stringMatching(/^evfwd-/),
      event: JSON.parse(text),
    });
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it('of an event that was never sent has no attempts', async () => {
    const { ledger, path } = await openLedger({ clock });
    const problem = itemOf('{"type":"track"}', { line: 2 });
    if (!isProblem(problem)) throw new Error('the line was accepted');
    record(ledger, problem, rejection(problem));
    ledger.finish(true);
    expect(deadLettersIn(path)).toEqual([
      expect.objectContaining({
        reason: 'rejected',
        code: 'missing_user',
        line: 2,
        attempts: 0,
        lastStatus: null,
        url: null,
        event: { type: 'track' },
      }),
    ]);
  });

  it.each([
    [true, ['failed 1', 'rejected 2']],
    [false, ['failed 1', 'rejected 2', 'pending 4']],
  ])(
    'is reported; resumable %s: delivered, skipped or open events are not',
    async (isResumable, expected) => {
      const reported: string[] = [];
      const { ledger } = await openLedger({
        ...{ clock, isResumable },
        onProblem: ({ verdict }, { origin }) => reported.push(`${verdict} ${origin.line}`),
      });
      finalStatuses.forEach((verdict, line) =>
        record(ledger, eventOf({}, { line }), outcomeOf(verdict)),
      );
      expect(reported).toEqual(expected);
    },
  );

  it('that cannot be written is an error that names its file, and stays in the store', async () => {
    const path = join(folderWith({ file: '' }), 'file', 'dead.ndjson');
    const { ledger, store } = await openLedger({ clock }, path);
    record(ledger, eventOf(), outcomeOf('failed'));
    expect(ledger.failure).toBeUndefined();
    ledger.commit();
    expect(ledger.failure).toBeInstanceOf(StateError);
    expect(() => ledger.finish(true)).toThrow(`${path}: the dead-letter file cannot be written`);
    expect([store.deadLetters().length, store.counts().failed]).toEqual([1, 1]);
  });
});

/** A retry that is due `ms` milliseconds after the start. */
function retryIn(ms: number, attempts = 1): Outcome {
  const dueAt = clock.startedAt + ms;
  const endpointDelivery = { attempts, firstAt: clock.startedAt, status: 503, error: null, dueAt };
  return outcomeOf('pending', { retry: { dueAt, endpointDeliveries: [endpointDelivery] } });
}

describe('a commit', () => {
  it('comes 5 ms after the first outcome, and nothing counts before it', async () => {
    const own = new VirtualClock();
    const { ledger, store } = await openLedger({ clock: own });
    record(ledger, eventOf(), outcomeOf('delivered'));
    own.advance(3);
    record(ledger, eventOf({}, { line: 2 }), outcomeOf('skipped'));
    own.advance(1);
    expect([store.counts().delivered, store.checkpoint().last.size, own.waits]).toEqual([
      0,
      0,
      [1],
    ]);
    own.advance(1);
    expect(store.counts()).toEqual({
      delivered: 1,
      rejected: 0,
      failed: 0,
      skipped: 1,
      disabled: 0,
      unwanted: 0,
    });
    expect([store.checkpoint().last.get(0)!.line, own.waits]).toEqual([2, []]);
  });

  it('comes at once with 500 outcomes', async () => {
    const own = new VirtualClock();
    const { ledger, store } = await openLedger({ clock: own });
    const deliver = (line: number) => record(ledger, eventOf({}, { line }), outcomeOf('delivered'));
    for (let line = 1; line <= 499; line++) deliver(line);
    expect(store.counts().delivered).toBe(0);
    deliver(500);
    expect([store.counts().delivered, own.waits]).toEqual([500, []]);
  });

  it('comes at once with a megabyte of dead letters, however few they are', async () => {
    const { ledger, store } = await openLedger({ clock });
    const long = itemOf('x'.repeat(600_000));
    record(ledger, long, outcomeOf('rejected'));
    expect(store.counts().rejected).toBe(0);
    record(ledger, long, outcomeOf('rejected'));
    expect(store.counts().rejected).toBe(2);
    record(ledger, long, outcomeOf('rejected'));
    expect(store.counts().rejected).toBe(2);
    ledger.finish(true);
  });

  it('has the counts of its checkpoint, also where it becomes durable later', async () => {
    const held: StateChanges[] = [];
    const committer = {
      commit: (changes: StateChanges) => held.push(changes),
      close: () => undefined,
    };
    const { ledger } = await openLedger({ committer });
    for (const line of [1, 2]) {
      record(ledger, eventOf({}, { line }), outcomeOf('delivered'));
      ledger.flush();
    }
    expect(held.map(({ counts }) => counts.delivered)).toEqual([1, 2]);
  });

  it('writes the store first, then the dead letters', async () => {
    const steps: string[] = [];
    const { ledger, store, path } = await openLedger({
      clock,
      onStep: (step) =>
        steps.push(`${step} ${store.deadLetters().length} ${deadLettersIn(path).length}`),
    });
    record(ledger, eventOf(), outcomeOf('failed'));
    ledger.commit();
    expect(steps).toEqual(['before 0 0', 'committed 1 0', 'dead-letters-written 1 1']);
    ledger.finish(true);
    expect([store.deadLetters(), deadLettersIn(path).length]).toEqual([[], 1]);
  });
});

describe('a line that became several events', () => {
  it('is counted when all of them have ended, and not before', async () => {
    const { ledger, store } = await openLedger({ clock });
    const event = eventOf();
    const line = ledger.open(event);
    split(line, 3);
    for (const verdict of ['delivered', 'skipped'] as const) {
      ledger.close(line, event, undefined, outcomeOf(verdict));
    }
    ledger.commit();
    expect([store.counts().delivered, store.checkpoint().open]).toEqual([0, [[0, 1, 0, 1]]]);
    ledger.close(line, event, undefined, outcomeOf('failed'));
    ledger.commit();
    expect(store.counts()).toEqual({
      delivered: 1,
      rejected: 0,
      failed: 1,
      skipped: 1,
      disabled: 0,
      unwanted: 0,
    });
    expect(store.checkpoint().open).toEqual([]);
  });

  it('is left open as a whole if one of them was interrupted', async () => {
    const { ledger, store } = await openLedger({ clock });
    const line = ledger.open(eventOf());
    split(line, 2);
    ledger.close(line, eventOf(), undefined, outcomeOf('delivered'));
    ledger.close(line, eventOf(), undefined, outcomeOf('pending'));
    expect(ledger.finish(true)).toMatchObject({ read: 1, pending: 1, delivered: 0 });
    expect([store.checkpoint().open, store.isFinished()]).toEqual([[[0, 1, 0, 1]], false]);
  });
});

describe('a retry', () => {
  it('is returned when it is due, the earliest first, and not while it is in flight', async () => {
    const own = new VirtualClock();
    const { ledger } = await openLedger({ clock: own });
    [30, 10, 20].forEach((ms, i) => record(ledger, eventOf({}, { line: i + 1 }), retryIn(ms)));
    const due = (limit = 9) => ledger.takeDue(limit).map(({ line }) => line);
    expect([ledger.waiting, ledger.nextDueAt, due()]).toEqual([3, own.startedAt + 10, []]);
    own.advance(20);
    expect([due(1), due(), due(), ledger.nextDueAt]).toEqual([[2], [3], [], own.startedAt + 30]);
    own.advance(20);
    expect([due(), due(), ledger.nextDueAt, ledger.waiting]).toEqual([[1], [], Infinity, 3]);
  });

  it('ends, or is postponed with its history under the same id', async () => {
    const own = new VirtualClock();
    const { ledger, store } = await openLedger({ clock: own });
    record(ledger, eventOf({ event: 'A' }), retryIn(0));
    const [first] = ledger.takeDue(9);
    const event = ledger.reread(first!);
    expect([event.value.event, first!.endpointDeliveries[0]!.attempts]).toEqual(['A', 1]);
    ledger.close(first!, event, first!.stamp, retryIn(0, 2));
    const [second] = ledger.takeDue(9);
    expect([second!.id, second!.endpointDeliveries[0]!.attempts, second!.stamp]).toEqual([
      first!.id,
      2,
      first!.stamp,
    ]);
    ledger.close(second!, event, second!.stamp, outcomeOf('delivered'));
    expect(ledger.finish(true)).toMatchObject({ read: 1, delivered: 1, pending: 0 });
    expect([store.retryCount(), store.isFinished()]).toEqual([0, true]);
  });

  it('that was interrupted stays unchanged, and the import is not finished', async () => {
    const { ledger, store } = await openLedger({ clock: new VirtualClock() });
    record(ledger, eventOf(), retryIn(0));
    const [row] = ledger.takeDue(9);
    ledger.close(row!, ledger.reread(row!), row!.stamp, outcomeOf('pending'));
    expect(ledger.finish(true)).toMatchObject({ read: 1, pending: 1 });
    expect([store.earliestRetries(9), store.isFinished()]).toEqual([[row], false]);
  });

  it('that was taken by a process that died is taken again by the next one', async () => {
    const own = new VirtualClock();
    const { ledger, store } = await openLedger({ clock: own });
    for (const line of [1, 2, 3]) record(ledger, eventOf({}, { line }), retryIn(0));
    const taken = ledger.takeDue(2);
    expect(taken).toHaveLength(2);
    const { ledger: next } = await openLedger({ clock: own, store });
    expect(next.waiting).toBe(3);
    expect(next.takeDue(9).map(({ line }) => line)).toEqual([1, 2, 3]);
  });

  it('of a line that is open is dropped by the next run, which reads the line again', async () => {
    const own = new VirtualClock();
    const { ledger, store } = await openLedger({ clock: own });
    const [kept, open] = [1, 2].map((line) => eventOf({}, { line, offset: line }));
    record(ledger, kept!, retryIn(0));
    const line = ledger.open(open!);
    split(line, 2);
    const stamp = stampEvent(open!, { ids: 'keep', seed: '', now: 0 });
    ledger.close(line, open!, stamp, retryIn(0));
    ledger.commit();
    expect(store.retryCount()).toBe(2);
    const { ledger: next } = await openLedger({ clock: own, store });
    expect(next.takeDue(9).map((row) => row.line)).toEqual([1]);
  });

  it('is due at once when its URL is gone', async () => {
    const { ledger } = await openLedger({ clock: new VirtualClock() });
    for (const line of [1, 2]) record(ledger, eventOf({}, { line }), retryIn(9_999));
    expect(ledger.takeDue(9)).toEqual([]);
    ledger.flush();
    expect(ledger.takeDue(9)).toHaveLength(2);
  });

  it('that cannot be made due is a failure like any other, and nothing is thrown', async () => {
    const { ledger, store } = await openLedger({ clock: new VirtualClock() });
    record(ledger, eventOf(), retryIn(9_999));
    ledger.commit();
    let changes = 0;
    ledger.onChange(() => changes++);
    store.close();
    ledger.flush();
    expect([ledger.failure, changes]).toEqual([expect.any(Error), 1]);
  });

  it.each([
    [true, null],
    [false, eventOf().bytes],
  ])('is stored with its text unless that can be read again: %s', async (canReread, text) => {
    const { ledger, store } = await openLedger({ clock, canReread: () => canReread });
    record(ledger, eventOf(), retryIn(1));
    ledger.commit();
    expect(store.earliestRetries(1)[0]!.text).toEqual(text);
  });
});

describe('the end of a run that cannot be resumed', () => {
  it('makes dead letters of interrupted and waiting events', async () => {
    const { ledger, path, store } = await openLedger({
      ...{ clock, isResumable: false, canReread: () => true },
    });
    record(ledger, eventOf({ event: 'A' }, { line: 1 }), outcomeOf('pending'));
    record(ledger, eventOf({ event: 'B' }, { line: 2 }), retryIn(9_999, 3));
    record(ledger, eventOf({ event: 'C' }, { line: 3 }), outcomeOf('delivered'));
    expect(ledger.finish(false)).toMatchObject({
      ...{ read: 3, delivered: 1, failed: 2, pending: 0, deadLetter: path },
    });
    expect(deadLettersIn(path)).toEqual([
      expect.objectContaining({ event: expect.objectContaining({ event: 'A' }), attempts: 0 }),
      expect.objectContaining({
        event: expect.objectContaining({ event: 'B' }),
        ...{ code: 'interrupted', attempts: 3, line: 2, messageId: expect.any(String) },
      }),
    ]);
    expect([store.retryCount(), store.deadLetters()]).toEqual([0, []]);
  });
});

describe('a resumed run', () => {
  it('counts what earlier runs have ended as skipped, and beside that only its own events', async () => {
    const { ledger, store, path } = await openLedger({ clock });
    const verdicts = ['delivered', 'delivered', 'failed', 'skipped', 'pending', 'pending'] as const;
    verdicts.forEach((verdict, i) =>
      record(ledger, eventOf({}, { line: i + 1, offset: i * 10 }), outcomeOf(verdict)),
    );
    expect(ledger.finish(false)).toMatchObject({
      ...{ read: 6, delivered: 2, failed: 1, skipped: 1, pending: 2, resumed: false },
    });
    const { ledger: second } = await openLedger({ clock, store }, path);
    expect([second.read, second.count('delivered')]).toEqual([6, 0]);
    record(second, eventOf({}, { line: 5, offset: 40 }), outcomeOf('delivered'));
    expect(second.finish(false)).toMatchObject({
      ...{ read: 6, delivered: 1, failed: 0, skipped: 4, pending: 1, resumed: true },
      ...{ rejected: 0, deadLetter: path },
      earlier: { delivered: 2, rejected: 0, failed: 1 },
      skippedBy: { filter: 1, integrations: 0, endpoints: 0, earlier: 3 },
    });
    expect(store.isFinished()).toBe(false);
    const { ledger: third } = await openLedger({ clock, store }, path);
    record(third, eventOf({}, { line: 6, offset: 50 }), outcomeOf('failed'));
    expect(third.finish(true)).toMatchObject({
      ...{ read: 6, delivered: 0, failed: 1, skipped: 5, pending: 0 },
    });
    expect([store.isFinished(), deadLettersIn(path).length]).toEqual([true, 2]);
  });
});

const finalStatuses: readonly FinalStatus[] = [
  'delivered',
  'failed',
  'rejected',
  'skipped',
  'pending',
];
const finalStatus = fc.constantFrom(...finalStatuses);

function deadLettersIn(path: string): unknown[] {
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line) as unknown);
}
