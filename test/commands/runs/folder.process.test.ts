import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { describe, expect, it, onTestFinished } from 'vitest';
import { folderWith } from '../../helpers/folder.js';
import { inProcess } from '../../helpers/in-process.js';
import { event, events, startImport } from '../../helpers/process.js';
import { startReceiver, type Receiver } from '../../helpers/receiver.js';
import { captureText } from '../../replay/captures.js';

/** A folder with these files, and a receiver that refuses the events whose text has `refused`. */
async function setUp(files: Record<string, string>): Promise<{ cwd: string; url: string }> {
  const { url } = await receiverOf(({ body }) => ({
    status: body.includes('refused') ? 400 : 200,
  }));
  return { cwd: folderWith(files), url };
}

async function receiverOf(responder: Parameters<typeof startReceiver>[0]): Promise<Receiver> {
  const receiver = await startReceiver(responder);
  onTestFinished(() => receiver.close());
  return receiver;
}

function inFolder(cwd: string, ...args: string[]) {
  return inProcess(args, { cwd });
}

interface Line {
  readonly id: string;
  readonly state: string;
  readonly next: string[];
}

async function linesOf(cwd: string, ...flags: string[]): Promise<Line[]> {
  const { stdout } = await inFolder(cwd, 'runs', '--json', ...flags);
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);
}

/** What `runs` prints, with `<id>` for the id of the only run, and `<age>`. */
async function textOf(cwd: string): Promise<string[]> {
  const [line, ...more] = await linesOf(cwd);
  expect(more).toEqual([]);
  const { code, stdout, stderr } = await inFolder(cwd, 'runs');
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const text = stdout.replaceAll(line!.id, '<id>').replace(/\d+ (?:s|min)(?= ago|$)/m, '<age>');
  return text.trimEnd().split('\n');
}

/** The content of all files of the state. */
function contentOf(cwd: string): Record<string, string> {
  const folder = join(cwd, '.evfwd');
  return Object.fromEntries(
    readdirSync(folder)
      .sort()
      .map((name) => [
        name,
        createHash('sha256')
          .update(readFileSync(join(folder, name)))
          .digest('hex'),
      ]),
  );
}

function stateFileIn(cwd: string): string {
  return join(
    cwd,
    '.evfwd',
    readdirSync(join(cwd, '.evfwd')).find((name) => name.endsWith('.db'))!,
  );
}

