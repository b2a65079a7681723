import { PassThrough } from 'node:stream';
import { afterEach, describe, expect, it, vi } from 'vitest';
import chalk from 'chalk';
import { showProgress } from '../../src/output/progress.js';
import type { RunState } from '../../src/output/progress-text.js';
import { runState } from './run-state.js';

const plain = { hasColors: false };

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
});

describe('progress', () => {
  it('is a line every few seconds where there is no terminal, with the rate of the last seconds', async () => {
    vi.useFakeTimers();
    const stream = new PassThrough();
    let sent = 0;
    const progress = await showProgress(
      stream,
      () => ({ ...runState, ended: sent, sent, left: 1_000 - sent }),
      plain,
    );
    const goes = (seconds: number, perSecond: number): void => {
      for (let i = 0; i < seconds * 10; i++) {
        vi.advanceTimersByTime(100);
        sent += perSecond / 10;
      }
    };
    expect(textOf(stream)).toBe('');
    goes(5, 20);
    progress.say('something happened');
    goes(10, 60);
    expect(textOf(stream).split('\n')).toEqual([
      expect.stringMatching(/^9\d events {2}20\/s {2}9%, 4[56] s left$/),
      'something happened',
      expect.stringMatching(/^39\d events {2}4\d\/s/),
      expect.stringMatching(/^69\d events {2}60\/s {2}69%, 5 s left$/),
      '',
    ]);
    progress.stop();
    vi.advanceTimersByTime(60_000);
    expect(textOf(stream)).toBe('');
    expect(vi.getTimerCount()).toBe(0);
  });

  it('counts on a rate that is kept, however few events were measured', async () => {
    vi.useFakeTimers();
    const stream = new PassThrough();
    let sent = 0;
    // The first second has eleven events, as the start of any steady rate has.
    const state = (): RunState => ({ ...runState, ended: sent, sent, left: 1_000 - sent });
    const progress = await showProgress(stream, state, { ...plain, maxRate: 10 });
    for (sent = 1; sent < 51; sent++) vi.advanceTimersByTime(100);
    expect(textOf(stream)).toMatch(/, 1 min 35 s left\n$/);
    progress.stop();
  });

  it('is one live line on a terminal, with others above it', async () => {
    vi.stubEnv('CI', undefined);
    vi.stubEnv('TERM', 'xterm');
    vi.useFakeTimers();
    const stream = terminal();
    let ended = 1;
    const progress = await showProgress(stream, () => ({ ...runState, ended }), plain);
    expect(textOf(stream)).toContain('1 event ');
    ended = 2;
    vi.advanceTimersByTime(400);
    expect(textOf(stream)).toContain('2 events');
    progress.say('something happened');
    expect(textOf(stream)).toMatch(/^(?:<clear>)+something happened\n[^\n]*2 events[^\n]*$/);
    progress.stop();
    expect(textOf(stream)).toMatch(/^(?:<clear>)+/);
    vi.advanceTimersByTime(60_000);
    expect(textOf(stream)).toBe('');
    expect(vi.getTimerCount()).toBe(0);
  });

  it('has colors only where they are wanted', async () => {
    vi.stubEnv('CI', undefined);
    vi.stubEnv('TERM', 'xterm');
    vi.useFakeTimers();
    const level = chalk.level;
    // As on a terminal, which ora does not ask about NO_COLOR.
    chalk.level = 1;
    for (const hasColors of [true, false]) {
      const stream = terminal();
      const progress = await showProgress(stream, () => runState, { hasColors });
      progress.stop();
      expect(/\u001b\[\d+m/.test(textOf(stream))).toBe(hasColors);
    }
    chalk.level = level;
  });

  it('never wraps: it is as long as the terminal is wide, also after a resize', async () => {
    vi.stubEnv('CI', undefined);
    vi.stubEnv('TERM', 'xterm');
    vi.useFakeTimers();
    const stream = terminal();
    const state = {
      ...runState,
      ended: 123_456,
      failed: 1_234,
      rejected: 5,
      waiting: 42,
      left: 9e6,
    };
    const progress = await showProgress(stream, () => state, plain);
    for (const columns of [80, 50, 30]) {
      stream.columns = columns;
      vi.advanceTimersByTime(200);
      textOf(stream);
      vi.advanceTimersByTime(400);
      const lines = textOf(stream)
        .replace(/\u001b\[\?2026[hl]/g, '')
        .split('<clear>');
      expect(lines.length).toBeGreaterThan(2);
      for (const line of lines) expect(line.length).toBeLessThan(columns);
    }
    progress.stop();
  });

  it('is plain lines on a terminal that claims to have no columns, where clearing never ends', async () => {
    vi.useFakeTimers();
    const stream = Object.assign(terminal(), { columns: 0 });
    const progress = await showProgress(stream, () => runState, plain);
    vi.advanceTimersByTime(5_000);
    progress.stop();
    expect(textOf(stream)).toBe('0 events  0/s\n');
  });
});

function terminal() {
  const stream = new PassThrough();
  return Object.assign(stream, {
    isTTY: true,
    columns: 80,
    cursorTo: () => true,
    moveCursor: () => true,
    clearLine: () => stream.write('<clear>'),
  });
}

/** What was written since it was last asked for. */
function textOf(stream: PassThrough): string {
  return (stream.read() as Buffer | null)?.toString() ?? '';
}
