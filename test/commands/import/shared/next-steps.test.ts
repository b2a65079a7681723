import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { nextSteps } from '../../../../src/commands/import/shared/next-steps.js';
import type { TypedFlag } from '../../../../src/commands/flags/flag.js';
import { storeFlags } from '../../../../src/commands/flags/store.js';
import { secretFlags } from '../../../../src/commands/flags/signing.js';
import { runSummaryOf } from '../../../../src/importer/shared/run-summary.js';
import { snapshotOf } from '../../../helpers/run-snapshots.js';

const problem = { file: '/data/h.ndjson', message: 'the file is missing', ranges: 2 };

/** What is printed behind the summary of a run of which parts have failed. */
function linesFor(...typed: TypedFlag[]): string[] {
  const snapshot = snapshotOf({ problems: [problem] });
  const summary = runSummaryOf(snapshot, {
    ...{ pending: 0, deadLetterPath: null, isJoined: false, now: 0 },
  });
  const streams = {
    stdin: new PassThrough(),
    stdout: new PassThrough(),
    stderr: new PassThrough(),
  };
  const io = { ...streams, env: {}, cwd: '/', exit: () => undefined };
  const flags = { ids: 'keep', concurrency: 64 } as const;
  const call = { files: ['h.ndjson'], flags, typed, io };
  return nextSteps(call, summary, { kind: 'finished', wasFinished: false });
}

describe('the next steps of a run with failed parts', () => {
  const advice =
    'fix the cause without changing the size or modification time of a file, then put these parts back:';

  it('are a command for the same store', () => {
    const [first, second] = linesFor({ flag: storeFlags.store, value: 'postgres://host:1/db' });
    expect(first).toBe(advice);
    expect(second).toMatch(/^ {2}evfwd runs verify \S+ --store postgres:\/\/host:1\/db$/);
  });

  it('need no URL where EVFWD_STORE has it', () => {
    const secret = { flag: secretFlags.secret, value: 'shhh' };
    expect(linesFor(secret)).toEqual([
      advice,
      expect.stringMatching(/^ {2}evfwd runs verify \S+$/),
    ]);
  });

  it('say that the environment must have a URL with a password, on a line of its own', () => {
    expect(linesFor({ flag: storeFlags.store, value: 'postgres://me:hunter2@host/db' })).toEqual([
      advice,
      '  export EVFWD_STORE=…  # the URL of --store',
      expect.stringMatching(/^ {2}evfwd runs verify \S+$/),
    ]);
  });
});
