/** What one attempt came to. `retry` may be tried again while the retry window lasts. */
export type Verdict = 'delivered' | 'retry' | 'failed';

/** Why there was no usable answer. Names of section 4 of the interface, and `gone` for a URL that answered 410 before. */
export type AttemptError = 'timeout' | 'refused' | 'reset' | 'dns' | 'protocol' | 'tls' | 'gone';

/** One try at one URL: a flat record, the same shape for success and failure. */
export interface AttemptResult {
  /** The URL without its query. */
  readonly url: string;
  /** 1 for the first try of this body at this URL. */
  readonly attempt: number;
  /** When the try began, milliseconds since 1970. */
  readonly at: number;
  readonly durationMs: number;
  /** The status of the answer; null when there was none. */
  readonly status: number | null;
  /** Null when there was an answer. */
  readonly error: AttemptError | null;
  readonly verdict: Verdict;
  /** The `Retry-After` of the answer, in milliseconds from the answer; absent without a usable one. */
  readonly retryAfterMs?: number;
}

/**
 * How an event ended. `rejected`: it never left, for it is not a valid event. `skipped`: it is left
 * out on purpose. `pending`: the run was interrupted before its fate was known.
 */
export type Fate = 'delivered' | 'failed' | 'rejected' | 'skipped' | 'pending';

/** The record that the ledger, the summary and the exit code are read from. */
export interface Outcome {
  readonly verdict: Fate;
  /** Undefined when the event never got one. */
  readonly messageId: string | undefined;
  /** Every try, oldest first; empty when nothing was sent. */
  readonly attempts: readonly AttemptResult[];
  /** Unless delivered: a stable code (`status_404`, `timeout`, `tls`, `missing_event`, …). */
  readonly code?: string;
  /** Unless delivered: one sentence with the reason. */
  readonly message?: string;
}

/** The outcome of an event that is not valid. */
export function rejection(problem: { readonly code: string; readonly message: string }): Outcome {
  const { code, message } = problem;
  return { verdict: 'rejected', messageId: undefined, attempts: [], code, message };
}
