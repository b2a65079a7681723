import {
  closeSync,
  constants,
  existsSync,
  openSync,
  readFileSync,
  readSync,
  statSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { AttemptResult } from '../../src/delivery/outcome.js';
import { AttemptLog } from '../../src/ledger/attempt-log.js';
import { folderWith } from '../helpers/folder.js';
import { VirtualClock } from '../helpers/virtual-clock.js';
import { execFileSync } from '../helpers/run-sync.js';

const result: AttemptResult = {
  url: 'https://example.com/hook',
  attempt: 2,
  at: Date.parse('2026-11-20T08:30:00.000Z'),
  durationMs: 1.23456,
  status: null,
  error: 'timeout',
  verdict: 'retry',
  retryAfterMs: 5,
};

describe('the log of attempts', () => {
  it('has one flat line per attempt, only for its owner, and replaces an older log', async () => {
    const path = join(folderWith({ 'log.ndjson': 'old\nold\n' }), 'new', 'log.ndjson');
    const log = new AttemptLog(path);
    log.write(result, 'm\n1');
    log.write({ ...result, status: 200, error: null, verdict: 'delivered' }, 'm2');
    await log.close();
    const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      {
        type: 'attempt',
        at: '2026-11-20T08:30:00.000Z',
        messageId: 'm\n1',
        url: 'https://example.com/hook',
        attempt: 2,
        status: null,
        error: 'timeout',
        verdict: 'retry',
        durationMs: 1.235,
      },
      expect.objectContaining({ messageId: 'm2', status: 200, error: null, verdict: 'delivered' }),
    ]);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it('has what a response said', async () => {
    const path = join(folderWith(), 'log.ndjson');
    const log = new AttemptLog(path);
    const response = { headers: { 'retry-after': '1' }, body: 'wait\n' };
    log.write({ ...result, status: 429, error: null, response }, 'm1');
    await log.close();
    expect(JSON.parse(readFileSync(path, 'utf8'))).toMatchObject({ status: 429, response });
  });

  it.each([
    ['whole lines', 'old\n', 'old\n'],
    ['a line that a crash has truncated', 'old\n{"type":"att', 'old\n{"type":"att\n'],
    ['nothing', '', ''],
  ])('of a resumed run is appended: %s', async (_what, before, kept) => {
    const path = join(folderWith({ 'log.ndjson': before }), 'log.ndjson');
    const log = new AttemptLog(path, true);
    log.write(result, 'm1');
    expect(await log.close()).toBe(0);
    const text = readFileSync(path, 'utf8');
    expect(text.startsWith(kept)).toBe(true);
    expect(JSON.parse(text.slice(kept.length))).toMatchObject({ messageId: 'm1' });
  });

  it('of a new run replaces an existing one', async () => {
    const path = join(folderWith({ 'log.ndjson': 'old\n' }), 'log.ndjson');
    await new AttemptLog(path).close();
    expect(readFileSync(path, 'utf8')).toBe('');
  });

  it.each(['file/log', '.'])('that cannot be created is a usage error, at once: %s', (name) => {
    const folder = folderWith({ file: '' });
    const make = () => new AttemptLog(`${folder}/${name}`);
    expect(make).toThrow(/^--log \S+: cannot be written \(E\w+\); choose another path$/);
    expect(make).toThrow(expect.objectContaining({ exitCode: 2, code: 'log_not_written' }));
  });

  it.skipIf(!existsSync('/dev/full'))('on a full disk reports that at the end', async () => {
    const log = new AttemptLog('/dev/full');
    for (let i = 0; i < 1000; i++) log.write(result, `m${i}`);
    await expect(log.close()).rejects.toThrow('--log /dev/full: cannot be written (ENOSPC)');
    await expect(log.close()).rejects.toMatchObject({ exitCode: 6 });
  });
});

/** A named pipe with a reader that reads only on demand. */
function pipe(): {
  readonly path: string;
  readonly read: () => string;
  readonly close: () => void;
} {
  const path = join(folderWith(), 'pipe');
  execFileSync('mkfifo', [path]);
  const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const bytes = Buffer.alloc(1024 * 1024);
  const read = (): string => {
    try {
      return bytes.toString('utf8', 0, readSync(reader, bytes));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EAGAIN') return '';
      throw error;
    }
  };
  return { path, read, close: () => closeSync(reader) };
}

const namesIn = (text: string): unknown[] =>
  text
    .trim()
    .split('\n')
    .map((line) => (JSON.parse(line) as { messageId: unknown }).messageId);

/** Writes up to `most` lines, in turns of the event loop, until the log has no room. */
async function writeUntilFull(log: AttemptLog, most: number): Promise<number> {
  for (let lines = 0; lines < most;) {
    for (let i = 0; i < 50; i++) log.write(result, `m${lines++}`);
    if (log.room()) return lines;
    await new Promise((resolve) => setImmediate(resolve));
  }
  return most;
}

describe('a log whose reader is stalled', () => {
  it('has no room until it is read, and loses no line', async () => {
    const { path, read, close } = pipe();
    const clock = new VirtualClock();
    const log = new AttemptLog(path, false, clock);
    expect(log.room()).toBeUndefined();
    const lines = await writeUntilFull(log, 50_000);
    expect(lines).toBeLessThan(5_000);
    let hasRoom = false;
    const waiting = log.room()!.then(() => (hasRoom = true));
    clock.advance(1_000);
    await new Promise((resolve) => setImmediate(resolve));
    expect(hasRoom).toBe(false);
    let text = '';
    const readUntil = async (goal: Promise<unknown>): Promise<void> => {
      const state = { isReached: false };
      void goal.then(() => (state.isReached = true));
      while (!state.isReached) {
        clock.advance(100);
        text += read();
        await new Promise((resolve) => setImmediate(resolve));
      }
      text += read();
    };
    await readUntil(waiting);
    const closed = log.close();
    await readUntil(closed);
    close();
    expect(await closed).toBe(0);
    expect(namesIn(text)).toEqual(Array.from({ length: lines }, (_, i) => `m${i}`));
  });

  it('is closed half a second after Ctrl-C, and reports how many lines it lacks', async () => {
    const { path, read, close } = pipe();
    const clock = new VirtualClock();
    const log = new AttemptLog(path, false, clock);
    const lines = await writeUntilFull(log, 50_000);
    const room = log.room();
    log.stop();
    await room;
    expect(log.room()).toBeUndefined();
    log.write(result, 'in flight');
    const interruption = new AbortController();
    const closed = log.close(interruption.signal);
    clock.advance(3_600_000);
    interruption.abort();
    clock.advance(499);
    clock.advance(1);
    const unwritten = await closed;
    const written = read().split('\n').length - 1;
    close();
    expect(unwritten).toBe(lines + 1 - written);
    expect(clock.waits).toEqual([]);
  });

  it('waits for a reader if there is none yet', async () => {
    const path = join(folderWith(), 'pipe');
    execFileSync('mkfifo', [path]);
    const clock = new VirtualClock();
    const log = new AttemptLog(path, true, clock);
    log.write(result, 'm1');
    await clock.timers(1);
    const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    clock.advance(100);
    expect(await log.close()).toBe(0);
    expect(namesIn(readFileSync(reader, 'utf8'))).toEqual(['m1']);
    closeSync(reader);
  });

  it('that disappears is an error at the end, and delays nothing', async () => {
    const { path, close } = pipe();
    const clock = new VirtualClock();
    const log = new AttemptLog(path, false, clock);
    close();
    await writeUntilFull(log, 3_000);
    const failed = expect(log.close()).rejects.toThrow(`--log ${path}: cannot be written (EPIPE)`);
    // A process that another test starts has the reader, too, until it runs its own program.
    await advanceUntil(clock, failed);
    expect(log.room()).toBeUndefined();
  });
});

/** Advances the clock until the promise is settled. */
async function advanceUntil(clock: VirtualClock, promise: Promise<unknown>): Promise<void> {
  const state = { isSettled: false };
  const settled = promise.finally(() => (state.isSettled = true));
  while (!state.isSettled) {
    clock.advance(100);
    await new Promise((resolve) => setImmediate(resolve));
  }
  await settled;
}
