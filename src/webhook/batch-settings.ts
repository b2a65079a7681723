/** How many events go in one request; plain data. */
export interface BatchSettings {
  /** The most events, from 1 to 10,000. Default 100. */
  readonly size: number;
  /** The most bytes of the body, in which one event alone may be larger; 1 to 16,777,216. Default 512,000. */
  readonly maxBytes: number;
  /** How long an event waits at most for others, in milliseconds. Default 1000. */
  readonly waitMs: number;
}

export const defaultBatch: BatchSettings = { size: 100, maxBytes: 500 * 1024, waitMs: 1_000 };

/** What a batch may have at most: as many as are in flight have to fit into memory. */
export const largestBatch: BatchSettings = {
  size: 10_000,
  maxBytes: 16 * 1024 ** 2,
  waitMs: 60 * 60 * 1000,
};
