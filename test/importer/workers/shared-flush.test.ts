import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { commitGroupOf, fewestTogether } from '../../../src/importer/workers/commit-group.js';
import { Execution, type JobStarter } from '../../../src/importer/workers/execution.js';
import { LocalThread } from '../../../src/importer/workers/execution-pool.js';
import { JobHandle } from '../../../src/importer/workers/job-handle.js';
import { SharedFlush, type FlushableJob } from '../../../src/importer/workers/shared-flush.js';
import { findInputs } from '../../../src/sources/find-inputs.js';
import { readPart } from '../../../src/sources/part.js';
import type { Range } from '../../../src/sources/range.js';
import { folderWith } from '../../helpers/folder.js';
import { event } from '../../helpers/process.js';
import { VirtualClock } from '../../helpers/virtual-clock.js';
import { executionOptions, webhookJob } from '../../helpers/webhook-job.js';
import { receiverOfEachTest } from '../../helpers/witnessed-receiver.js';
import { withResolvers } from '../../../src/with-resolvers.js';

const at = receiverOfEachTest();

describe('the jobs of a thread', () => {
  it('commit with those of their group, until they leave it', () => {
    const shared = new SharedFlush();
    const flushed: string[] = [];
    const join = (id: string, group: string): FlushableJob => {
      // A job that commits calls the others.
      const job = {
        flush(): void {
          flushed.push(id);
          shared.flushOthers(group, job);
        },
      };
      shared.join(group, job);
      return job;
    };
    const [a, b, c] = [join('a', 'run'), join('b', 'run'), join('c', 'run')];
    const other = join('other', 'another run');
    shared.flushOthers('run', a);
    expect(flushed.splice(0)).toEqual(['b', 'c']);
    shared.leave('run', b);
    shared.flushOthers('run', c);
    expect(flushed.splice(0)).toEqual(['a']);
    shared.leave('another run', other);
    shared.flushOthers('another run', other);
    shared.flushOthers('never joined', a);
    expect(flushed).toEqual([]);
  });

  it('commit together when the first one has waited for 50 ms, if they are of one group', async () => {
    expect(await commitsWhenFirstIsDue(['run', 'run'])).toEqual(['first', 'second']);
  });

  it('commit one by one, if they are of two groups', async () => {
    expect(await commitsWhenFirstIsDue(['run', 'another run'])).toEqual(['first']);
  });

  it('commit one by one, if what has ended is little', async () => {
    expect(await commitsWhenFirstIsDue(['run', 'run'], 500)).toEqual(['first']);
  });

  it('commit 400 rows of the 500 that a crash may repeat', () => {
    const job = webhookJob('events', { url: at.receiver.url });
    expect([commitGroupOf(job), fewestTogether(job)]).toEqual([{ rows: 400, ms: 50 }, 100]);
  });
});

async function commitsWhenFirstIsDue(
  groups: readonly string[],
  maxUncommitted = 4,
): Promise<string[]> {
  const clock = new VirtualClock();
  const thread = new LocalThread({ clock, random: () => 0.5 });
  const start: JobStarter = (job, onReport) => new JobHandle(thread.start(job), onReport);
  const over = withResolvers();
  const commits: string[] = [];
  const started: Execution[] = [];
  for (const [n, id] of ['first', 'second'].entries()) {
    const path = join(folderWith({ events: `${event(n)}\n` }), 'events');
    const job = {
      ...webhookJob(path, { url: at.receiver.url }),
      ...{ group: groups[n]!, maxUncommitted },
    };
    const ranges = readAndWait(path, over.promise);
    started.push(
      new Execution(
        executionOptions(job, ranges, () => commits.push(id)),
        start,
      ),
    );
    // Its event has ended, and waits to be committed.
    await clock.timers(n + 1);
    clock.advance(20);
  }
  expect(clock.waits).toEqual([10, 30]);
  clock.advance(10);
  await nextTurn();
  const whenDue = [...commits];
  over.resolve();
  for (const { ended } of started) expect(await ended).toEqual({ hasReadAll: true });
  return whenDue;
}

/** The whole file; its end only after `over`. */
async function* readAndWait(path: string, over: Promise<void>): AsyncGenerator<Range> {
  const [input] = await findInputs([path]);
  yield* readPart(input!, { from: 0, to: null });
  await over;
}
