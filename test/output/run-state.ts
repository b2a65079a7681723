import type { RunState } from '../../src/output/progress-text.js';

/** A run that has just begun, with an unknown number of events. */
export const runState: RunState = {
  ...{ ended: 0, sent: 0, failed: 0, rejected: 0, waiting: 0, endedBefore: 0 },
  nextRetryMs: undefined,
  medianMs: null,
  left: undefined,
};
