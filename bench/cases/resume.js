import { cpSync } from 'node:fs';
import { eventFile } from '../lib/data.js';
import { collectorImport, eventsPerBatch, oneThread } from '../lib/import-arguments.js';
import { number } from '../lib/table.js';

const fresh = 'from the beginning';
/** Exit code of an import that Ctrl-C has stopped; one that has completed cannot be measured. */
const stopped = 130;

/** The time to return to the line where an import was stopped. */
export const resume = {
  name: 'resume',
  title: 'from the start of the process to the first request',

  async prepare(workshop) {
    const events = workshop.pick(100_000, 1_000_000, 10_000_000);
    const file = await eventFile(events);
    const threads = oneThread(workshop);
    const halfDone = workshop.makeFolder();
    const share = 0.8;
    const resumeArgs = collectorImport(workshop, file, ['--state-dir', halfDone, ...threads]);
    await stopAfter(workshop, resumeArgs, (share * events) / eventsPerBatch);
    const resumed = `at ${number(share * 100, 0)} % of ${number(events, 0)} events`;

    const toFirstRequest = async (prepareState) => {
      const state = workshop.makeFolder();
      prepareState(state);
      const args = collectorImport(workshop, file, ['--state-dir', state, ...threads]);
      return stopAfter(workshop, args, 1);
    };
    return {
      contenders: [
        {
          name: resumed,
          run: () => toFirstRequest((state) => cpSync(halfDone, state, { recursive: true })),
        },
        { name: fresh, run: () => toFirstRequest(() => undefined) },
      ],
      rounds: workshop.pick(2, 5),
      promises: [{ subject: resumed, peer: fresh, metric: 'seconds' }],
    };
  },
};

const pollEveryMs = 5;

/** Runs evfwd until the receiver has this many requests; returns the time to the first of them. */
async function stopAfter(workshop, args, requests) {
  await workshop.receiver.reset();
  let timer;
  let startedAt = 0;
  const onSpawn = (child) => {
    startedAt = Date.now();
    timer = setInterval(async () => {
      const counts = await workshop.receiver.counts();
      if (counts.requests < requests || child.killed) return;
      // Only once: a second Ctrl-C would abort the requests in flight.
      child.kill('SIGINT');
    }, pollEveryMs);
  };
  let result;
  try {
    result = await workshop.evfwd(args, undefined, { onSpawn, codes: [stopped] });
  } finally {
    clearInterval(timer);
  }
  const { firstAt } = await workshop.receiver.counts();
  return { ...result, seconds: (firstAt - startedAt) / 1000 };
}
