import { parentPort } from 'node:worker_threads';
import { limitExternalMemory } from '../../memory-limits.js';
import { workThroughRanges } from './range-worker.js';
import type { JobStart } from './messages.js';
import { ThreadContext } from './thread-context.js';

const context = new ThreadContext();
limitExternalMemory(10);

// The entry of a worker thread: a separate file, so that importing other modules starts nothing.
parentPort?.on('message', (start: JobStart | null) => {
  if (start) void workThroughRanges(start.job, start.port, context);
  else parentPort?.close();
});
