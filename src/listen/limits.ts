/** A longer body gets a 413 response and is not kept. */
export const maxBodyBytes = 1_048_576;

/** Limit for an inflated gzip body; a few kilobytes can inflate to gigabytes. */
export const maxInflatedBytes = 8 * 1024 * 1024;

/** How many of the newest requests are kept for the page and the API. */
export const maxKept = 10_000;

/** Limit for what kept requests take in memory. The `--record` file keeps all requests. */
export const maxKeptBytes = 24 * 1024 * 1024;

/** What a kept request takes beside its texts and bodies, about. */
export const keptRequestBytes = 1024;

/**
 * Limit for requests that are being received, answered or forwarded, and for output that has not been
 * read: above it the next requests wait.
 */
export const maxHandBytes = 16 * 1024 * 1024;

/**
 * After so long an upload is answered 503 while others wait for room; a request that waits after three times
 * as long.
 */
export const roomPatienceMs = 10_000;

/** Bodies that are processed in one turn of the event loop: what is parsed of them is freed between turns. */
export const bytesPerTurn = 256 * 1024;

/** How many of the newest requests `--dedupe` recognizes when they come again. */
export const maxKnownIds = 100_000;

/** Limit for the responses that `--dedupe` can repeat. */
export const maxAnswerBytes = 16 * 1024 * 1024;

/** How much of the body of an app's response, or of a fixed one, is kept. */
export const maxKeptResponseBytes = 64 * 1024;
