import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { nextSteps } from '../../../../src/commands/import/shared/next-steps.js';
import type { TypedFlag } from '../../../../src/commands/flags/flag.js';
import { queueFlags } from '../../../../src/commands/flags/queue.js';
import { secretFlags } from '../../../../src/commands/flags/signing.js';
import { runSummaryOf } from '../../../../src/importer/shared/run-summary.js';
import { snapshotOf } from '../../../helpers/run-snapshots.js';

const problem = { file: '/data/h.ndjson', message: 'the file is missing', ranges: 2 };

/** What is printed behind the summary of a run of which ranges have failed. */
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

describe('the next steps of a run with failed ranges', () => {
  const advice =
    'fix the cause without changing the size or modification time of a file, then put these ranges back:';

  it('are a command for the same server', () => {
    const [first, second] = linesFor({ flag: queueFlags.queue, value: 'redis://host:1/2' });
    expect(first).toBe(advice);
    expect(second).toMatch(/^ {2}evfwd runs verify \S+ --queue redis:\/\/host:1\/2$/);
  });

  it('need no URL where EVFWD_QUEUE has it', () => {
    const secret = { flag: secretFlags.secret, value: 'shhh' };
    expect(linesFor(secret)).toEqual([
      advice,
      expect.stringMatching(/^ {2}evfwd runs verify \S+$/),
    ]);
  });

  it('say that the environment must have a URL with a password, on a line of its own', () => {
    expect(linesFor({ flag: queueFlags.queue, value: 'redis://:hunter2@host/0' })).toEqual([
      advice,
      '  export EVFWD_QUEUE=…  # the URL of --queue',
      expect.stringMatching(/^ {2}evfwd runs verify \S+$/),
    ]);
  });
});
