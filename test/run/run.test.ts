import { expect, it } from 'vitest';
import { exitCodes } from '../../src/errors.js';
import type { FailureLimit } from '../../src/importer/stop-rule.js';
import { BrokenInputError } from '../../src/sources/broken-input.js';
import type { AttemptLog } from '../../src/ledger/attempt-log.js';
import type { RunCounts, Summary } from '../../src/ledger/summary.js';
import { VirtualClock } from '../helpers/virtual-clock.js';
import { Run, type Ending, type RunEngine, type RunListener } from '../../src/run/run.js';

interface Scene {
  /** What happens while the engine forwards. */
  readonly happens?: (listener: RunListener, stop: () => void) => void;
  readonly failed?: number;
  readonly flags?: {
    readonly stopAfter?: FailureLimit;
    readonly maxFailures?: FailureLimit;
    readonly waitForTarget?: boolean;
  };
  /** The signal that the process has received, as an exit code. */
  readonly signal?: number;
  /** The same, received while the reader of the log is waited for. */
  readonly signalAtLog?: number;
  readonly fails?: boolean;
  readonly clock?: VirtualClock;
  /** Events that wait for a retry. */
  readonly waiting?: number;
  /** Median time to a response; null while nothing has responded. */
  readonly medianMs?: number | null;
}

/** Runs an engine that has read ten items, and tells what it was asked for. */
async function ran({ happens, failed = 0, flags = {}, fails = false, ...scene }: Scene) {
  const { signalAtLog } = scene;
  let interruptedBy = scene.signal;
  const controller = new AbortController();
  const calls: string[] = [];
  const summary = { read: 10, failed, rejected: 0, earlier: { rejected: 0, failed: 0 } };
  const endings: Ending[] = [];
  const counts = {
    ...{ read: 10, ended: 5, medianMs: scene.medianMs ?? null, waiting: scene.waiting ?? 0 },
    count: (what: string) => (what === 'failed' ? failed : 0),
  } as unknown as RunCounts;
  const engine = (listener: RunListener): RunEngine => ({
    counts,
    urls: () => Promise.resolve(['http://a/']),
    forward: () => {
      happens?.(listener, () => controller.abort());
      scene.clock?.advance(61_000);
      return fails ? Promise.reject(new Error('broken')) : Promise.resolve();
    },
    finish: (hasReadAll) => {
      calls.push(`finish ${hasReadAll}`);
      return summary as unknown as Summary;
    },
    warnings: () => [],
  });
  const note =
    (what: string) =>
    (...args: unknown[]): void =>
      void calls.push([what, ...args.map(String)].join(' '));
  const run = new Run({
    engine,
    report: {
      ...{ announce: note('announce'), say: note('say'), stop: note('stop') },
      ...{ stopping: note('stopping'), unwritten: note('unwritten'), down: note('down') },
      broken: note('broken'),
      start: () => {
        calls.push('start');
        return Promise.resolve();
      },
      conclude: (ending) => {
        endings.push(ending);
        return Promise.resolve();
      },
    },
    openStopper: () => ({
      signal: controller.signal,
      get exitCode() {
        return interruptedBy;
      },
      stop: () => controller.abort(),
      end: note('end'),
    }),
    log: {
      close: () => {
        interruptedBy ??= signalAtLog;
        return Promise.resolve(2);
      },
      abandon: note('abandon'),
    } as unknown as AttemptLog,
    schedule: undefined,
    ...(scene.clock && { clock: scene.clock }),
    estimate: () => Promise.resolve(undefined),
    flags: { ...flags, log: 'attempts' },
  });
  const ended = await run.run().catch((error: unknown) => ({
    exitCode: (error as Error).message,
    isInterrupted: undefined,
  }));
  return { exitCode: ended.exitCode, isInterrupted: ended.isInterrupted, calls, endings };
}

const broken = new BrokenInputError('e', 3, new Error('cut'));

it.each<[string, Scene, number, string]>([
  ['has sent everything', {}, exitCodes.ok, 'finish true'],
  ['has failures', { failed: 1 }, exitCodes.incomplete, 'finish true'],
  [
    'has no more failures than allowed',
    { failed: 2, flags: { maxFailures: { events: 2 } } },
    exitCodes.ok,
    'finish true',
  ],
  [
    'has a truncated input',
    { happens: (listener) => listener.broken(broken) },
    exitCodes.incomplete,
    'finish false',
  ],
  [
    'was stopped by its rule',
    {
      ...{ failed: 3, flags: { stopAfter: { events: 2 }, maxFailures: { events: 9 } } },
      happens: (listener) => listener.counted(),
    },
    exitCodes.incomplete,
    'finish false',
  ],
  ['was interrupted', { signal: 130, failed: 4 }, 130, 'finish false'],
])('a run that %s ends with its exit code', async (_what, scene, code, finish) => {
  const { exitCode, calls, endings } = await ran(scene);
  expect(exitCode).toBe(code);
  expect(calls).toContain(finish);
  expect(calls.slice(0, 2)).toEqual(['announce http://a/', 'start']);
  expect(calls).toContain('unwritten attempts 2');
  expect(calls.slice(-2)).toEqual(['end', 'abandon']);
  expect(endings).toHaveLength(1);
  expect(endings[0]!.isInterrupted).toBe(scene.signal !== undefined);
  expect(endings[0]!.stopReason !== undefined).toBe(scene.flags?.stopAfter !== undefined);
});

it.each<[string, Scene, string | undefined]>([
  ['nothing has responded for 60 s', {}, 'nothing has responded for 60 s'],
  ['something has responded', { medianMs: 4 }, undefined],
  ['it is to wait for the target', { flags: { waitForTarget: true } }, undefined],
  ['nothing was sent yet', { waiting: 0 }, undefined],
])('a run of which one event waits stops, or not, as %s', async (_what, scene, reason) => {
  const { endings, exitCode } = await ran({ clock: new VirtualClock(), waiting: 1, ...scene });
  expect(endings[0]!.stopReason?.message).toBe(reason);
  expect(exitCode).toBe(reason === undefined ? exitCodes.ok : exitCodes.incomplete);
});

it('a run whose engine fails ends the progress and the log, and prints no summary', async () => {
  const { exitCode, calls, endings } = await ran({ fails: true });
  expect(exitCode).toBe('broken');
  expect(endings).toEqual([]);
  expect(calls.slice(-3)).toEqual(['stop', 'end', 'abandon']);
});

it('a run that is interrupted while it waits for the reader of its log says so', async () => {
  const { exitCode, isInterrupted, calls } = await ran({ failed: 1, signalAtLog: 130 });
  expect([exitCode, isInterrupted]).toEqual([130, true]);
  expect(calls).toContain('finish true');
});
