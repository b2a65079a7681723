import { parentPort, workerData } from 'node:worker_threads';
import { workThroughRanges } from './range-worker.js';
import type { Job } from './messages.js';

// The entry of a worker thread: a file of its own, so that nothing else runs by being imported.
if (parentPort) void workThroughRanges(workerData as Job, parentPort);
