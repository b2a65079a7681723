import type { CommitGroup } from '../../storage/commit-timer.js';
import type { Job } from './messages.js';

/** Of jobs that report to the main thread: a message costs about 0.1 ms. */
const messageGroupMs = 10;
/** Of jobs with a shared store, which takes longer, and waits for its disk. */
const storeGroupMs = 50;

/**
 * How much of `maxUncommitted` is committed at once; the rest may be sent meanwhile. Half for the main thread; 80 % for a
 * shared store, where a commit costs as much as dozens of events, and other jobs of the thread send meanwhile.
 */
export function commitGroupOf({ maxUncommitted, ownsCheckpoint }: Job): CommitGroup {
  return ownsCheckpoint
    ? { rows: Math.ceil(maxUncommitted * 0.8), ms: storeGroupMs }
    : { rows: Math.ceil(maxUncommitted / 2), ms: messageGroupMs };
}

/** From how many rows on a commit of a job is worth one of each other job of its group, and those of another one. */
export function fewestTogether(job: Job): number {
  return Math.ceil(commitGroupOf(job).rows / 4);
}