const env = { EVFWD_SECRET: 'secret' };
const refused = `${event(1)}\n${event(2).replace('"E"', '"refused"')}\nno event\n`;
describe('evfwd runs without a server', () => {
  it.each<[what: string, command: string, text: (url: string) => string[]]>([
    [
      'a finished import',
      'import good.ndjson --url URL',
      () => ['<id>  finished <age> ago', '  import of good.ndjson', '  3 delivered, 0 failed'],
    ],
    [
      'an import that did not read everything',
      'import good.ndjson --url URL --limit 1',
      () => [
        '<id>  interrupted <age> ago',
        '  import of good.ndjson',
        '  1 delivered, 0 failed, 0 pending and what is unread',
        '  continue it, with the same target and options:',
        '    evfwd import good.ndjson --url …',
      ],
    ],
    [
      'dead letters, with their target',
      'import refused.ndjson --url URL?key=hunter2',
      (url) => [
        '<id>  finished <age> ago',
        `  import of refused.ndjson to ${url}`,
        '  1 delivered, 1 rejected, 1 failed',
        '  2 dead letters; send again, with the same target and options:',
        '    evfwd import .evfwd/<id>.dead-letter.ndjson --url …',
      ],
    ],
    [
      'dead letters that are elsewhere',
      'import refused.ndjson --url URL --dead-letter other.ndjson',
      () => [
        '<id>  finished <age> ago',
        '  import of refused.ndjson',
        '  1 delivered, 1 rejected, 1 failed',
        '  its dead letters are not here: see the file of its --dead-letter',
      ],
    ],
    [
      'dead letters of standard input, which has no state',
      'import - --url URL',
      () => [
        '<id>  dead letters only, last changed <age> ago',
        '  2 dead letters; send again, with the same target and options:',
        '    evfwd import .evfwd/<id>.dead-letter.ndjson --url …',
      ],
    ],
    [
      'a replay',
      'replay captures.ndjson --url URL',
      (url) => [
        '<id>  finished <age> ago',
        `  replay of captures.ndjson to ${url}`,
        '  0 delivered, 1 failed',
        '  1 dead letter; send again, with the same target and options:',
        '    evfwd replay .evfwd/<id>.dead-letter.ndjson --url …',
      ],
    ],
    [
      'an import of a file with the name of a replay',
      'import replay-1.ndjson --url URL',
      () => ['<id>  finished <age> ago', '  import of replay-1.ndjson', '  1 delivered, 0 failed'],
    ],
    [
      'an audience, by its users',
      'audience sync --name VIP --members members.csv --url URL',
      () => ['<id>  finished <age> ago', '  audience', '  2 delivered, 0 failed'],
    ],
  ])('shows %s', async (_what, command, text) => {
    const { cwd, url } = await setUp({
      ...{ 'good.ndjson': events(3), 'refused.ndjson': refused, 'members.csv': 'userId\na\nb\n' },
      ...{ 'captures.ndjson': captureText({ body: 'refused' }), 'replay-1.ndjson': events(1) },
    });
    const words = command.replace('URL', url).split(' ');
    await inProcess(words, { cwd, stdin: refused, env });
    expect(await textOf(cwd)).toEqual(text(url));
  });

  it('says where there is none, and lists an empty folder as no line', async () => {
    const cwd = folderWith();
    expect(await inFolder(cwd, 'runs')).toMatchObject({
      ...{ code: 0, stdout: '' },
      stderr:
        'no runs in .evfwd, and no --store; start one with: evfwd import history.ndjson --url https://example.com/hook\n',
    });
    expect(await inFolder(cwd, 'runs', 'list', '--json', '-q')).toMatchObject({
      ...{ code: 0, stdout: '', stderr: '' },
    });
  });

  it('lists the runs of another folder, with EVFWD_STORE as well, the last changed first', async () => {
    const { cwd, url } = await setUp({ 'a.ndjson': events(3), 'b.ndjson': events(2) });
    for (const file of ['a.ndjson', 'b.ndjson']) {
      const args = ['import', file, '--url', url, '--state-dir', 'state', '--limit', '1'];
      await inProcess(args, { cwd, env });
    }
    const withQueue = { cwd, env: { EVFWD_STORE: 'postgres://127.0.0.1:1/db' } };
    const { code, stdout } = await inProcess(['runs', '--state-dir', 'state'], withQueue);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^b-.*\n[^]*\n\na-/);
    expect(stdout).toContain('  evfwd import a.ndjson --state-dir state --url …\n');
  });

  it('shows a run that is at work, and continues it when it was killed; its state stays as it is', async () => {
    const hanging = await receiverOf(() => undefined);
    const cwd = folderWith({ 'a.ndjson': events(200) });
    const shard = ['--shard', '1/2', '--ordered', '--threads', '1'];
    const args = ['a.ndjson', '--url', hanging.url, '--secret', 's', ...shard];
    const { stop } = startImport(args, cwd);
    await hanging.atLeast(1);
    const [running] = await linesOf(cwd);
    expect(running).toMatchObject({ state: 'running', next: [] });
    const text = await inFolder(cwd, 'runs');
    expect(text.stdout).toMatch(/^a-\w+-shard-1-of-2-ordered {2}running for \d+ s\n/);
    const refusal = await inFolder(cwd, 'runs', 'remove', 'a', '--force');
    expect(refusal.code).toBe(2);
    expect(refusal.stderr).toMatch(
      /^evfwd: a-.* is running in process \d+; wait for it, or stop it\n/,
    );
    await stop('SIGKILL');
    const before = contentOf(cwd);
    const [killed] = await linesOf(cwd);
    expect(killed).toMatchObject({
      id: running!.id,
      state: 'interrupted',
      next: ['evfwd import a.ndjson --url … --shard 1/2 --ordered'],
    });
    expect(contentOf(cwd)).toEqual(before);
  });

  it('knows dead letters that a later run has sent', async () => {
    const { cwd, url } = await setUp({ 'a.ndjson': refused.replace('no event\n', '') });
    const open = await receiverOf(() => ({ status: 200 }));
    await inProcess(['import', 'a.ndjson', '--url', url], { cwd, env });
    const [first] = await linesOf(cwd);
    const file = `.evfwd/${first!.id}.dead-letter.ndjson`;
    expect(first!.next).toEqual([`evfwd import ${file} --url …`]);
    await inProcess(['import', file, '--url', open.url], { cwd, env });
    const lines = await linesOf(cwd);
    expect(lines.find(({ id }) => id === first!.id)).toMatchObject({
      next: [],
      deadLetters: { file, lines: 1, url, isSent: true },
    });
    const { stdout } = await inFolder(cwd, 'runs');
    expect(stdout).toContain(`  1 dead letter in ${file}, sent again by a later run\n`);
    expect(await inFolder(cwd, 'runs', 'remove', '--finished')).toMatchObject({ code: 0 });
    expect(readdirSync(join(cwd, '.evfwd'))).toEqual([]);
  });

  it.each<[what: string, harm: (path: string) => void, reason: RegExp]>([
    [
      'is damaged',
      (path) => writeFileSync(path, 'no database, but a text that is long enough'.repeat(9)),
      /: this state file is damaged; restore it, or start over with --fresh$/,
    ],
    [
      'is of another version',
      (path) => changeDatabase(path, 'PRAGMA user_version = 4'),
      /: was created by another version of evfwd \(state version 4, .*\); use that one, or .*--fresh$/,
    ],
    [
      'has progress that cannot be read',
      (path) => changeDatabase(path, "UPDATE progress SET open = '['"),
      /: this state file is damaged; /,
    ],
  ])('says why it cannot read a state that %s, and removes it only by force', async (...row) => {
    const [, harm, reason] = row;
    const { cwd, url } = await setUp({ 'a.ndjson': events(3) });
    await inProcess(['import', 'a.ndjson', '--url', url], { cwd, env });
    harm(stateFileIn(cwd));
    const [line] = await linesOf(cwd);
    expect(line).toMatchObject({ state: 'unreadable', next: [] });
    const [title, text, ...more] = await textOf(cwd);
    expect(title).toBe('<id>  unreadable, last changed <age> ago');
    expect(text).toMatch(/^ {2}\.evfwd\/<id>\.db: /);
    expect(text).toMatch(reason);
    expect(more).toEqual([]);
    const refusal = await inFolder(cwd, 'runs', 'remove', line!.id);
    expect(refusal).toMatchObject({
      code: 2,
      stderr: `evfwd: cannot remove ${line!.id}: its state cannot be read; evfwd runs says what to do, and --force removes it anyway\n`,
    });
    expect(await inFolder(cwd, 'runs', 'remove', line!.id, '--force')).toMatchObject({ code: 0 });
    expect(readdirSync(join(cwd, '.evfwd'))).toEqual([]);
  });
});

