/** A longer body is answered 413, and not kept. */
export const maxBodyBytes = 1_048_576;

/** What a gzip body may become; a few kilobytes can inflate to gigabytes. */
export const maxInflatedBytes = 8 * 1024 * 1024;

/** So many of the newest requests are kept for the page and the API, … */
export const maxKept = 10_000;

/** … and no more bytes of bodies, headers and paths than this. The file of `--record` keeps all. */
export const maxKeptBytes = 64 * 1024 * 1024;
