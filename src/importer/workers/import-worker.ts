import { parentPort } from 'node:worker_threads';
import { systemClock } from '../../clock.js';
import { workThroughRanges } from './range-worker.js';
import type { JobStart } from './messages.js';
import { SharedConnections } from './shared-connections.js';

const shared = new SharedConnections(systemClock);

// The entry of a worker thread: a separate file, so that importing other modules starts nothing.
parentPort?.on('message', (start: JobStart | null) => {
  if (start) void workThroughRanges(start.job, start.port, shared);
  else parentPort?.close();
});