function changeDatabase(path: string, sql: string): void {
  const database = new DatabaseSync(path);
  database.exec(sql);
  database.close();
}

describe('evfwd runs remove without a server', () => {
  /** A folder with a finished import, one that is not, one with dead letters, and an audience. */
  async function fourRuns(): Promise<{ cwd: string; ids: Record<string, string> }> {
    const { cwd, url } = await setUp({
      ...{ 'done.ndjson': events(3), 'part.ndjson': events(3), 'bad.ndjson': refused },
      'members.csv': 'userId\na\n',
    });
    for (const command of [
      'import done.ndjson',
      'import part.ndjson --limit 1',
      'import bad.ndjson',
      'audience sync --name vip --members members.csv',
    ]) {
      await inProcess([...command.split(' '), '--url', url], { cwd, env });
    }
    const lines = await linesOf(cwd);
    const entries = lines.map(({ id }) => [/^[a-z]+/.exec(id)![0], id]);
    return { cwd, ids: Object.fromEntries(entries) as Record<string, string> };
  }

  it('removes finished runs by the beginning of their ids, and says what goes', async () => {
    const { cwd, ids } = await fourRuns();
    const { code, stdout, stderr } = await inFolder(cwd, 'runs', 'remove', 'do', 'audience-');
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
    expect(stderr.split('\n')).toEqual([
      `removing ${ids.done}: its state; the same command will send everything again`,
      `removing ${ids.audience}: its state; the same command will send everything again`,
      '',
    ]);
    expect(await linesOf(cwd)).toHaveLength(2);
  });

  it('removes all that are finished with --finished, but no audience', async () => {
    const { cwd, ids } = await fourRuns();
    const { code, stdout } = await inFolder(cwd, 'runs', 'remove', '--finished', '--json');
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ type: 'run', id: ids.done, state: 'finished' });
    const left = (await linesOf(cwd)).map(({ id }) => id).sort();
    expect(left).toEqual([ids.audience, ids.bad, ids.part]);
    const again = await inFolder(cwd, 'runs', 'remove', '--finished');
    expect(again.stderr).toBe('no finished runs without dead letters in .evfwd\n');
  });

  it.each<[args: string[], message: (ids: Record<string, string>) => string]>([
    [
      ['done', 'part'],
      ({ part }) =>
        `cannot remove ${part}: it was interrupted, 0 events pending; evfwd runs says what to do, and --force removes it anyway`,
    ],
    [
      ['bad'],
      ({ bad }) =>
        `cannot remove ${bad}: 2 dead letters of it not sent; evfwd runs says what to do, and --force removes it anyway`,
    ],
    [['x'], () => 'no run has an id that begins with "x"; evfwd runs lists the ids'],
    [[''], () => '<id> is empty; evfwd runs lists the ids'],
    [[], () => '<id> is missing: use ids of runs, which evfwd runs lists, or --finished'],
    [['done', '--finished'], () => 'use ids or --finished, not both'],
    [
      ['done', '--store', 'postgres://127.0.0.1:1/db', '--force'],
      () => '--force is for the runs of a folder, --store for those of a store; use one of them',
    ],
  ])('refuses %j, and removes nothing', async (args, message) => {
    const { cwd, ids } = await fourRuns();
    const before = contentOf(cwd);
    const refusal = await inFolder(cwd, 'runs', 'remove', ...args);
    expect(refusal).toEqual({
      ...{ code: 2, signal: null, stdout: '' },
      stderr: `evfwd: ${message(ids)}\n`,
    });
    expect(contentOf(cwd)).toEqual(before);
  });

  it('removes what is pending and dead letters with --force', async () => {
    const { cwd, ids } = await fourRuns();
    const { stderr } = await inFolder(cwd, 'runs', 'remove', 'part', 'bad', '--force');
    expect(stderr).toContain(`removing ${ids.bad}: its state and 2 dead letters; `);
    expect(Object.keys(contentOf(cwd)).sort()).toEqual([`${ids.audience}.db`, `${ids.done}.db`]);
  });

  it('says what it cannot remove', async () => {
    const { cwd, ids } = await fourRuns();
    const path = join('.evfwd', `${ids.done}.db`);
    rmSync(join(cwd, path));
    mkdirSync(join(cwd, path));
    const [title, reason] = (await inFolder(cwd, 'runs')).stdout.split('\n');
    expect(title).toMatch(/^done-\w+ {2}unreadable, /);
    expect(reason).toBe(`  ${path}: is a directory, not a file`);
    expect(await inFolder(cwd, 'runs', 'remove', 'done', '--force')).toMatchObject({
      code: 6,
      stderr: expect.stringContaining(
        `\nevfwd: ${path}: cannot be removed (ERR_FS_EISDIR); remove it yourself\n`,
      ) as string,
    });
  });
});
