import {
  appendFileSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { acquireLock } from '../../src/storage/lock.js';
import { openDatabase } from '../../src/storage/sqlite.js';
import { onFullDisk } from '../helpers/cli.js';
import { folderWith } from '../helpers/folder.js';
import { inProcess } from '../helpers/in-process.js';
import { deadLines, event, events, runImport, startImport, summaryOf } from '../helpers/process.js';
import { receiverOfEachTest } from '../helpers/witnessed-receiver.js';

const at = receiverOfEachTest();

const argsOf = (...more: string[]): string[] => ['e', '--url', at.receiver.url, ...more];
const importing = (cwd: string, ...more: string[]) =>
  inProcess(['import', ...argsOf(...more), '--json'], { cwd });

/** The one file of the state folder that ends so. */
function stateFile(cwd: string, end: string): string {
  const name = readdirSync(join(cwd, '.evfwd')).find((file) => file.endsWith(end));
  return join(cwd, '.evfwd', name!);
}

describe('evfwd import and its state', () => {
  it('stops a second process, and takes over from one that was killed', async () => {
    at.statusOf = () => undefined;
    const cwd = folderWith({ e: events(3) });
    const first = startImport(argsOf(), cwd);
    await at.receiver.atLeast(1);
    const second = await importing(cwd);
    expect(second.code).toBe(2);
    expect(second.stderr).toContain(`running in process ${first.child.pid}`);
    await first.stop('SIGKILL');
    at.statusOf = () => 200;
    expect((await importing(cwd)).code).toBe(0);
    expect(at.witness.missing(3)).toEqual([]);
  });

  it('looks at the lock of another process before it opens the files', async () => {
    const cwd = folderWith({ e: events(3) });
    await importing(cwd);
    const lock = acquireLock(stateFile(cwd, '.db').replace(/\.db$/, '.lock'));
    try {
      writeFileSync(join(cwd, 'e'), 'PK\x03\x04 is no event file');
      const second = await importing(cwd);
      expect([second.code, second.stderr]).toEqual([
        2,
        expect.stringContaining('running in process'),
      ]);
    } finally {
      lock.release();
    }
    expect((await importing(cwd)).stderr).toContain('zip');
  });

  it('does not go on with a gzip file of the same size and another time', async () => {
    const whole = events(1_500);
    const cwd = folderWith({ e: gzipSync(whole, { level: 0 }) });
    expect((await importing(cwd)).code).toBe(0);
    const path = join(cwd, 'e');
    const { size, mtime } = statSync(path);
    const edited = gzipSync(whole.replace('"n":1499}', '"n":9499}'), { level: 0 });
    expect(edited).toHaveLength(size);
    writeFileSync(path, edited);
    const later = new Date(mtime.getTime() + 1_000);
    utimesSync(path, later, later);
    const again = await importing(cwd);
    expect(again.code).toBe(2);
    expect(again.stderr).toContain('the last line that was read has changed since');
    expect(at.receiver.requests).toHaveLength(1_500);
  });

  it('keeps its files from the eyes of others', async () => {
    at.statusOf = () => 400;
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
    expect(at.receiver.requests).toHaveLength(9);
    expect((await importing(cwd, '--fresh')).code).toBe(0);
  });

  it.each(['plain', 'gzip'])(
    'does not go on with a file that was edited behind its first 64 KB (%s)',
    async (form) => {
      const whole = events(1_500);
      // Not compressed, so that the beginning of the file stays the same.
      const pack = (text: string) => (form === 'gzip' ? gzipSync(text, { level: 0 }) : text);
      const cwd = folderWith({ e: pack(whole) });
      const run = startImport(argsOf('--rate', '2000/s'), cwd);
      await at.receiver.atLeast(1_000);
      await run.stop('SIGINT');
      const sent = at.receiver.requests.length;
      const edited = whole.replace('"n":800}', '"n":800,"more":1}');
      writeFileSync(join(cwd, 'e'), pack(edited));
      const again = await importing(cwd);
      expect(again.code).toBe(2);
      expect(JSON.parse(again.stderr).error.message).toMatch(
        new RegExp(
          `^e:${sent}: the last line that was read has changed since; restore it, or start over with --fresh$`,
        ),
      );
      expect(at.receiver.requests).toHaveLength(sent);
      writeFileSync(join(cwd, 'e'), pack(whole));
      expect((await importing(cwd)).code).toBe(0);
      expect([at.witness.missing(1_500), at.witness.doubled]).toEqual([[], 0]);
    },
  );

  it.each([
    ['of another version', 'another version', ofOtherVersion],
    ['damaged', 'damaged', damaged],
  ])('does not touch a state that is %s', async (_what, said, change) => {
    const cwd = folderWith({ e: events(3) });
    await importing(cwd);
    await change(stateFile(cwd, '.db'));
    const again = await importing(cwd);
    expect(again.code).toBe(2);
    expect(again.stderr).toContain(said);
    expect(again.stderr).toContain('--fresh');
    expect(at.receiver.requests).toHaveLength(3);
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
    expect(at.receiver.requests).toHaveLength(0);
  });

  it('stops with 6 when its state folder vanishes, and can be run again', async () => {
    const count = 2_000;
    const cwd = folderWith({ e: events(count) });
    const run = startImport(argsOf('--rate', '500/s'), cwd);
    await at.receiver.atLeast(50);
    rmSync(join(cwd, '.evfwd'), { recursive: true });
    const { code, stderr } = await run.ended;
    expect(code).toBe(6);
    expect(stderr).toMatch(/run (it )?again/);
    expect(stderr).not.toMatch(/unexpected|\.js:/);
    expect(at.receiver.requests.length).toBeLessThan(count);
    await importing(cwd);
    expect(at.witness.missing(count)).toEqual([]);
  });

  it('stops with 6 when the disk is full, and completes once there is room', async () => {
    const count = 3_000;
    at.statusOf = () => 400;
    const cwd = folderWith({ e: events(count) });
    const never = ['--stop-after', '100%'];
    const limited = await onFullDisk(400, ['import', ...argsOf(...never)], cwd);
    expect(limited.stderr).toMatch(/cannot be written/);
    expect(limited.stderr).not.toMatch(/unexpected|\.js:/);
    expect(limited.code).toBe(6);
    const last = await importing(cwd, ...never);
    const summary = summaryOf(last);
    expect(last.code).toBe(3);
    expect(summary).toMatchObject({ read: count, pending: 0 });
    expect(summary.failed + summary.earlier.failed).toBe(count);
    expect(deadLines(summary, cwd)).toEqual(Array.from({ length: count }, (_, n) => n + 1));
  });

  it('sends the whole lines of a truncated gzip file, and the rest once it is fixed', async () => {
    const whole = gzipSync(events(3_000));
    const cwd = folderWith({ e: whole.subarray(0, whole.length / 2) });
    const first = await importing(cwd);
    expect(first.code).toBe(3);
    expect(first.stderr).toContain('whole lines');
    const sent = at.witness.accepted.size;
    expect(sent).toBeGreaterThan(0);
    appendFileSync(join(cwd, 'e'), whole.subarray(whole.length / 2));
    expect((await importing(cwd)).code).toBe(0);
    expect(at.witness.missing(3_000)).toEqual([]);
    expect(at.witness.doubled).toBe(0);
  });

  it('refuses a file that is named twice, in any spelling', async () => {
    const cwd = folderWith({ e: event(1) });
    const { code, stderr } = await importing(cwd, './e');
    expect(code).toBe(2);
    expect(stderr).toContain('./e: is duplicated; name each file once');
  });

  it.each([
    ['is a folder', 'folder', 'EISDIR'],
    ['lies in a file', 'e/dead.ndjson', 'E(NOTDIR|EXIST)'],
  ])('sends nothing where --dead-letter %s', async (_what, path, code) => {
    const cwd = folderWith({ e: events(3) });
    mkdirSync(join(cwd, 'folder'));
    const result = await importing(cwd, '--dead-letter', path);
    expect(result.code).toBe(2);
    expect(JSON.parse(result.stderr).error.message).toMatch(
      new RegExp(`^--dead-letter ${path}: cannot be written \\(${code}\\); choose another path$`),
    );
    expect(at.receiver.requests).toEqual([]);
  });

  it('keeps a second import from the same dead-letter file, for as long as the first runs', async () => {
    at.statusOf = () => undefined;
    const cwd = folderWith({ e: events(3), f: 'not json\n' });
    const first = startImport(argsOf('--dead-letter', 'dead.ndjson'), cwd);
    await at.receiver.atLeast(1);
    const other = ['f', '--url', at.receiver.url, '--dead-letter', './dead.ndjson'];
    const second = await runImport(other, cwd);
    expect(second.code).toBe(2);
    expect(second.stderr).toContain(
      `a run with --dead-letter ./dead.ndjson is running in process ${first.child.pid}`,
    );
    await first.stop('SIGKILL');
    expect((await runImport(other, cwd)).code).toBe(3);
    expect(readdirSync(cwd).filter((name) => name.startsWith('dead'))).toEqual(['dead.ndjson']);
  });

  it('does not write dead letters into a file that it reads', async () => {
    const cwd = folderWith({ e: event(1) });
    mkdirSync(join(cwd, 'd'));
    const { code, stderr } = await importing(cwd, '--dead-letter', 'd/../e');
    expect(code).toBe(2);
    expect(stderr).toContain('is one of the input files');
  });
});

async function ofOtherVersion(path: string): Promise<void> {
  const database = await openDatabase(path);
  database.exec('PRAGMA user_version = 999');
  database.close();
}

async function damaged(path: string): Promise<void> {
  await writeFile(path, 'no database '.repeat(1_000));
}
