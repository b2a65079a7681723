import { parentPort, workerData } from 'node:worker_threads';
import { workThroughRanges } from './range-worker.js';
import type { Job } from './messages.js';

// The entry of a worker thread: a separate file, so that importing other modules starts nothing.
if (parentPort) void workThroughRanges(workerData as Job, parentPort);
