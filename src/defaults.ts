/** Defaults that a user can change, in one place for help texts, types and the engine. */
export const defaults = {
  /** Response timeout. */
  timeout: '5s',
  timeoutMs: 5_000,
  /** How long `import` and `serve` retry one event. */
  retryWindow: '4h',
  retryWindowMs: 4 * 60 * 60 * 1000,
  /** `send` makes one attempt: its user waits for the result. */
  sendRetryWindow: '0s',
  /** Requests in flight to one URL. */
  concurrency: 64,
  /** Events that wait for a retry before reading pauses. */
  maxWaiting: 10_000,
  ids: 'keep',
} as const;
