/** A longer body gets a 413 response and is not kept. */
export const maxBodyBytes = 1_048_576;

/** How many of the newest requests are kept for the page and the API. */
export const maxKept = 10_000;

/** Limit for what kept requests take in memory. The `--record` file keeps all requests. */
export const maxKeptBytes = 16 * 1024 * 1024;

/** About what a kept request takes in memory besides its texts and bodies. */
export const keptRequestBytes = 1024;

/**
 * Limit for the memory of requests that are being received, answered or forwarded, and of output that has not
 * been read. Above it the next requests wait.
 */
export const maxPendingBytes = 12 * 1024 * 1024;

/**
 * An upload that takes longer than this while other requests wait for memory gets a 503; so does a request that
 * has waited three times as long.
 */
export const uploadTimeoutMs = 10_000;

/** Bytes of bodies that are processed in one turn of the event loop; what was parsed of them is freed between turns. */
export const bytesPerTurn = 256 * 1024;

/** How many of the newest requests `--dedupe` recognizes when they come again. */
export const maxKnownIds = 100_000;

/** Limit for the responses that `--dedupe` can repeat. */
export const maxAnswerBytes = 16 * 1024 * 1024;

/** How much of the body of an app's response, or of a fixed one, is kept. */
export const maxKeptResponseBytes = 64 * 1024;
