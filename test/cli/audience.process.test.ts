import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { start, type CliResult } from '../helpers/cli.js';
import { folderWith } from '../helpers/folder.js';
import { inProcess as cli } from '../helpers/in-process.js';
import { watched } from '../helpers/process.js';
import { startReceiver, type ReceiverResponse, type Receiver } from '../helpers/receiver.js';
import { believed, names, ndjson, sync } from './audience-lists.js';

let receiver: Receiver;
afterEach(() => receiver.close());

const trait = (list: string, ...more: string[]): string[] => [
  ...['audience', 'trait', '--name', 'Last Order Total', '--values', list],
  ...more,
];

/** `u1=true`, in the order of arrival. */
function told(from = 0): string[] {
  return receiver
    .json()
    .slice(from)
    .map(({ userId, traits }) => `${userId}=${JSON.stringify(Object.values(traits as object)[0])}`);
}

function lastLine({ stdout }: CliResult): Record<string, unknown> {
  return JSON.parse(stdout.trim().split('\n').at(-1)!) as Record<string, unknown>;
}

/** Every file of a folder, by its content. */
function fingerprint(folder: string): Record<string, string> {
  const hash = (name: string): string =>
    createHash('sha256')
      .update(readFileSync(join(folder, name)))
      .digest('hex');
  return Object.fromEntries(readdirSync(folder).map((name) => [name, hash(name)]));
}

