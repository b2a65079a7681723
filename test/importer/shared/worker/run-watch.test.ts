import { describe, expect, it } from 'vitest';
import type { RunSnapshot } from '../../../../src/importer/shared/run-record.js';
import { RunWatch } from '../../../../src/importer/shared/worker/run-watch.js';
import { Histogram } from '../../../../src/ledger/histogram.js';
import { planOf } from '../../../helpers/planned-run.js';
import { VirtualClock } from '../../../helpers/virtual-clock.js';

const record: RunSnapshot['record'] = {
  ...{ id: 'r', status: 'running', stopReason: null, total: 10, createdAt: 0, endedAt: null },
  publicHash: '',
  plan: planOf([], 'http://localhost/hook', { stopAfter: { events: 5 } }),
};

const running: RunSnapshot = {
  record,
  ranges: { total: 10, done: 0, failed: 0 },
  ...{ failedRetries: 0, stats: {}, statsAtResume: {}, nextDueAt: Infinity },
  ...{ workers: [], problems: [], latency: new Histogram() },
};

function watching(first = running) {
  const clock = new VirtualClock();
  const calls: string[] = [];
  const looks: RunSnapshot['stats'][] = [];
  const state: { snapshot: RunSnapshot | undefined; items: number } = { snapshot: first, items: 0 };
  const note = (text: string) => Promise.resolve(void calls.push(text));
  const watch = new RunWatch({
    server: {
      snapshot: () => Promise.resolve(state.snapshot),
      pause: (_run, reason) => note(`pause: ${reason}`).then(() => true),
      finishIfDone: () => note('finish').then(() => true),
      report: (_run, { id, items }) => note(`report ${id} ${items}`),
    },
    ...{ record, clock, worker: 'w' },
    items: () => state.items,
    onLook: ({ stats }) => void looks.push(stats),
    onEnd: (snapshot) => calls.push(`end ${snapshot?.record.status}`),
    onFailure: (error) => calls.push(String(error)),
  });
  const turns = async (count: number): Promise<void> => {
    for (let i = 0; i < count; i++) {
      clock.advance(500);
      await new Promise(setImmediate);
    }
  };
  const start = async (): Promise<void> => {
    watch.start();
    await new Promise(setImmediate);
  };
  return { watch, state, calls, looks, turns, start };
}

describe('the watch over a run', () => {
  it('reports this worker every two seconds', async () => {
    const { state, calls, start, turns } = watching();
    state.items = 2;
    await start();
    await turns(8);
    expect(calls).toEqual(['report w 2', 'report w 2', 'report w 2']);
  });

  it('shows each look while the run goes on', async () => {
    const { state, looks, start, turns } = watching();
    await start();
    state.snapshot = { ...running, stats: { retrying: 7 } };
    await turns(1);
    state.snapshot = { ...running, record: { ...record, status: 'paused' } };
    await turns(2);
    expect(looks).toEqual([{}, { retrying: 7 }]);
  });

  it('looks again at once when it is told to while it looks', async () => {
    const { watch, state, calls } = watching();
    watch.start();
    watch.look();
    state.snapshot = undefined;
    await new Promise(setImmediate);
    expect(calls).toContain('end undefined');
  });

  it('ends when the run is not running any more, or was removed', async () => {
    const paused = watching({ ...running, record: { ...record, status: 'paused' } });
    await paused.start();
    await paused.turns(2);
    expect(paused.calls).toEqual(['end paused']);
    const removed = watching();
    await removed.start();
    removed.state.snapshot = undefined;
    await removed.turns(2);
    expect(removed.calls.at(-1)).toBe('end undefined');
  });

  it('asks for the end of the run when every range has ended', async () => {
    const { state, calls, start, turns } = watching();
    await start();
    expect(calls).not.toContain('finish');
    state.snapshot = { ...running, ranges: { total: 10, done: 8, failed: 2 } };
    await turns(1);
    expect(calls).toContain('finish');
  });

  it('pauses the run by --stop-after, counted from the last resume, once', async () => {
    const { state, calls, start, turns } = watching({ ...running, stats: { failed: 100 } });
    state.snapshot = { ...running, stats: { failed: 100 }, statsAtResume: { failed: 96 } };
    await start();
    await turns(1);
    expect(calls.join()).not.toContain('pause');
    state.snapshot = { ...running, stats: { failed: 102 }, statsAtResume: { failed: 96 } };
    await turns(3);
    const pauses = calls.filter((call) => call.startsWith('pause'));
    expect(pauses).toEqual(['pause: 6 were rejected or failed (--stop-after 5)']);
  });
});
