import {
  appendFileSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { spawn } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openDatabase } from '../../src/ledger/database.js';
import { ended, program } from '../helpers/cli.js';
import { folderWith } from '../helpers/folder.js';
import {
  deadLines,
  event,
  events,
  runImport,
  startImport,
  summaryOf,
  Witness,
} from '../helpers/process.js';
import { startReceiver, type Receiver } from '../helpers/receiver.js';

let receiver: Receiver;
let witness: Witness;
let statusOf: (n: number) => number | undefined;

beforeEach(async () => {
  witness = new Witness();
  statusOf = () => 200;
  receiver = await startReceiver(witness.answering(([n]) => statusOf(n!)));
});
afterEach(() => receiver.close());

const argsOf = (...more: string[]): string[] => ['e', '--url', receiver.url, ...more];
const importing = (cwd: string, ...more: string[]) => runImport(argsOf(...more), cwd);

/** The one file of the state folder that ends so. */
function stateFile(cwd: string, end: string): string {
  const name = readdirSync(join(cwd, '.evfwd')).find((file) => file.endsWith(end));
  return join(cwd, '.evfwd', name!);
}

describe('evfwd import and its state', () => {
  it('stops a second process, and takes over from one that was killed', async () => {
    statusOf = () => undefined;
    const cwd = folderWith({ e: events(3) });
    const first = startImport(argsOf(), cwd);
    await receiver.atLeast(1);
    const second = await importing(cwd);
    expect(second.code).toBe(2);
    expect(second.stderr).toContain(`running in process ${first.child.pid}`);
    await first.stop('SIGKILL');
    statusOf = () => 200;
    expect((await importing(cwd)).code).toBe(0);
    expect(witness.missing(3)).toEqual([]);
  });

  it('keeps its files from the eyes of others', async () => {
    statusOf = () => 400;
    const cwd = folderWith({ e: events(2) });
    await importing(cwd);
    const files = readdirSync(join(cwd, '.evfwd'));
    expect(files.length).toBeGreaterThan(1);
    for (const file of files) expect(statSync(join(cwd, '.evfwd', file)).mode & 0o077).toBe(0);
    expect(statSync(join(cwd, '.evfwd')).mode & 0o077).toBe(0);
  });

  it.each([
    ['has shrunk', (path: string) => truncateSync(path, events(2).length), 'has shrunk'],
    ['begins otherwise', (path: string) => writeFileSync(path, events(9, 1)), 'has changed'],
    [
      'was replaced',
      (path: string) => {
        writeFileSync(`${path}.new`, events(900, 7));
        renameSync(`${path}.new`, path);
      },
      'has changed',
    ],
  ])('does not go on with a file that %s', async (_what, change, said) => {
    const cwd = folderWith({ e: events(9) });
    await importing(cwd);
    change(join(cwd, 'e'));
    const again = await importing(cwd);
    expect(again.code).toBe(2);
    expect(JSON.parse(again.stderr).error.message).toMatch(
      new RegExp(`^e: .*${said}.*; restore it, or start over with --fresh$`),
    );
    expect(receiver.requests).toHaveLength(9);
    expect((await importing(cwd, '--fresh')).code).toBe(0);
  });

  it.each([
    ['of a newer version', 'newer evfwd', newer],
    ['damaged', 'damaged', damaged],
  ])('does not touch a state that is %s', async (_what, said, change) => {
    const cwd = folderWith({ e: events(3) });
    await importing(cwd);
    await change(stateFile(cwd, '.db'));
    const again = await importing(cwd);
    expect(again.code).toBe(2);
    expect(again.stderr).toContain(said);
    expect(again.stderr).toContain('--fresh');
    expect(receiver.requests).toHaveLength(3);
    expect((await importing(cwd, '--fresh')).code).toBe(0);
  });

  it.each([
    ['below a file', 'e/state'],
    ['where nothing can be made', '/proc/evfwd'],
  ])('ends with 6 and sends nothing with a state folder %s', async (_where, folder) => {
    const cwd = folderWith({ e: events(3) });
    const { code, stderr } = await importing(cwd, '--state-dir', folder);
    expect(code).toBe(6);
    expect(stderr.trim().split('\n')).toHaveLength(1);
    expect(stderr).toContain('--state-dir');
    expect(receiver.requests).toHaveLength(0);
  });

  it('stops with 6 when its state folder vanishes, and can be run again', async () => {
    const count = 2_000;
    const cwd = folderWith({ e: events(count) });
    const run = startImport(argsOf('--rate', '500/s'), cwd);
    await receiver.atLeast(50);
    rmSync(join(cwd, '.evfwd'), { recursive: true });
    const { code, stderr } = await run.ended;
    expect(code).toBe(6);
    expect(stderr).toMatch(/run (it )?again/);
    expect(stderr).not.toMatch(/unexpected|\.js:/);
    expect(receiver.requests.length).toBeLessThan(count);
    await importing(cwd);
    expect(witness.missing(count)).toEqual([]);
  });

  it('stops with 6 when the disk is full, and completes once there is room', async () => {
    const count = 3_000;
    statusOf = () => 400;
    const cwd = folderWith({ e: events(count) });
    const limited = await limitedTo(400, ['import', ...argsOf()], cwd);
    expect(limited.stderr).toMatch(/cannot be written/);
    expect(limited.stderr).not.toMatch(/unexpected|\.js:/);
    expect(limited.code).toBe(6);
    const last = await importing(cwd);
    const summary = summaryOf(last);
    expect(last.code).toBe(3);
    expect(summary).toMatchObject({ read: count, failed: count, pending: 0 });
    expect(deadLines(summary, cwd)).toEqual(Array.from({ length: count }, (_, n) => n + 1));
  });

  it('sends the whole lines of a gzip file that breaks off, and the rest once it is mended', async () => {
    const whole = gzipSync(events(3_000));
    const cwd = folderWith({ e: whole.subarray(0, whole.length / 2) });
    const first = await importing(cwd);
    expect(first.code).toBe(3);
    expect(first.stderr).toContain('whole lines');
    const sent = witness.taken.size;
    expect(sent).toBeGreaterThan(0);
    appendFileSync(join(cwd, 'e'), whole.subarray(whole.length / 2));
    expect((await importing(cwd)).code).toBe(0);
    expect(witness.missing(3_000)).toEqual([]);
    expect(witness.doubled).toBe(0);
  });

  it('takes no file twice, whatever it is called', async () => {
    const cwd = folderWith({ e: event(1) });
    const { code, stderr } = await importing(cwd, './e');
    expect(code).toBe(2);
    expect(stderr).toContain('./e: is named twice; name each file once');
  });

  it('does not write dead letters into a file that it reads', async () => {
    const cwd = folderWith({ e: event(1) });
    mkdirSync(join(cwd, 'd'));
    const { code, stderr } = await importing(cwd, '--dead-letter', 'd/../e');
    expect(code).toBe(2);
    expect(stderr).toContain('is one of the files to import');
  });
});

async function newer(path: string): Promise<void> {
  const database = await openDatabase(path);
  database.exec('PRAGMA user_version = 999');
  database.close();
}

async function damaged(path: string): Promise<void> {
  await writeFile(path, 'no database '.repeat(1_000));
}

/** Runs the program with files of at most so many KiB; what exceeds that fails as on a full disk. */
async function limitedTo(kibibytes: number, args: string[], cwd: string) {
  const script = `trap '' XFSZ; ulimit -f ${kibibytes}; exec "$@"`;
  return ended(spawn('bash', ['-c', script, 'bash', process.execPath, program, ...args], { cwd }));
}