describe('evfwd audience sync', () => {
  it('sends everyone at first, later only who joined or left', async () => {
    receiver = await startReceiver();
    const cwd = folderWith({ 'm.ndjson': ndjson(['a', 'b', 'c']) });
    const run = (list = 'm.ndjson') => cli(sync(list, '--url', receiver.url, '--json'), { cwd });
    const first = await run();
    expect(first.code).toBe(0);
    expect(told().sort()).toEqual(['a=true', 'b=true', 'c=true']);
    expect(receiver.json()[0]).toEqual({
      version: 1,
      type: 'identify',
      userId: 'a',
      messageId: expect.stringMatching(/^evfwd-[0-9a-f]{32}$/),
      timestamp: expect.stringMatching(/^\d{4}-.*Z$/),
      traits: { high_value_users: true },
    });
    expect(lastLine(first)).toMatchObject({ users: 3, joined: 3, left: 0, read: 3, delivered: 3 });
    const again = await run();
    expect(lastLine(again)).toMatchObject({ joined: 0, left: 0, unchanged: 3, read: 0 });
    writeFileSync(join(cwd, 'm.csv'), '\ufeffname,userId\r\n"X, Y",d\r\nZ,a\r\n');
    const third = await run('m.csv');
    expect(told(3).sort()).toEqual(['b=false', 'c=false', 'd=true']);
    expect(lastLine(third)).toMatchObject({ users: 2, joined: 1, left: 2, unchanged: 1, read: 3 });
  });

  it('signs what it sends, and speaks to people in lines', async () => {
    receiver = await startReceiver();
    const cwd = folderWith({ 'm.ndjson': ndjson(['a']) });
    const { code, stdout, stderr } = await cli(sync('m.ndjson', '--url', receiver.url), {
      cwd,
      env: { EVFWD_SECRET: 's' },
    });
    expect(code).toBe(0);
    expect(receiver.requests[0]!.headers['x-signature']).toMatch(/^[0-9a-f]{40}$/);
    expect(stderr).toBe(
      `sending high_value_users from m.ndjson to ${receiver.url}\n1 user in the list (1 joined)\n`,
    );
    expect(stdout).toMatch(/^read +1\ndelivered +1\n/);
  });

  it('warns of a URL that is behind another', async () => {
    const other = await startReceiver(() => ({ status: 500 }));
    receiver = await startReceiver();
    const cwd = folderWith({ m: ndjson(['a', 'b']) });
    const both = ['--url', receiver.url, '--url', other.url, '--retry-window', '0s'];
    const { code, stderr } = await cli(sync('m', ...both), { cwd });
    expect([code, stderr]).toEqual([
      0,
      expect.stringContaining(`warning: ${other.url} did not accept 2 of 2 events (HTTP 500)`),
    ]);
    await other.close();
  });

  it('knows each target, and each name, by itself', async () => {
    receiver = await startReceiver();
    const cwd = folderWith({ 'm.ndjson': ndjson(['a']) });
    await cli(sync('m.ndjson', '--url', receiver.url), { cwd });
    await cli(sync('m.ndjson', '--url', `${receiver.url}/other`), { cwd });
    await cli(sync('m.ndjson', '--url', receiver.url, '--name', 'Others'), { cwd });
    await cli(sync('m.ndjson', '--url', receiver.url), { cwd });
    expect(receiver.requests).toHaveLength(3);
  });

  it('sends to a collector, from standard input', async () => {
    receiver = await startReceiver();
    const { code } = await cli(sync('-', '--endpoint', receiver.url, '--write-key', 'k'), {
      cwd: folderWith(),
      stdin: ndjson(['a', 'b']),
    });
    expect(code).toBe(0);
    const [{ batch }] = receiver.json();
    expect(
      batch.map(({ userId, traits }: { userId: string; traits: unknown }) => [userId, traits]),
    ).toEqual([
      ['a', { high_value_users: true }],
      ['b', { high_value_users: true }],
    ]);
  });

  it('only shows changes with --dry-run: nothing is sent, no byte of the state changes', async () => {
    receiver = await startReceiver();
    const cwd = folderWith({
      'm.ndjson': ndjson(['a', 'b']),
      'n.ndjson': ndjson(['b', 'c\u001b[2J']),
    });
    const dry = (...more: string[]) =>
      cli(sync('n.ndjson', '--url', receiver.url, '--dry-run', ...more), { cwd });
    expect((await dry()).stdout).toBe('joins  b\njoins  c\\u001b[2J\n');
    expect(existsSync(join(cwd, '.evfwd'))).toBe(false);
    await cli(sync('m.ndjson', '--url', receiver.url), { cwd });
    const before = fingerprint(join(cwd, '.evfwd'));
    const shown = await dry();
    expect(shown).toMatchObject({ code: 0, stdout: 'joins  c\\u001b[2J\nleaves a\n' });
    expect(shown.stderr).toMatch(
      /2 users in the list \(1 joined, 1 unchanged\), 1 left; nothing was sent\n$/,
    );
    const [join1, leave1, summary] = (await dry('--json')).stdout.trim().split('\n');
    expect(JSON.parse(join1!)).toEqual({ type: 'change', userId: 'c\u001b[2J', value: true });
    expect(JSON.parse(leave1!)).toEqual({
      type: 'change',
      userId: 'a',
      value: false,
      before: true,
    });
    expect(JSON.parse(summary!)).toMatchObject({
      type: 'summary',
      dryRun: true,
      joined: 1,
      left: 1,
    });
    expect(fingerprint(join(cwd, '.evfwd'))).toEqual(before);
    expect(receiver.requests).toHaveLength(2);
  });

  it('stops showing where nobody reads any more', async () => {
    receiver = await startReceiver();
    const cwd = folderWith({ 'm.ndjson': ndjson(names(20_000)) });
    const child = start(sync('m.ndjson', '--url', receiver.url, '--dry-run'), { cwd });
    child.stdout.once('data', () => child.stdout.destroy());
    const [code, stderr] = await Promise.all([once(child, 'exit'), text(child.stderr)]);
    expect([code[0], stderr]).toEqual([
      0,
      '20,000 users in the list (20,000 joined); nothing was sent\n',
    ]);
  });

  it('saves invalid lines as dead letters, and treats no member as having left because of them', async () => {
    receiver = await startReceiver();
    const cwd = folderWith({ 'm.ndjson': ndjson(['a', 'b']) });
    await cli(sync('m.ndjson', '--url', receiver.url), { cwd });
    writeFileSync(join(cwd, 'm.ndjson'), '{"userId":"a"\n{"userId":"c"}\n{"userId":""}\n');
    const { code, stdout, stderr } = await cli(sync('m.ndjson', '--url', receiver.url, '--json'), {
      cwd,
    });
    expect(code).toBe(3);
    expect(told(2)).toEqual(['c=true']);
    const summary = JSON.parse(stdout.trim().split('\n')[1]!);
    expect(summary).toMatchObject({ joined: 1, left: 0, withheld: 2, read: 3, rejected: 2 });
    expect(stderr).toMatch(/m\.ndjson:1: rejected: not JSON.*\nm\.ndjson:3: rejected: userId is/);
    const deadLetters = readFileSync(join(cwd, summary.deadLetter), 'utf8').trim().split('\n');
    expect(deadLetters.map((line) => JSON.parse(line))).toMatchObject([
      { reason: 'rejected', code: 'not_json', file: 'm.ndjson', line: 1, raw: '{"userId":"a"' },
      { reason: 'rejected', code: 'missing_user_id', line: 3, event: { userId: '' } },
    ]);
  });

  it('sends a user who is named twice once, and lets others leave', async () => {
    receiver = await startReceiver();
    const cwd = folderWith({ 'm.csv': 'userId\na\nb\n' });
    await cli(sync('m.csv', '--url', receiver.url), { cwd });
    writeFileSync(join(cwd, 'm.csv'), 'userId\na\na\nc\nc\nc\n');
    const dry = await cli(sync('m.csv', '--url', receiver.url, '--dry-run', '-v'), { cwd });
    expect(dry).toMatchObject({ code: 0, stdout: 'joins  c\nleaves b\n' });
    expect(dry.stderr).toContain(
      '3 lines repeat an earlier line of their user; each user is sent once',
    );
    const run = await cli(sync('m.csv', '--url', receiver.url, '-v'), { cwd });
    expect(run.code).toBe(0);
    expect(run.stderr).toContain(
      '3 lines repeat an earlier line of their user; each user is sent once',
    );
    expect(run.stderr).not.toContain('rejected');
    expect(told(2)).toEqual(['c=true', 'b=false']);
  });

  it('sends nothing for a user with two values, who keeps the one that was sent', async () => {
    receiver = await startReceiver();
    const lines = (...rows: [string, string][]) =>
      rows.map(([id, value]) => `{"userId":"${id}","value":${value}}\n`).join('');
    const cwd = folderWith({ 'v.ndjson': lines(['a', '1'], ['b', '1']) });
    const trait = ['audience', 'trait', '--name', 'T', '--values', 'v.ndjson'];
    const args = [...trait, '--url', receiver.url, '--json'];
    await cli(args, { cwd });
    writeFileSync(
      join(cwd, 'v.ndjson'),
      lines(['a', '2'], ['b', '2'], ['a', ' 2 '], ['b', '2.0'], ['c', '1'], ['b', '2'], ['b', '3']),
    );
    const { code, stdout, stderr } = await cli(args, { cwd });
    expect(code).toBe(3);
    expect(stderr.match(/v\.ndjson.*/g)).toEqual([
      'v.ndjson:4: rejected: line 2 has a different value for this user; keep one of them',
    ]);
    const summary = JSON.parse(stdout.trim().split('\n').at(-1)!);
    expect(summary).toMatchObject({ users: 2, new: 1, changed: 1, unchanged: 0, rejected: 2 });
    const deadLetters = readFileSync(join(cwd, summary.deadLetter), 'utf8').trim().split('\n');
    expect(deadLetters.map((line) => JSON.parse(line))).toMatchObject([
      { code: 'different_values', line: 4, event: { userId: 'b', value: 2 } },
      { code: 'different_values', line: 7, event: { userId: 'b', value: 3 } },
    ]);
    const traitsOf = (from: number) =>
      receiver!
        .json()
        .slice(from)
        .map(({ userId, traits }) => [userId, traits.t]);
    expect(traitsOf(2).sort()).toEqual([
      ['a', 2],
      ['c', 1],
    ]);

    // The value of before is still known: it is not sent again, and another one is.
    writeFileSync(join(cwd, 'v.ndjson'), lines(['b', '1']));
    expect((await cli(args, { cwd })).code).toBe(0);
    expect(traitsOf(4)).toEqual([]);
    writeFileSync(join(cwd, 'v.ndjson'), lines(['b', '2'], ['b', '2']));
    expect((await cli(args, { cwd })).code).toBe(0);
    expect(traitsOf(4)).toEqual([['b', 2]]);
  });

  it('removes no member for a truncated list', async () => {
    receiver = await startReceiver();
    const all = names(3_000);
    const cwd = folderWith({ 'm.ndjson.gz': gzipSync(ndjson(all)) });
    await cli(sync('m.ndjson.gz', '--url', receiver.url), { cwd });
    const sent = receiver.requests.length;
    const packed = gzipSync(ndjson(['new', ...all]));
    writeFileSync(join(cwd, 'm.ndjson.gz'), packed.subarray(0, packed.length / 2));
    const broken = await cli(sync('m.ndjson.gz', '--url', receiver.url), { cwd });
    expect(broken.code).toBe(3);
    expect(broken.stderr).toMatch(/the gzip data is truncated/);
    expect(told(sent)).toEqual(['new=true']);
    writeFileSync(join(cwd, 'm.ndjson.gz'), packed);
    expect((await cli(sync('m.ndjson.gz', '--url', receiver.url), { cwd })).code).toBe(0);
    expect(receiver.requests).toHaveLength(sent + 1);
  });

  it('refuses an empty list where there were members, unless that is meant', async () => {
    receiver = await startReceiver();
    const cwd = folderWith({ 'm.ndjson': ndjson(['a', 'b']), 'none.ndjson': '' });
    const none = (...more: string[]) =>
      cli(sync('none.ndjson', '--url', receiver.url, ...more), { cwd });
    expect((await none()).code).toBe(0);
    await cli(sync('m.ndjson', '--url', receiver.url), { cwd });
    const refused = await none();
    expect(refused.code).toBe(2);
    expect(refused.stderr).toMatch(
      /none\.ndjson: is empty, and 2 users would leave; .*--allow-empty/,
    );
    expect((await none('--dry-run')).code).toBe(2);
    expect((await none('--allow-empty')).code).toBe(0);
    expect(told(2)).toEqual(['a=false', 'b=false']);
    expect((await none()).code).toBe(0);
  });

  it('sends what failed once more under the same messageId, and names the dead letters', async () => {
    let status = 400;
    receiver = await startReceiver(() => ({ status }));
    const cwd = folderWith({ 'm.ndjson': ndjson(['a']) });
    const failed = await cli(sync('m.ndjson', '--url', receiver.url), { cwd });
    expect(failed.code).toBe(3);
    expect(failed.stderr).toMatch(/user a: failed: .*400/);
    expect(failed.stderr).toMatch(/\.dead-letter\.ndjson; fix .* run the same command again/);
    status = 200;
    const next = await cli(sync('m.ndjson', '--url', receiver.url, '--json'), { cwd });
    expect([next.code, lastLine(next).resent]).toEqual([0, 1]);
    const [first, second] = receiver.json();
    expect(second.messageId).toBe(first.messageId);
    await cli(sync('m.ndjson', '--url', receiver.url), { cwd });
    expect(receiver.requests).toHaveLength(2);
  });

  it('retries what the target could not accept', async () => {
    receiver = await startReceiver((_request, index): ReceiverResponse => {
      return index === 0 ? { status: 503, headers: { 'retry-after': '1' } } : {};
    });
    const cwd = folderWith({ 'm.ndjson': ndjson(['a']) });
    const result = await cli(sync('m.ndjson', '--url', receiver.url, '--json'), { cwd });
    expect([result.code, lastLine(result).retries]).toEqual([0, 1]);
    expect(receiver.requests[1]!.body.equals(receiver.requests[0]!.body)).toBe(true);
  });

  it.each<[string, string[], RegExp]>([
    ['no list', ['audience', 'sync', '--name', 'A'], /--members/],
    ['no name', ['audience', 'sync', '--members', 'm.ndjson'], /--name/],
    [
      'a name without letters',
      sync('m.ndjson', '--name', '!!', '--url', 'http://localhost:1'),
      /must contain a letter or digit/,
    ],
    ['no target', sync('m.ndjson'), /no target/],
    ['a list that is not there', sync('x.ndjson', '--url', 'http://localhost:1'), /no such file/],
    ['CSV without its column', sync('bad.csv', '--url', 'http://localhost:1'), /no column userId/],
    ['no subcommand', ['audience'], /use evfwd audience sync or evfwd audience trait/],
    ['another subcommand', ['audience', 'sinc'], /"sinc" is not a subcommand/],
  ])('is exit 2 with one line for %s', async (_what, args, message) => {
    receiver = await startReceiver();
    const cwd = folderWith({ 'm.ndjson': ndjson(['a']), 'bad.csv': 'user_id\na\n' });
    const { code, stderr } = await cli(args, { cwd });
    expect([code, stderr.trim().split('\n').at(-1)]).toEqual([2, expect.stringMatching(message)]);
  });
});

