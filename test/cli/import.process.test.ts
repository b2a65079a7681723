import {
  appendFileSync,
  closeSync,
  constants,
  openSync,
  readFileSync,
  readdirSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { history } from '../../src/fixtures/history.js';
import { cli, ended, start, type CliOptions } from '../helpers/cli.js';
import { folderWith } from '../helpers/folder.js';
import { inProcess } from '../helpers/in-process.js';
import {
  startReceiver,
  type ReceiverResponse,
  type ReceivedRequest,
  type Receiver,
} from '../helpers/receiver.js';
import { execFileSync } from '../helpers/run-sync.js';

let receiver: Receiver;

afterEach(() => receiver.close());

async function listening(
  response?: (request: ReceivedRequest, index: number) => ReceiverResponse | undefined,
): Promise<Receiver> {
  return (receiver = await startReceiver(response));
}

function track(n: number, more = ''): string {
  return `{"type":"track","userId":"u${n % 3}","event":"E${n}","messageId":"m${n}","timestamp":"2026-01-0${1 + (n % 9)}T00:00:00Z"${more}}`;
}

function lines(count: number): string {
  return Array.from({ length: count }, (_, n) => `${track(n)}\n`).join('');
}

async function importing(args: readonly string[], options: CliOptions = {}, run = inProcess) {
  const result = await run(['import', ...args, '--url', receiver.url, '--json'], options);
  const [ready, summary] = result.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  return { ...result, ready, summary };
}

const ids = (): string[] =>
  receiver
    .json()
    .map(({ messageId }) => messageId)
    .sort();

/** The value as soon as it has not changed for half a second. */
async function stillness(valueOf: () => number): Promise<number> {
  for (let before = -1; ;) {
    const now = valueOf();
    if (now === before) return now;
    before = now;
    await pause(500);
  }
}

describe('evfwd import', () => {
  it('delivers every event of a history, once, and sums up', async () => {
    await listening();
    const cwd = folderWith({ 'h.ndjson': [...history()].join('\n') });
    const { code, ready, summary } = await importing(['h.ndjson'], { cwd }, cli);
    expect(code).toBe(0);
    expect(ready).toMatchObject({ type: 'ready', files: ['h.ndjson'] });
    expect(summary).toMatchObject({
      type: 'summary',
      read: 1000,
      delivered: 1000,
      rejected: 0,
      failed: 0,
      skipped: 0,
      pending: 0,
      retries: 0,
      deadLetter: null,
      resumed: false,
    });
    expect(new Set(ids()).size).toBe(1000);
  });

  it('reads several files, gzip detected by its magic bytes, and standard input', async () => {
    await listening();
    const cwd = folderWith({
      a: `${track(1)}\r\n\n${track(2)}`,
      b: gzipSync(`\ufeff${track(3)}\n`),
    });
    const { code, summary } = await importing(['a', 'b', '-'], { cwd, stdin: track(4) }, cli);
    expect(code).toBe(0);
    expect(summary).toMatchObject({ read: 4, delivered: 4 });
    expect(ids()).toEqual(['m1', 'm2', 'm3', 'm4']);
  });

  it('keeps what was rejected and failed in a file that imports as it is', async () => {
    await listening(({ body }) => ({ status: body.includes('"m2"') ? 400 : 200 }));
    const bad = '{"type":"track","event":"E","userId":null}';
    const cwd = folderWith({ 'e.ndjson': [track(1), 'not json', track(2), bad].join('\n') });
    const first = await importing(['e.ndjson'], { cwd });
    expect(first.code).toBe(3);
    expect(first.summary).toMatchObject({ read: 4, delivered: 1, rejected: 2, failed: 1 });
    const path = first.summary.deadLetter;
    const deadLetters = readFileSync(join(cwd, path), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(deadLetters.sort((a, b) => a.line - b.line)).toMatchObject([
      {
        type: 'dead-letter',
        reason: 'rejected',
        code: 'not_json',
        file: 'e.ndjson',
        line: 2,
        raw: 'not json',
      },
      {
        reason: 'failed',
        code: 'status_400',
        line: 3,
        attempts: 1,
        lastStatus: 400,
        url: receiver.url,
        event: JSON.parse(track(2)),
      },
      { reason: 'rejected', code: 'missing_user', line: 4, attempts: 0, event: JSON.parse(bad) },
    ]);
    await receiver.close();
    await listening();
    const second = await importing([path], { cwd });
    expect(second.summary).toMatchObject({ read: 3, delivered: 1, rejected: 2 });
    expect(ids()).toEqual(['m2']);
  });

  it('gives an event without messageId the same one on every run, also by way of a dead letter', async () => {
    const event = '{"type":"track","userId":"u","event":"E","timestamp":"2026-01-01T00:00:00Z"}\n';
    const cwd = folderWith({ 'e.ndjson': event + event });
    await listening(() => ({ status: 400 }));
    const { summary } = await importing(['e.ndjson'], { cwd });
    const refused = ids();
    await receiver.close();
    await listening();
    await importing([summary.deadLetter], { cwd });
    expect(ids()).toEqual(refused);
    await importing(['e.ndjson'], { cwd });
    expect(ids()).toEqual([...refused, ...refused].sort());
    expect(new Set(refused).size).toBe(2);
  });

  it('retries after a 503 with the same bytes', async () => {
    await listening((_request, i) => ({ status: i < 3 ? 503 : 200 }));
    const cwd = folderWith({ 'e.ndjson': lines(3) });
    const { code, summary } = await importing(['e.ndjson', '--retry-window', '2s'], { cwd });
    expect(code).toBe(0);
    expect(summary).toMatchObject({ delivered: 3, retries: 3 });
    const bodies = receiver.requests.map(({ body }) => body.toString());
    expect(new Set(bodies).size).toBe(3);
  });

  it.each([
    ['--limit 2', ['--limit', '2'], { delivered: 2 }],
    ['--types', ['--types', 'page,identify'], { delivered: 0, skipped: 9 }],
    ['--events', ['--events', 'E1,E[2]*,*8'], { delivered: 2, skipped: 7 }],
    ['--users', ['--users', 'u1'], { delivered: 3, skipped: 6 }],
    ['--since', ['--since', '2026-01-03T00:00:00Z'], { delivered: 7, skipped: 2 }],
    ['--until', ['--until', '2026-01-03'], { delivered: 2, skipped: 7 }],
    ['--sample 100%', ['--sample', '100%'], { delivered: 9 }],
  ])('selects by %s', async (_name, flags, expected) => {
    await listening();
    const cwd = folderWith({ 'e.ndjson': lines(9) });
    const { code, summary } = await importing(['e.ndjson', ...flags], { cwd });
    expect(code).toBe(0);
    expect(summary).toMatchObject(expected);
    expect(summary.read).toBe(Number(summary.delivered) + Number(summary.skipped));
  });

  it('changes events with --transform, and leaves alone what that leaves alone', async () => {
    await listening();
    const transform = `export default (event) => event.event === 'E0' ? null : { ...event, context: { by: 'us' } };`;
    const cwd = folderWith({
      'e.ndjson': [track(0), track(1, ',"properties":{"n":9007199254740993}')].join('\n'),
      't.mjs': transform,
    });
    const { summary } = await importing(['e.ndjson', '--transform', 't.mjs'], { cwd });
    expect(summary).toMatchObject({ read: 2, delivered: 1, skipped: 1 });
    expect(receiver.requests[0]!.body.toString()).toContain('"properties":{"n":9007199254740993}');
    expect(receiver.json()[0].context).toEqual({ by: 'us' });
  });

  it.each([
    ['all', [], ['order-1', 'order-1-0', 'order-1-1'], 1],
    ['those that are selected', ['--events', 'Product *'], ['order-1-0', 'order-1-1'], 1],
  ])('makes events of other records with --transform: %s', async (_, flags, ids, rejected) => {
    await listening();
    const folder = join(import.meta.dirname, '../../examples/transforms');
    const cwd = folderWith({
      'orders.ndjson': readFileSync(join(folder, 'orders.ndjson'), 'utf8') + '{oops\n',
      'orders.js': readFileSync(join(folder, 'orders.js'), 'utf8'),
    });
    const args = ['orders.ndjson', '--transform', 'orders.js', ...flags];
    const { code, summary } = await importing(args, { cwd });
    expect(code).toBe(3);
    expect(summary).toMatchObject({ delivered: ids.length, rejected: rejected + 1, pending: 0 });
    expect(receiver.json().map(({ messageId }) => messageId)).toEqual(ids);
    const letters = readFileSync(join(cwd, String(summary.deadLetter)), 'utf8')
      .trim()
      .split('\n');
    expect(letters.map((line) => JSON.parse(line).code).sort()).toEqual([
      'missing_user',
      'not_json',
    ]);
  });

  it('validates and shows what --transform makes, selected as in an import', async () => {
    const folder = join(import.meta.dirname, '../../examples/transforms');
    const files = ['orders.ndjson', 'orders.js'].map((name) => join(folder, name));
    const args = ['validate', files[0]!, '--transform', files[1]!, '--json'];
    const events = async (...flags: string[]): Promise<unknown[]> =>
      (await cli([...args, ...flags])).stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as { type: string; event?: { event: string } })
        .flatMap(({ event }) => event?.event ?? []);
    expect(await events()).toEqual(['Order Completed', 'Product Bought', 'Product Bought']);
    expect(await events('--where', 'properties.sku')).toEqual(['Product Bought', 'Product Bought']);
  });

  it('continues with --ordered where a line became several events and one is retried', async () => {
    await listening((_request, i) => ({ status: i === 0 ? 503 : 200 }));
    const split = `export default (e) => [1, 2].map((n) => ({ ...e, messageId: e.messageId + n }));`;
    const cwd = folderWith({ 'e.ndjson': track(0), 't.mjs': split });
    const flags = ['--transform', 't.mjs', '--ordered', '--retry-window', '2s'];
    const { code, summary } = await importing(['e.ndjson', ...flags], { cwd });
    expect(code).toBe(0);
    expect(summary).toMatchObject({ read: 2, delivered: 2, retries: 1, pending: 0 });
    expect(receiver.json().map(({ messageId }) => messageId)).toEqual(['m01', 'm01', 'm02']);
  });

  it('sends the whole lines of a truncated gzip file, and exits 3', async () => {
    await listening();
    const whole = gzipSync(lines(2000));
    const cwd = folderWith({
      'cut.gz': whole.subarray(0, whole.length - 500),
      'e.ndjson': track(9999),
    });
    const { code, summary, stderr } = await importing(['cut.gz', 'e.ndjson'], { cwd });
    expect(code).toBe(3);
    expect(summary).toMatchObject({ rejected: 0, failed: 0 });
    expect(summary.delivered).toBeGreaterThan(1000);
    expect(stderr).toMatch(/cut\.gz: the gzip data is truncated, after \d+ whole lines/);
    expect(ids()).toContain('m9999');
  });

  it('sends the lines that were inflated before what stands behind the end of a gzip file', async () => {
    await listening();
    const cwd = folderWith({
      'e.gz': Buffer.concat([gzipSync(lines(1000)), Buffer.from('junk\n')]),
    });
    const { code, summary, stderr } = await importing(['e.gz'], { cwd });
    expect(code).toBe(3);
    // What zlib has inflated of its next 16 KB is lost with the error.
    const { read } = summary;
    expect(read * lines(1000).length).toBeGreaterThan(1000 * (lines(1000).length - 17 * 1024));
    expect(summary).toMatchObject({ read, delivered: read });
    const { error } = JSON.parse(stderr.split('\n').find((line) => line.startsWith('{'))!);
    expect(error).toMatchObject({ code: 'broken_input' });
    expect(error.message).toContain(`after ${read} whole lines`);
  });

  it.each([
    ['2', 0],
    ['1', 3],
    ['50%', 0],
    ['49%', 3],
  ])('--max-failures %s sets the threshold between 0 and 3', async (limit, code) => {
    await listening();
    const cwd = folderWith({ 'e.ndjson': `x\n${track(1)}\ny\n${track(2)}` });
    const result = await importing(['e.ndjson', '--max-failures', limit], { cwd });
    expect(result.code).toBe(code);
  });

  it.each(['--log', '--dead-letter'])('%s may not name a file that is read', async (flag) => {
    await listening();
    const cwd = folderWith({ 'e.ndjson': track(1) });
    symlinkSync(join(cwd, 'e.ndjson'), join(cwd, 'link'));
    for (const name of ['e.ndjson', 'link']) {
      const args = ['import', 'e.ndjson', flag, name, '--url', receiver.url];
      const { code, stderr } = await inProcess(args, { cwd });
      expect([code, stderr]).toEqual([
        2,
        expect.stringContaining(`${flag} ${name}: is one of the input files`),
      ]);
    }
    expect(readFileSync(join(cwd, 'e.ndjson'), 'utf8')).toBe(track(1));
  });

  it('logs a flat line for every attempt, without the query', async () => {
    await listening((_request, i) => ({ status: i === 0 ? 503 : 200 }));
    const cwd = folderWith({ 'e.ndjson': track(1) });
    const args = [
      'import',
      'e.ndjson',
      '--url',
      `${receiver.url}?key=1`,
      '--log',
      'a.ndjson',
      '--retry-window',
      '1s',
    ];
    await inProcess(args, { cwd });
    const log = readFileSync(join(cwd, 'a.ndjson'), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(log).toMatchObject([
      {
        type: 'attempt',
        messageId: 'm1',
        url: receiver.url,
        attempt: 1,
        status: 503,
        error: null,
        verdict: 'retry',
      },
      {
        type: 'attempt',
        messageId: 'm1',
        url: receiver.url,
        attempt: 2,
        status: 200,
        error: null,
        verdict: 'delivered',
      },
    ]);
  });

  it('appends to the log of a resumed import, and replaces it with --fresh', async () => {
    await listening();
    const cwd = folderWith({ 'e.ndjson': `${track(1)}\n` });
    const args = ['e.ndjson', '--log', 'a.ndjson'];
    const logged = () => readFileSync(join(cwd, 'a.ndjson'), 'utf8').trim().split('\n').length;
    await importing(args, { cwd });
    appendFileSync(join(cwd, 'e.ndjson'), `${track(2)}\n`);
    await importing(args, { cwd });
    expect(logged()).toBe(2);
    await importing([...args, '--fresh', '--limit', '1'], { cwd });
    expect(logged()).toBe(1);
  });

  it('sends batches to a collector, each event as it is', async () => {
    await listening();
    const event = track(
      1,
      ',"sentAt":"2020-01-01T00:00:00Z","channel":"web","properties":{"n":1e400}',
    );
    const cwd = folderWith({ 'e.ndjson': `${event}\n{"type":"delete","userId":"u"}\n${track(2)}` });
    const collector = ['--write-key', 'k', '--endpoint', new URL(receiver.url).origin, '--json'];
    const { code, stdout } = await inProcess(['import', 'e.ndjson', ...collector], { cwd });
    expect(code).toBe(3);
    expect(JSON.parse(stdout.trim().split('\n')[1]!)).toMatchObject({ delivered: 2, rejected: 1 });
    expect(receiver.requests).toHaveLength(1);
    const sent = receiver.requests[0]!.body.toString();
    expect(sent).toContain(event.replace(',"sentAt":"2020-01-01T00:00:00Z"', ''));
  });

  it('stops at the first Ctrl-C: nothing new is sent, what is open is said', async () => {
    await listening((_request, i) => (i < 2 ? {} : { status: 503 }));
    const cwd = folderWith({ 'e.ndjson': lines(5) });
    const child = start(
      ['import', 'e.ndjson', '--url', receiver.url, '--json', '--concurrency', '1'],
      { cwd },
    );
    const result = ended(child);
    await receiver.atLeast(5);
    child.kill('SIGINT');
    const { code, stdout } = await result;
    expect(code).toBe(130);
    const summary = JSON.parse(stdout.trim().split('\n')[1]!);
    expect(summary).toMatchObject({ read: 5, delivered: 2, pending: 3 });
  });

  it('counts what is refused as failed, not as pending, where nothing is retried', async () => {
    await listening(() => ({ status: 503 }));
    const cwd = folderWith({ 'e.ndjson': lines(2) });
    const { code, summary } = await importing(['e.ndjson', '--retry-window', '0s'], { cwd });
    expect(code).toBe(3);
    expect(summary).toMatchObject({ read: 2, failed: 2, pending: 0 });
  });

  it('stops waiting for standard input at SIGTERM', async () => {
    await listening();
    const child = start(['import', '-', '--url', receiver.url, '--json']);
    const result = ended(child);
    child.stdin.write(`${track(1)}\n`);
    await receiver.atLeast(1);
    child.kill('SIGTERM');
    expect(await result).toMatchObject({ code: 143 });
  });

  it.each([
    ['in one thread', 20_000, ''],
    ['with two threads', 8_000, `,"properties":{"pad":"${'x'.repeat(1_200)}"}`],
  ])('waits for a --log that nobody reads, until Ctrl-C: %s', async (_how, count, more) => {
    await listening();
    const text = Array.from({ length: count }, (_, n) => `${track(n, more)}\n`).join('');
    const cwd = folderWith({ 'e.ndjson': text });
    const log = join(cwd, 'log');
    execFileSync('mkfifo', [log]);
    const reader = openSync(log, constants.O_RDONLY | constants.O_NONBLOCK);
    const args = ['import', 'e.ndjson', '--url', receiver.url, '--log', log, '--threads', '2'];
    const child = start(args, { cwd });
    const result = ended(child);
    // A pipe holds 64 KB, and so much more is kept that it can go on at once.
    await receiver.atLeast(300);
    const first = await stillness(() => receiver.requests.length);
    expect(first).toBeLessThan(count);
    child.kill('SIGINT');
    const { code, stderr } = await result;
    expect(code).toBe(130);
    expect(stderr).toMatch(
      /--log \S+: [\d,]+ lines are missing at its end; the reader did not accept them within 500 ms/,
    );
    closeSync(reader);
    expect(await importing(['e.ndjson', '--threads', '2'], { cwd }, cli)).toMatchObject({
      code: 0,
    });
    expect(new Set(ids()).size).toBe(count);
    expect(receiver.requests).toHaveLength(count);
  });

  it('stops with exit code 6 when a dead letter cannot be written', async () => {
    await listening();
    const cwd = folderWith({ 'e.ndjson': 'x\n' });
    const { code, stderr } = await inProcess(
      ['import', 'e.ndjson', '--url', receiver.url, '--dead-letter', '/dev/full'],
      { cwd },
    );
    expect(code).toBe(6);
    expect(stderr).toContain('/dev/full');
  });

  it('keeps its state to its owner, and no dead-letter file where none was needed', async () => {
    await listening();
    const cwd = folderWith({ 'e.ndjson': track(1) });
    await importing(['e.ndjson'], { cwd });
    const [name, ...others] = readdirSync(join(cwd, '.evfwd'));
    expect(others).toEqual([]);
    expect(name).toMatch(/^e-[0-9a-f]{12}\.db$/);
    expect(statSync(join(cwd, '.evfwd', name!)).mode & 0o777).toBe(0o600);
  });
});
