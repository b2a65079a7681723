import { randomBytes } from 'node:crypto';
import { appendFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { start } from '../helpers/cli.js';
import { startFaulty } from '../helpers/faulty-import.js';
import { folderWith } from '../helpers/folder.js';
import {
  addsUp,
  deadLines,
  event,
  isBad,
  mixedLines,
  runImport,
  startImport,
  summaryOf,
  watched,
  Witness,
} from '../helpers/process.js';
import { startReceiver, type Receiver } from '../helpers/receiver.js';
import { noteSendingThreads } from '../helpers/sending-threads.js';
import { seededRandom } from '../helpers/seed.js';

let receiver: Receiver;
let witness: Witness;
let statusOf: (n: number, index: number) => number | undefined;
/** No request gets a response earlier. */
let answerAfter: Promise<void> | undefined;

beforeEach(async () => {
  witness = new Witness();
  statusOf = () => 200;
  answerAfter = undefined;
  const response = witness.responding(([n], index) => statusOf(n!, index));
  receiver = await startReceiver((...request) => {
    const decided = response(...request);
    return answerAfter ? answerAfter.then(() => decided) : decided;
  });
});
afterEach(() => receiver.close());

const count = 700;
/** Two threads start from 8 MB on: events are few here, and long. */
const padding = `,"context":{"pad":"${'x'.repeat(12_000)}"}`;

const lines = mixedLines(count, padding);
const whole = `\ufeff${lines.join('\r\n')}\r\n`;
const sent = lines.filter((_, n) => !isBad(n)).length;

const missing = (): number[] => witness.missing(count).filter((n) => !isBad(n));
const bad = lines.flatMap((_, n) => (isBad(n) ? [n + 1] : []));

const inFlight = 64;
/** Of one thread: told and not on disk, and ended and not told. */
const unrecorded = 600;

const argsOf = (...more: string[]): string[] => ['e', '--url', receiver.url, '--threads', ...more];
const toCollector = (): string[] => {
  const { origin } = new URL(receiver.url);
  return ['e', '--endpoint', origin, '--write-key', 'k', '--threads', '2', '--concurrency', '2'];
};

function expectAll(summary: ReturnType<typeof summaryOf>, cwd: string): void {
  expect(summary).toMatchObject({ read: count, failed: 0, pending: 0 });
  expect(summary.rejected + summary.earlier.rejected).toBe(bad.length);
  expect(addsUp(summary)).toBe(true);
  expect(missing()).toEqual([]);
  expect(deadLines(summary, cwd)).toEqual(bad);
  expect([...witness.ids.values()].every(({ size }) => size === 1)).toBe(true);
  expect([...witness.bodies.values()].every(({ size }) => size === 1)).toBe(true);
}

describe('evfwd import with threads, killed', () => {
  it('loses nothing and doubles little, also with another number of threads in each run', async () => {
    const random = seededRandom();
    const later = new Set([100, 350]);
    statusOf = (n) => (later.delete(n) ? 503 : 200);
    const cwd = folderWith({ e: whole });
    const all = [argsOf('2'), argsOf('1'), argsOf('2', '--ordered'), argsOf('2')];
    let doubled = 0;
    for (const args of all) {
      const run = startImport(args, cwd);
      await receiver.atLeast(receiver.requests.length + 1 + random() * 140);
      const { stderr } = await run.stop('SIGKILL');
      expect(stderr).not.toMatch(/unexpected|Error/);
      expect(witness.doubled - doubled).toBeLessThanOrEqual(inFlight + 2 * unrecorded);
      doubled = witness.doubled;
    }
    const last = await runImport(argsOf('2'), cwd);
    expect(last.code).toBe(3);
    expectAll(summaryOf(last), cwd);
  });

  it('loses nothing at a collector', async () => {
    const random = seededRandom();
    const cwd = folderWith({ e: whole });
    for (let kill = 0; kill < 2; kill++) {
      const run = startImport(toCollector(), cwd);
      await receiver.atLeast(receiver.requests.length + 1 + random() * 4);
      await run.stop('SIGKILL');
    }
    expectAll(summaryOf(await runImport(toCollector(), cwd)), cwd);
  });

  it.each([
    ['before', 2],
    ['committed', 1],
    ['dead-letters-written', 2],
  ] as const)('loses nothing when it dies at a commit: %s, time %i', async (step, time) => {
    const cwd = folderWith({ e: whole });
    const faulty = startFaulty(['e'], receiver.url, { step, time }, cwd);
    expect(await faulty.ended).toMatchObject({ signal: 'SIGKILL' });
    const result = await runImport(['e', '--url', receiver.url, '--threads', '2'], cwd);
    expectAll(summaryOf(result), cwd);
  });
});

describe('evfwd import with threads, interrupted', () => {
  it.each([
    ['a webhook', () => argsOf('2'), 150],
    ['a collector', toCollector, 4],
  ])('loses and doubles nothing at %s', async (_where, args, most) => {
    const random = seededRandom();
    const cwd = folderWith({ e: whole });
    for (const [signal, code] of [
      ['SIGINT', 130],
      ['SIGTERM', 143],
    ] as const) {
      const run = startImport(args(), cwd);
      await receiver.atLeast(receiver.requests.length + 1 + random() * most);
      const stopped = await run.stop(signal);
      expect(stopped.code).toBe(code);
      const summary = summaryOf(stopped);
      expect(addsUp(summary)).toBe(true);
      expect(summary.read).toBeLessThanOrEqual(count);
    }
    const last = await runImport(args(), cwd);
    expect(last.stderr).toContain('resuming after line');
    expectAll(summaryOf(last), cwd);
    expect(witness.doubled).toBe(0);
  });

  it('saves pending retries, for a later run with or without threads', async () => {
    statusOf = (n) => {
      if (witness.completes(sent, n)) run.child.kill('SIGINT');
      return n >= count - 3 ? 503 : 200;
    };
    const cwd = folderWith({ e: whole });
    const run = startImport(argsOf('2'), cwd);
    const stopped = summaryOf(await run.ended);
    expect(stopped.pending).toBeGreaterThan(0);
    expect(addsUp(stopped)).toBe(true);
    statusOf = () => 200;
    const last = await runImport(argsOf('2', '--ordered'), cwd);
    expect(last.stderr).toContain('pending');
    expectAll(summaryOf(last), cwd);
    expect(witness.doubled).toBe(0);
  });
});

describe('evfwd import with threads', () => {
  it.each([
    ['2', [1, 2]],
    ['1', [0]],
  ])('sends from as many threads as requested: %s', async (threads, sending) => {
    const cwd = folderWith({ e: whole });
    const { env, seen } = noteSendingThreads(cwd);
    // A thread sends this many requests to a silent URL: it mostly takes all of them to get here.
    answerAfter = receiver.atLeast(16 * sending.length);
    const run = watched(start(['import', ...argsOf(threads), '--json'], { cwd, env }));
    expectAll(summaryOf(await run.ended), cwd);
    expect(seen()).toEqual(sending);
  });

  it('sends the whole lines of a truncated input, and the rest once it is fixed', async () => {
    // What gzip cannot make smaller than two threads take.
    const noise = (): string => `,"context":{"pad":"${randomBytes(12_500).toString('base64')}"}`;
    const text = Array.from({ length: count }, (_, n) => `${event(n, noise())}\n`).join('');
    const packed = gzipSync(text, { level: 1 });
    expect(packed.length).toBeGreaterThan(8 * 1024 * 1024);
    const cwd = folderWith({ e: packed.subarray(0, packed.length - 100_000) });
    const broken = await runImport(argsOf('2'), cwd);
    expect(broken.code).toBe(3);
    expect(broken.stderr).toMatch(/"broken_input","message":"e: .* after \d+ whole lines/);
    const { read, delivered } = summaryOf(broken);
    expect([read, witness.accepted.size]).toEqual([delivered, delivered]);
    appendFileSync(join(cwd, 'e'), packed.subarray(packed.length - 100_000));
    expect(summaryOf(await runImport(argsOf('2'), cwd))).toMatchObject({ read: count, pending: 0 });
    expect(witness.missing(count)).toEqual([]);
    expect(witness.doubled).toBe(0);
  });

  it('logs each attempt, says each trouble, and sends nothing when run again', async () => {
    const isRefused = (n: number): boolean => !isBad(n) && n % 100 === 7;
    const refused = lines.filter((_, n) => isRefused(n)).length;
    statusOf = (n) => (isRefused(n) ? 400 : 200);
    const cwd = folderWith({ e: whole });
    const result = await runImport(argsOf('2', '--verbose', '--log', 'log'), cwd);
    const log = readFileSync(join(cwd, 'log'), 'utf8').trim().split('\n');
    expect(log).toHaveLength(sent);
    const said = result.stderr.split('\n');
    expect(said.filter((line) => /^e:\d+ \S+: attempt 1: /.test(line))).toHaveLength(sent);
    const problems = said.filter((line) => /^e:\d+: (failed|rejected): /.test(line));
    expect(problems).toHaveLength(bad.length + refused);
    expect(summaryOf(result)).toMatchObject({ read: count, failed: refused, rejected: bad.length });
    const again = await runImport(argsOf('2'), cwd);
    expect([again.code, receiver.requests.length]).toEqual([3, sent]);
  });
});