describe('evfwd audience trait', () => {
  it('sends values that are new or changed, byte for byte', async () => {
    receiver = await startReceiver();
    const values = ['1.0', '1e400', '12345678901234567890', '{ "a":[1 ,2]}', '"x"', 'null'];
    const line = (value: string, i: number): string => `{"userId":"u${i}","value":${value}}\n`;
    const cwd = folderWith({ 'v.ndjson': values.map(line).join('') });
    const run = () => cli(trait('v.ndjson', '--url', receiver.url, '--json'), { cwd });
    expect(lastLine(await run())).toMatchObject({ users: 6, new: 6, changed: 0, delivered: 6 });
    const bodies = receiver.requests.map(({ body }) => body.toString());
    for (const value of values) {
      expect(bodies.some((body) => body.endsWith(`{"last_order_total":${value}}}`))).toBe(true);
    }
    writeFileSync(join(cwd, 'v.ndjson'), line('1', 0) + line('1e400', 1));
    expect(lastLine(await run())).toMatchObject({ users: 2, new: 0, changed: 1, unchanged: 1 });
    expect(receiver.json()[6]).toMatchObject({ userId: 'u0', traits: { last_order_total: 1 } });
    const shown = await cli(trait('w.csv', '--url', receiver.url, '--dry-run'), {
      cwd: folderWith({ 'w.csv': 'userId,value\nu0,12.50\n' }),
    });
    expect(shown.stdout).toBe('u0  12.50\n');
  });

  it('needs a value in each line', async () => {
    receiver = await startReceiver();
    const cwd = folderWith({ 'v.csv': 'userId,value\na,\nb,gold\n' });
    const { code, stderr } = await cli(trait('v.csv', '--url', receiver.url), { cwd });
    expect(code).toBe(3);
    expect(stderr).toMatch(/v\.csv:2: rejected: value is missing/);
    expect(told()).toEqual(['b="gold"']);
  });
});

describe('evfwd audience, interrupted', () => {
  it('resumes after Ctrl-C with the same command before it compares the list', async () => {
    receiver = await startReceiver();
    const cwd = folderWith({ 'm.ndjson': ndjson(names(2_000)) });
    const args = sync('m.ndjson', '--url', receiver.url, '--rate', '500/s');
    const run = watched(start(args, { cwd }));
    await receiver.atLeast(20);
    const locked = await cli(args, { cwd });
    expect([locked.code, locked.stderr]).toEqual([
      2,
      expect.stringMatching(/is running in process/),
    ]);
    const { code, stderr } = await run.stop('SIGINT');
    expect([code, stderr]).toEqual([130, expect.stringMatching(/run the same command again/)]);
    writeFileSync(join(cwd, 'm.ndjson'), ndjson(names(1)));
    const next = await cli(sync('m.ndjson', '--url', receiver.url), { cwd });
    expect(next.code).toBe(0);
    expect(next.stderr).toMatch(/resuming an unfinished run first: 2,000 changes/);
    expect(receiver.requests).toHaveLength(2_000 + 1_999);
    expect(believed(receiver)).toEqual(['u0']);
  });
});
