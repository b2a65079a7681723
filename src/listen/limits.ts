/** A longer body gets a 413 response and is not kept. */
export const maxBodyBytes = 1_048_576;

/** Limit for an inflated gzip body; a few kilobytes can inflate to gigabytes. */
export const maxInflatedBytes = 8 * 1024 * 1024;

/** How many of the newest requests are kept for the page and the API. */
export const maxKept = 10_000;

/** Limit for the bodies, headers and paths of kept requests. The `--record` file keeps all requests. */
export const maxKeptBytes = 64 * 1024 * 1024;

/** How many of the newest requests `--dedupe` recognizes when they come again. */
export const maxKnownIds = 100_000;

/** Limit for the responses that `--dedupe` can repeat. */
export const maxAnswerBytes = 64 * 1024 * 1024;

/** How much of the body of an app's response, or of a fixed one, is kept. */
export const maxKeptResponseBytes = 64 * 1024;
