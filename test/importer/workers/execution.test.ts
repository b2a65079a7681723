import { describe, expect, it } from 'vitest';
import { Execution } from '../../../src/importer/workers/execution.js';
import type { ItemExecutionOptions } from '../../../src/importer/workers/item-execution.js';
import { JobHandle } from '../../../src/importer/workers/job-handle.js';
import { localChannel } from '../../../src/importer/workers/local-channel.js';
import type { Job, WorkerCommand, WorkerReport } from '../../../src/importer/workers/messages.js';
import type { Range } from '../../../src/sources/range.js';
import type { LeaseRequest, RemainingTurns, TurnLease } from '../../../src/turn-lease.js';

const request: LeaseRequest = { turns: 1, unused: 0 };
const leaseOf = (inMs: number): TurnLease => ({ inMs, turns: 1, intervalMs: 1 });
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

async function* nothing(): AsyncGenerator<Range> {
  // The test is the job.
}

/** An execution whose job is the test; the host answers requests for turns when the test says so. */
function executionOf() {
  const { port1, port2 } = localChannel();
  const received: WorkerCommand[] = [];
  const released: RemainingTurns[] = [];
  const answers: ((lease: TurnLease) => void)[] = [];
  port2.on('message', (command: WorkerCommand) => received.push(command));
  const options = {
    job: {} as Job,
    ranges: nothing(),
    lease: () => new Promise<TurnLease>((resolve) => answers.push(resolve)),
    releaseTurns: (left: RemainingTurns) => released.push(left),
  } as unknown as ItemExecutionOptions;
  const started = { port: port1, died: Promise.resolve(undefined) };
  const execution = new Execution(options, (_job, onReport) => new JobHandle(started, onReport));
  const post = async (...reports: readonly WorkerReport[]): Promise<void> => {
    for (const report of reports) port2.postMessage(report);
    await turn();
  };
  const answer = async (lease: TurnLease): Promise<void> => {
    answers.shift()!(lease);
    await turn();
  };
  const end = async (): Promise<void> => {
    await post({ kind: 'ended', hasReadAll: true, failure: undefined });
    port2.close();
    await execution.ended;
  };
  return { post, answer, end, received, released };
}

describe('the turns of a job that ends', () => {
  it('are released where they came too late for it, and where they are still to come', async () => {
    const { post, answer, end, received, released } = executionOf();
    await post({ kind: 'lease', request }, { kind: 'lease', request }, { kind: 'lease', request });
    await answer(leaseOf(1));
    await answer(leaseOf(2));
    expect(received.filter(({ kind }) => kind === 'leased')).toHaveLength(2);
    // Of three, it has received the first.
    await post({ kind: 'leftTurns', left: undefined, openRequests: 2 });
    expect(released).toEqual([{ leases: [leaseOf(2)], unused: 0 }]);
    await answer(leaseOf(3));
    expect(released.slice(1)).toEqual([{ leases: [leaseOf(3)], unused: 0 }]);
    await end();
    expect(released).toHaveLength(2);
  });

  it('are those that it has left, where it has received all', async () => {
    const { post, answer, end, released } = executionOf();
    await post({ kind: 'lease', request });
    await answer(leaseOf(1));
    const left = { leases: [leaseOf(9)], unused: 2 };
    await post({ kind: 'leftTurns', left, openRequests: 0 });
    expect(released).toEqual([left]);
    await end();
  });
});
