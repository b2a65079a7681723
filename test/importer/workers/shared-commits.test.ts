import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { Execution } from '../../../src/importer/workers/execution.js';
import { LocalThread } from '../../../src/importer/workers/execution-pool.js';
import { JobHandle } from '../../../src/importer/workers/job-handle.js';
import { SharedCommits, type ReportingJob } from '../../../src/importer/workers/shared-commits.js';
import { findInputs } from '../../../src/sources/find-inputs.js';
import { readPart } from '../../../src/sources/part.js';
import type { Range } from '../../../src/sources/range.js';
import { folderWith } from '../../helpers/folder.js';
import { event } from '../../helpers/process.js';
import { VirtualClock } from '../../helpers/virtual-clock.js';
import { executionOf, webhookJob } from '../../helpers/webhook-job.js';
import { receiverOfEachTest } from '../../helpers/witnessed-receiver.js';
import { withResolvers } from '../../../src/with-resolvers.js';

const at = receiverOfEachTest();

describe('jobs that report together', () => {
  it('are those of one name that have joined and not left', () => {
    const commits = new SharedCommits();
    const reports: string[] = [];
    const [a, b, c, other] = ['a', 'b', 'c', 'other'].map((id) => {
      const job = { report: () => void reports.push(id) };
      commits.join(id === 'other' ? 'another run' : 'run', job);
      return job;
    }) as [ReportingJob, ReportingJob, ReportingJob, ReportingJob];
    commits.reported('run', a);
    expect(reports.splice(0)).toEqual(['b', 'c']);
    commits.leave('run', b);
    commits.reported('run', c);
    expect(reports.splice(0)).toEqual(['a']);
    commits.leave('another run', other);
    commits.reported('another run', other);
    commits.reported('never joined', a);
    expect(reports).toEqual([]);
  });

  it.each([
    ['the same run', ['run', 'run'], ['first', 'second']],
    ['two runs', ['run', 'another run'], ['first']],
  ])(
    'in one thread, of %s: when the first one has waited long enough',
    async (_, names, reported) => {
      const clock = new VirtualClock();
      const thread = new LocalThread({ clock, random: () => 0.5 });
      const over = withResolvers();
      const commits: string[] = [];
      const started: Execution[] = [];
      for (const [n, id] of ['first', 'second'].entries()) {
        const path = join(folderWith({ events: `${event(n)}\n` }), 'events');
        const job = { ...webhookJob(path, { url: at.receiver.url }), connections: names[n]! };
        const options = executionOf(job, readAndWait(path, over.promise), () => commits.push(id));
        const start = (
          ...[given, onReport]: Parameters<ConstructorParameters<typeof Execution>[1]>
        ) => new JobHandle(thread.start(given), onReport);
        started.push(new Execution(options, start));
        // Its event has ended, and waits to be reported.
        await clock.timers(n + 1);
        clock.advance(20);
      }
      expect(clock.waits).toEqual([10, 30]);
      clock.advance(10);
      await nextTurn();
      expect(commits).toEqual(reported);
      over.resolve();
      for (const { ended } of started) expect(await ended).toEqual({ hasReadAll: true });
    },
  );
});

/** The whole file; its end only after `over`. */
async function* readAndWait(path: string, over: Promise<void>): AsyncGenerator<Range> {
  const [input] = await findInputs([path]);
  yield* readPart(input!, { from: 0, to: null });
  await over;
}
