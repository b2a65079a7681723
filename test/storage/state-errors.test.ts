import { describe, expect, it } from 'vitest';
import { EvfwdError, StateError, UsageError } from '../../src/errors.js';
import { stateOfRun } from '../../src/ledger/state-use.js';
import { stateOfService } from '../../src/serve/store/sqlite/schema.js';
import { explained, otherVersion } from '../../src/storage/state-errors.js';

const layout = { version: 1, schema: '' };
const ofImport = stateOfRun('import', layout).advice;
const ofAudience = stateOfRun('audience', layout).advice;
const ofService = stateOfService.advice;

/** As SQLite throws it; extended result codes have more in their upper bits. */
const sqlite = (errcode: number, message = 'SQLite says so') =>
  Object.assign(new Error(message), { code: 'ERR_SQLITE_ERROR', errcode });
const withoutCode = (message: string) =>
  Object.assign(new Error(message), { code: 'ERR_SQLITE_ERROR' });
const ofSystem = (code: string) =>
  Object.assign(new Error('no'), { code, syscall: 'open', errno: -1 });

describe('an error of a state file has advice', () => {
  it.each([
    ['damaged', sqlite(11), 'state_damaged', 'this state file is damaged; restore it'],
    ['no database', sqlite(26), 'state_damaged', 'this state file is damaged; restore it'],
    ['malformed', withoutCode('disk image is malformed'), 'state_damaged', 'this state file'],
    ['in use', sqlite(5), 'locked', 'is in use by another process; wait for it'],
    ['in use, extended', sqlite(5 | (2 << 8)), 'locked', 'is in use by another process; wait'],
  ])('%s', (_what, cause, code, text) => {
    const error = explained(cause, 'a.db', ofImport);
    expect(error).toBeInstanceOf(UsageError);
    expect(error).toMatchObject({ code, cause, message: expect.stringContaining(`a.db: ${text}`) });
  });

  it.each([
    ['a disk that fails', sqlite(10, 'disk I/O error'), 'disk I/O error'],
    ['a query of the package', withoutCode('disk I/O error'), 'disk I/O error'],
    ['the file system', ofSystem('EACCES'), 'EACCES'],
  ])('%s', (_what, cause, reason) => {
    const error = explained(cause, 'a.db', ofImport);
    expect(error).toBeInstanceOf(StateError);
    expect(error).toMatchObject({
      cause,
      message: `a.db: the state cannot be written (${reason}); make room or make it writable, then run again`,
    });
  });

  it.each([
    ['of the database', sqlite(13, 'database or disk is full')],
    ['of the file system', ofSystem('ENOSPC')],
    ['of a quota', ofSystem('EDQUOT')],
  ])('a full disk: an error %s', (_what, cause) => {
    const error = explained(cause, 'state/a.db', ofImport);
    expect(error).toBeInstanceOf(StateError);
    expect(error).toMatchObject({
      cause,
      message:
        'state: the state cannot be written, because the disk is full; free space there, then run again',
    });
  });

  it('unless the program itself has thrown it, or it is a defect', () => {
    for (const error of [new UsageError('no'), new TypeError('x is not a function')]) {
      expect(explained(error, 'a.db', ofImport)).toBe(error);
    }
  });
});

describe('the advice', () => {
  it.each(['EMFILE', 'ENFILE'])('for too many open files (%s) is a higher limit', (code) => {
    expect((explained(ofSystem(code), 'state/a.db', ofImport) as EvfwdError).message).toBe(
      `state: the state cannot be written, since too many files are open (${code}); raise their limit (ulimit -n)`,
    );
  });

  const messagesWith = (advice: typeof ofImport): string[] => {
    const errors = [sqlite(11), sqlite(5), ofSystem('EIO'), ofSystem('ENOSPC')].map((cause) =>
      explained(cause, 'state/a.db', advice),
    );
    const all = [...errors, otherVersion('state/a.db', 9, 2, advice)] as EvfwdError[];
    return [...all.map(({ message }) => message), `was removed ${advice.removed}`];
  };

  it.each([
    ['import', ofImport],
    ['audience', ofAudience],
  ])('of %s is to run again', (job, advice) => {
    expect(messagesWith(advice)).toEqual([
      'state/a.db: this state file is damaged; restore it, or start over with --fresh',
      'state/a.db: is in use by another process; wait for it',
      'state/a.db: the state cannot be written (EIO); make room or make it writable, then run again',
      'state: the state cannot be written, because the disk is full; free space there, then run again',
      'state/a.db: was created by another version of evfwd (state version 9, this one supports 2); use that one, or start over with --fresh',
      `was removed while the ${job} ran; run it again`,
    ]);
  });

  it('of serve is to start again', () => {
    expect(messagesWith(ofService)).toEqual([
      'state/a.db: this state file is damaged; restore it from a backup, or move it away',
      'state/a.db: is in use by another process; stop that one first',
      'state/a.db: the state cannot be written (EIO); make room or make it writable',
      'state: the state cannot be written, because the disk is full; free space there; events that were accepted are kept there',
      'state/a.db: was created by another version of evfwd (state version 9, this one supports 2); use that one, or choose another place with --state-dir',
      'was removed while the service ran; start it again',
    ]);
  });
});
