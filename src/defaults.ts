/** Every default that a person can change, once; help texts, types and the engine read them here. */
export const defaults = {
  /** Time for an answer. */
  timeout: '5s',
  timeoutMs: 5_000,
  /** How long `import` and `serve` retry one event. */
  retryWindow: '4h',
  retryWindowMs: 4 * 60 * 60 * 1000,
  /** `send` is for a person who waits: it tries once. */
  sendRetryWindow: '0s',
  /** Requests in flight to one URL. */
  concurrency: 64,
  /** Events that wait for a retry before reading pauses. */
  maxWaiting: 10_000,
  ids: 'keep',
} as const;
