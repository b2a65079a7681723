import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  rejection,
  type AttemptResult,
  type Fate,
  type Outcome,
} from '../../src/deliver/outcome.js';
import { StateError } from '../../src/errors.js';
import { isProblem } from '../../src/events/event.js';
import { stampEvent } from '../../src/events/stamp.js';
import { FileWriter } from '../../src/ledger/file-writer.js';
import { Ledger, type LedgerOptions } from '../../src/ledger/ledger.js';
import { eventOf, itemOf, trackWith, type Item } from '../helpers/events.js';
import { folderWith } from '../helpers/folder.js';

const clock = { now: () => Date.parse('2026-11-20T08:30:00.000Z'), after: () => () => undefined };

function ledgerAt(path: string, options: Partial<LedgerOptions> = {}): Ledger {
  return new Ledger({
    deadLetters: new FileWriter(path, 'the dead-letter file'),
    clock,
    ...options,
  });
}

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

function outcomeOf(verdict: Fate, change: Partial<Outcome> = {}): Outcome {
  return { verdict, messageId: 'm', attempts: [], ...change };
}

function record(ledger: Ledger, item: Item, outcome: Outcome): void {
  ledger.open();
  const stamp = isProblem(item) ? undefined : stampEvent(item, { ids: 'keep', seed: '', now: 0 });
  ledger.close(item, stamp, outcome);
}

describe('the counts of a run', () => {
  it('add up, whatever comes, and each event that was not delivered is kept', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fate, { maxLength: 40 }), async (fates) => {
        const path = join(folderWith(), 'dead.ndjson');
        const ledger = ledgerAt(path);
        for (const verdict of fates) record(ledger, eventOf(), outcomeOf(verdict));
        const summary = await ledger.finish();
        const { read, delivered, rejected, failed, skipped, pending } = summary;
        expect(delivered + rejected + failed + skipped + pending).toBe(read);
        expect(read).toBe(fates.length);
        const kept = rejected + failed + pending;
        expect(lettersIn(path)).toHaveLength(kept);
        expect(existsSync(path)).toBe(kept > 0);
        expect(summary.deadLetter).toBe(kept > 0 ? path : null);
        expect(summary.bytes).toBe(delivered * eventOf().bytes.length);
      }),
      { numRuns: 50 },
    );
  });

  it('are known while it goes on', () => {
    const ledger = ledgerAt(join(folderWith(), 'dead'));
    ledger.open();
    ledger.open();
    expect([ledger.read, ledger.count('delivered'), ledger.medianMs]).toEqual([2, 0, null]);
    ledger.close(eventOf(), undefined, outcomeOf('delivered'));
    ledger.attempt(attempt(), 'm');
    expect([ledger.read, ledger.count('delivered')]).toEqual([2, 1]);
    expect(ledger.medianMs).toBeCloseTo(10, 0);
  });

  it('have the tries: retries are those beyond the first', async () => {
    const ledger = ledgerAt(join(folderWith(), 'dead'));
    for (const number of [1, 2, 3, 1]) ledger.attempt(attempt({ attempt: number }), 'm');
    expect(await ledger.finish()).toMatchObject({
      retries: 2,
      latencyMs: {
        p50: expect.closeTo(10, 0),
        p95: expect.closeTo(10, 0),
        p99: expect.closeTo(10, 0),
      },
      resumed: false,
    });
  });

  it('of a run without events are zeros', async () => {
    expect(await ledgerAt(join(folderWith(), 'dead')).finish()).toEqual({
      read: 0,
      delivered: 0,
      rejected: 0,
      failed: 0,
      skipped: 0,
      pending: 0,
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
  it('says why and where, with the text of the event unchanged', async () => {
    const text = trackWith('[1e400, -0,12345678901234567890,"\\u00e9"]');
    const path = join(folderWith(), 'dead.ndjson');
    const ledger = ledgerAt(path);
    const event = eventOf(text, { file: 'may.ndjson', line: 7, offset: 300 });
    const attempts = [attempt({ status: 503, attempt: 1 }), attempt({ status: 404, attempt: 2 })];
    record(
      ledger,
      event,
      outcomeOf('failed', { attempts, code: 'status_404', message: 'answered 404' }),
    );
    await ledger.finish();
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

  it('of an event that never left has no attempts', async () => {
    const path = join(folderWith(), 'dead.ndjson');
    const ledger = ledgerAt(path);
    const problem = itemOf('{"type":"track"}', { line: 2 });
    if (!isProblem(problem)) throw new Error('the line was taken');
    record(ledger, problem, rejection(problem));
    await ledger.finish();
    expect(lettersIn(path)).toEqual([
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

  it('is told to whom it may concern; what was delivered or skipped is not', () => {
    const heard: string[] = [];
    const ledger = ledgerAt(join(folderWith(), 'dead'), {
      onTrouble: ({ verdict }, { origin }) => heard.push(`${verdict} ${origin.line}`),
    });
    fates.forEach((verdict, line) => record(ledger, eventOf({}, { line }), outcomeOf(verdict)));
    expect(heard).toEqual(['failed 1', 'rejected 2', 'pending 4']);
  });

  it('that cannot be written is an error that names its file', async () => {
    const path = join(folderWith({ file: '' }), 'file', 'dead.ndjson');
    const ledger = ledgerAt(path);
    record(ledger, eventOf(), outcomeOf('failed'));
    await expect(ledger.finish()).rejects.toThrow(StateError);
    const large = eventOf({ properties: { x: 'x'.repeat(30_000) } });
    const fill = () => {
      for (let i = 0; i < 3; i++) record(ledger, large, outcomeOf('failed'));
    };
    expect(fill).toThrow(`${path}: the dead-letter file cannot be written`);
  });
});

const fates: readonly Fate[] = ['delivered', 'failed', 'rejected', 'skipped', 'pending'];
const fate = fc.constantFrom(...fates);

function lettersIn(path: string): unknown[] {
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line) as unknown);
}
