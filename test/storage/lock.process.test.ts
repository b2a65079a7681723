import { spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import {
  existsSync,
  readdirSync,
  readFileSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { StateError, UsageError } from '../../src/errors.js';
import { stateOfService } from '../../src/serve/store/sqlite/schema.js';
import { acquireLock, isHeld, type LockOptions } from '../../src/storage/lock.js';
import { onFullDisk } from '../helpers/cli.js';
import { folderWith } from '../helpers/folder.js';

const children: ChildProcess[] = [];

afterEach(() => {
  vi.restoreAllMocks();
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

/** An idle process. */
function startProcess(): ChildProcess & { pid: number } {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1e6)'], { stdio: 'ignore' });
  children.push(child);
  return child as ChildProcess & { pid: number };
}

async function end(child: ChildProcess): Promise<void> {
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGKILL');
  await ended;
}

function lockOf(pid: number, startedAt = '', uid?: number): string {
  return JSON.stringify({ pid, startedAt, uid });
}

function ownerIn(path: string): number {
  return (JSON.parse(readFileSync(path, 'utf8')) as { pid: number }).pid;
}

describe('a lock', () => {
  it('is a file, created with its folder, until it is released', () => {
    const path = join(folderWith(), 'a', 'b', 'x.lock');
    const lock = acquireLock(path);
    expect([ownerIn(path), statSync(path).mode & 0o777]).toEqual([process.pid, 0o600]);
    expect(statSync(join(path, '..')).mode & 0o777).toBe(0o700);
    lock.release();
    expect(existsSync(path)).toBe(false);
    acquireLock(path).release();
    lock.release();
  });

  it('of a running process is respected, and its pid is in the error', () => {
    const { pid } = startProcess();
    const path = join(folderWith({ lock: lockOf(pid) }), 'lock');
    const take = () => acquireLock(path);
    expect(take).toThrow(UsageError);
    expect(take).toThrow(`this import is running in process ${pid}; wait for it, or stop it`);
    expect(ownerIn(path)).toBe(pid);
  });

  it('that this process has cannot be acquired twice', () => {
    const path = join(folderWith(), 'lock');
    const lock = acquireLock(path);
    expect(() => acquireLock(path)).toThrow(`is running in process ${process.pid}`);
    lock.release();
  });

  it('of a process that died is taken over', async () => {
    const child = startProcess();
    await end(child);
    const path = join(folderWith({ lock: lockOf(child.pid) }), 'lock');
    const lock = acquireLock(path);
    expect(ownerIn(path)).toBe(process.pid);
    lock.release();
  });

  it.skipIf(!existsSync('/proc/self/stat'))(
    'of a process that was killed is taken over before its parent has noticed',
    async () => {
      // The shell becomes a program that does not ask for the end of its child.
      const parent = spawn('sh', ['-c', 'sleep 99 & echo $!; exec sleep 99']);
      children.push(parent);
      const [text] = (await once(parent.stdout, 'data')) as [Buffer];
      const pid = Number(text.toString());
      const path = join(folderWith({ lock: lockOf(pid) }), 'lock');
      expect(() => acquireLock(path)).toThrow(`is running in process ${pid}`);
      process.kill(pid, 'SIGKILL');
      await expect.poll(() => isHeld(path)).toBe(false);
      expect(readFileSync(`/proc/${pid}/stat`, 'utf8')).toContain(') Z ');
      acquireLock(path).release();
    },
  );

  it.skipIf(!existsSync('/proc/self/stat'))(
    'whose pid now belongs to another process, with another start time, is taken over',
    () => {
      const { pid } = startProcess();
      const path = join(folderWith({ lock: lockOf(pid, '1') }), 'lock');
      acquireLock(path).release();
      const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
        .replace(/^.*\) /s, '')
        .split(' ');
      writeFileSync(path, lockOf(pid, fields[19]));
      expect(() => acquireLock(path)).toThrow(`is running in process ${pid}`);
    },
  );

  describe('whose pid now belongs to a process of another user', () => {
    const refuseSignals = () =>
      vi.spyOn(process, 'kill').mockImplementation(() => {
        throw Object.assign(new Error('EPERM'), { code: 'EPERM' });
      });
    const own = process.getuid?.() ?? 0;

    it.skipIf(!process.getuid)(
      'is taken over where its start time is hidden and the owner had our uid',
      async () => {
        const child = startProcess();
        await end(child);
        const path = join(folderWith({ lock: lockOf(child.pid, '1', own) }), 'lock');
        refuseSignals();
        acquireLock(path).release();
        expect(existsSync(path)).toBe(false);
      },
    );

    it.each([undefined, own + 1])(
      "is respected where its start time is hidden and the owner's uid is %s",
      async (uid) => {
        const child = startProcess();
        await end(child);
        const path = join(folderWith({ lock: lockOf(child.pid, '1', uid) }), 'lock');
        refuseSignals();
        expect(() => acquireLock(path)).toThrow(`is running in process ${child.pid}`);
      },
    );

    it.skipIf(!existsSync('/proc/self/stat'))('with another start time is taken over', () => {
      const { pid } = startProcess();
      const path = join(folderWith({ lock: lockOf(pid, '1', own + 1) }), 'lock');
      refuseSignals();
      acquireLock(path).release();
      expect(existsSync(path)).toBe(false);
    });
  });

  it.each(['', '{', 'null', '5', '{}', '[]', '{"pid":-1}', '{"pid":"x"}', '\0\0\0'])(
    'with the content %j, left by a crash, is taken over',
    (content) => {
      const path = join(folderWith({ lock: content }), 'lock');
      acquireLock(path).release();
      expect(existsSync(path)).toBe(false);
    },
  );

  it('that another process is taking over is refused with the name of the lock', async () => {
    const child = startProcess();
    const { pid } = startProcess();
    await end(child);
    const folder = folderWith({ lock: lockOf(child.pid), 'lock.takeover': lockOf(pid) });
    const path = join(folder, 'lock');
    expect(() => acquireLock(path)).toThrow(
      `a takeover of ${path} is running in process ${pid}; wait`,
    );
  });

  it.each(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'EMLINK'])(
    'is written if hard links fail with %s',
    (code) => {
      const link = () => {
        throw Object.assign(new Error(code), { code });
      };
      const folder = folderWith();
      const path = join(folder, 'lock');
      const lock = acquireLock(path, undefined, { link });
      expect([ownerIn(path), statSync(path).mode & 0o777]).toEqual([process.pid, 0o600]);
      expect(() => acquireLock(path, undefined, { link })).toThrow(
        `this import is running in process ${process.pid}`,
      );
      lock.release();
      writeFileSync(path, '');
      acquireLock(path, undefined, { link }).release();
      expect(readdirSync(folder)).toEqual([]);
    },
  );

  it('that cannot be linked for another reason is an error of the state', () => {
    const link = () => {
      throw Object.assign(new Error('EIO'), { code: 'EIO' });
    };
    expect(() => acquireLock(join(folderWith(), 'lock'), undefined, { link })).toThrow(StateError);
  });

  it.each(['ENOSPC', 'EDQUOT'])('on a full disk (%s) says where to free space', (code) => {
    const link = () => {
      throw Object.assign(new Error(code), { code });
    };
    const folder = folderWith();
    const full = `${folder}: the state cannot be written, because the disk is full; free space there`;
    const take = (options: LockOptions) => () => acquireLock(join(folder, 'lock'), 'it', options);
    expect(take({ link })).toThrow(new StateError(`${full}, then run again`));
    const { advice } = stateOfService;
    expect(take({ link, full: advice.full })).toThrow(
      new StateError(`${full}; events that were accepted are kept there`),
    );
    expect(readdirSync(folder)).toEqual([]);
  });

  it('removes the owner files of processes that died acquiring it, and nothing else', async () => {
    const child = startProcess();
    const { pid } = startProcess();
    await end(child);
    const kept = {
      [`lock.${randomUUID()}`]: lockOf(pid),
      // It may still be being written.
      [`lock.${randomUUID()}`]: '',
      [`other.${randomUUID()}`]: lockOf(child.pid),
      'lock.bak': lockOf(child.pid),
    };
    const old = `lock.${randomUUID()}`;
    const folder = folderWith({ ...kept, [`lock.${randomUUID()}`]: lockOf(child.pid), [old]: '' });
    const longAgo = Date.now() / 1000 - 90;
    utimesSync(join(folder, old), longAgo, longAgo);
    acquireLock(join(folder, 'lock')).release();
    expect(readdirSync(folder).sort()).toEqual(Object.keys(kept).sort());
  });

  it('leaves nothing when it cannot be written, as on a full disk', async () => {
    const cwd = folderWith({ e: '{"type":"track","event":"E","userId":"u"}\n' });
    const args = [
      'import',
      'e',
      '--url',
      'http://127.0.0.1:1',
      '--secret',
      's',
      '--state-dir',
      '.',
    ];
    const { code, stderr } = await onFullDisk(0, args, cwd);
    expect(stderr).toContain('the state cannot be written (EFBIG)');
    expect(code).toBe(6);
    expect(readdirSync(cwd)).toEqual(['e']);
  });

  it('that cannot be written is an error of the state', () => {
    const folder = folderWith({ file: '' });
    const take = () => acquireLock(join(folder, 'file', 'lock'));
    expect(take).toThrow(StateError);
    expect(take).toThrow(/the state cannot be written \(E\w+\); .*--state-dir$/);
  });
});
