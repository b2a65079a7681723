import { appendFileSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { ended, start } from '../helpers/cli.js';
import { folderWith } from '../helpers/folder.js';
import { inProcess } from '../helpers/in-process.js';
import {
  addsUp,
  deadLines,
  event,
  events,
  runImport,
  startImport,
  summaryOf,
} from '../helpers/process.js';
import { receiverOfEachTest } from '../helpers/witnessed-receiver.js';

const at = receiverOfEachTest();
/** Long lines, so that a few of them fill a block of 256 KB. */
const longEvents = (count: number, first = 0): string =>
  Array.from(
    { length: count },
    (_, i) => `${event(first + i, `,"pad":"${'x'.repeat(2_000)}"`)}\n`,
  ).join('');
const argsOf = (shard: string, ...more: string[]): string[] => [
  ...['e', '--url', at.receiver.url, '--shard', shard],
  ...more,
];
const importing = (cwd: string, shard: string, ...more: string[]) =>
  inProcess(['import', ...argsOf(shard, ...more), '--json'], { cwd });
const stateFiles = (cwd: string): string[] =>
  readdirSync(join(cwd, '.evfwd')).map((name) => name.replace(/^e-[0-9a-f]{12}/, ''));
const sum = (values: readonly number[]): number => values.reduce((total, each) => total + each, 0);

describe('the shards of an import', () => {
  it('send every event once, and count every line once, with its number', async () => {
    at.statusOf = (n) => (n % 100 === 7 ? 400 : 200);
    const lines = longEvents(900).replace(
      `${event(450, `,"pad":"${'x'.repeat(2_000)}"`)}\n`,
      'not json\n',
    );
    const cwd = folderWith({ e: lines });
    const runs = [];
    for (const i of [1, 2, 3]) runs.push(await importing(cwd, `${i}/3`, '--log', `log-${i}`));
    const summaries = runs.map(summaryOf);
    expect(at.receiver.requests).toHaveLength(899);
    expect(at.witness.doubled).toBe(0);
    expect(sum(summaries.map(({ read }) => read))).toBe(900);
    expect(sum(summaries.map(({ rejected }) => rejected))).toBe(1);
    expect(sum(summaries.map(({ failed }) => failed))).toBe(9);
    expect(summaries.map(({ read }) => read > 200)).toEqual([true, true, true]);
    const failed = summaries.flatMap((summary) => deadLines(summary, cwd));
    expect(failed.sort((a, b) => a - b)).toEqual([8, 108, 208, 308, 408, 451, 508, 608, 708, 808]);
    expect(new Set(summaries.map(({ deadLetter }) => deadLetter)).size).toBe(3);

    const report = await inProcess(['report', 'log-1', 'log-2', 'log-3', '--json'], { cwd });
    expect(JSON.parse(report.stdout)).toMatchObject({ attempts: 899 });
  });

  it('say which they are', async () => {
    const cwd = folderWith({ e: events(3) });
    const [ready, summary] = (await importing(cwd, '1/2')).stdout.trim().split('\n');
    expect(JSON.parse(ready!)).toMatchObject({ type: 'ready', shard: '1/2' });
    expect(JSON.parse(summary!)).toMatchObject({ type: 'summary', shard: '1/2', read: 3 });
    const second = await inProcess(['import', ...argsOf('2/2')], { cwd });
    expect(second.stderr).toContain('importing e, shard 2 of 2, to ');
    expect(second.stdout).toMatch(/^read +0$/m);
  });

  it('have whole gzip files, shared out by their names', async () => {
    const names = ['a', 'b', 'c', 'd'];
    const files = names.map((name, i) => [name, gzipSync(events(10, i * 10))] as const);
    const cwd = folderWith(Object.fromEntries(files));
    const reads: number[] = [];
    for (const shard of ['1/3', '2/3', '3/3']) {
      const args = ['import', ...names, '--url', at.receiver.url, '--shard', shard, '--json'];
      reads.push(summaryOf(await inProcess(args, { cwd })).read);
    }
    expect(reads).toEqual([20, 10, 10]);
    expect(at.witness.missing(40)).toEqual([]);
    expect(at.witness.doubled).toBe(0);
  });

  it('have whole users with --ordered, in order', async () => {
    const cwd = folderWith({ e: events(400) });
    const order = new Map<number, number[]>();
    at.statusOf = (n) => {
      order.set(n % 20, [...(order.get(n % 20) ?? []), n]);
      return 200;
    };
    const results = await Promise.all(
      ['1/2', '2/2'].map((shard) => runImport(argsOf(shard, '--ordered'), cwd)),
    );
    const [first, second] = results.map((result) => summaryOf(result).read);
    expect(first! + second!).toBe(400);
    expect([first! % 20, second! > 0 && first! > 0]).toEqual([0, true]);
    expect(order.size).toBe(20);
    for (const numbers of order.values())
      expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
  });

  it('use threads of their own, with the same result', async () => {
    const cwd = folderWith({ e: longEvents(8_000) });
    const reads: number[] = [];
    for (const shard of ['1/2', '2/2']) {
      const summary = summaryOf(await importing(cwd, shard, '--threads', '2'));
      expect(addsUp(summary)).toBe(true);
      reads.push(summary.read);
    }
    expect(sum(reads)).toBe(8_000);
    expect(at.witness.missing(8_000)).toEqual([]);
    expect(at.witness.doubled).toBe(0);
  });
});

describe('the state of a shard', () => {
  it('resumes after a kill, and with the lines that were appended since', async () => {
    const cwd = folderWith({ e: longEvents(900) });
    const first = startImport(argsOf('1/2', '--rate', '400/s'), cwd);
    await at.receiver.atLeast(50);
    await first.stop('SIGKILL');
    expect((await importing(cwd, '1/2')).code).toBe(0);
    expect((await importing(cwd, '2/2')).code).toBe(0);
    expect(at.witness.missing(900)).toEqual([]);
    // At most what was in flight or not committed yet.
    expect(at.witness.doubled).toBeLessThanOrEqual(500);
    appendFileSync(join(cwd, 'e'), longEvents(600, 900));
    const before = at.receiver.requests.length;
    for (const shard of ['1/2', '2/2']) expect((await importing(cwd, shard)).code).toBe(0);
    expect(at.witness.missing(1_500)).toEqual([]);
    expect(at.receiver.requests).toHaveLength(before + 600);
  });

  it('is locked: the same shard cannot run twice at once, others can', async () => {
    at.statusOf = () => undefined;
    const cwd = folderWith({ e: longEvents(300) });
    const first = startImport(argsOf('1/2'), cwd);
    await at.receiver.atLeast(1);
    const same = await importing(cwd, '1/2');
    expect(same.code).toBe(2);
    expect(same.stderr).toContain(
      `shard 1/2 of this import is running in process ${first.child.pid}`,
    );
    // Fresh shards of another number would remove what the first still writes.
    const fresh = await importing(cwd, '1/3', '--fresh');
    expect(fresh.code).toBe(2);
    expect(fresh.stderr).toContain('shard 1/2 of this import is running');
    at.statusOf = () => 200;
    expect((await importing(cwd, '2/2')).code).toBe(0);
    await first.stop('SIGKILL');
  });

  it('belongs to its number of shards, unless --fresh starts over', async () => {
    at.statusOf = (n) => (n === 1 ? 400 : 200);
    const cwd = folderWith({ e: longEvents(300) });
    for (const shard of ['1/2', '2/2']) await importing(cwd, shard);
    const sent = at.receiver.requests.length;
    const other = await importing(cwd, '1/3');
    expect(other.code).toBe(2);
    expect(other.stderr).toContain(
      'was started with 2 shards, and this run is one of 3; use --shard i/2',
    );
    const whole = await inProcess(['import', 'e', '--url', at.receiver.url], { cwd });
    expect(whole.code).toBe(2);
    expect(whole.stderr).toContain('was started with 2 shards, and this run has no --shard');
    const ordered = await importing(cwd, '1/2', '--ordered');
    expect(ordered.code).toBe(2);
    expect(ordered.stderr).toContain('remove --ordered');
    expect(at.receiver.requests).toHaveLength(sent);
    // Of the same number only its own state goes.
    await importing(cwd, '1/2', '--fresh');
    expect(stateFiles(cwd).sort()).toEqual([
      ...['-shard-1-of-2.db', '-shard-1-of-2.dead-letter.ndjson', '-shard-2-of-2.db'],
    ]);
    await importing(cwd, '2/3', '--fresh');
    expect(stateFiles(cwd)).toEqual(['-shard-2-of-3.db']);
  });

  it('is not taken from an import without shards', async () => {
    const cwd = folderWith({ e: events(3) });
    await inProcess(['import', 'e', '--url', at.receiver.url], { cwd });
    const { code, stderr } = await importing(cwd, '1/2');
    expect(code).toBe(2);
    expect(stderr).toContain('was started without --shard, and this run is one of 2 shards');
    expect(at.receiver.requests).toHaveLength(3);
  });
});

describe('the commands that a shard prints', () => {
  it('resume the same shard, with the whole rate, and retry its dead letters without it', async () => {
    at.statusOf = (n) => (n === 0 ? 400 : 200);
    const cwd = folderWith({ e: longEvents(300) });
    const args = ['import', 'e', '--url', at.receiver.url, '--shard', 'auto', '--rate', '100/s'];
    const child = start(args, { cwd, env: { CI_NODE_INDEX: '1', CI_NODE_TOTAL: '2' } });
    await at.receiver.atLeast(5);
    child.kill('SIGINT');
    const { stderr } = await ended(child);
    const commands = stderr.split('\n').filter((line) => line.startsWith('  evfwd import'));
    expect(commands.join('\n')).toMatch(
      /^ {2}evfwd import \.evfwd\/e-[0-9a-f]{12}-shard-1-of-2\.dead-letter\.ndjson --url \S+ --rate 100\/s\n {2}evfwd import e --url \S+ --shard 1\/2 --rate 100\/s$/,
    );
    const dead = /\.evfwd\/\S+ndjson/.exec(stderr)![0];
    expect(existsSync(join(cwd, dead))).toBe(true);
    expect(readFileSync(join(cwd, dead), 'utf8')).toContain('"line":1,');
  });
});
