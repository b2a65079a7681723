/** What one attempt came to. `retry` may be tried again while the retry window lasts. */
export type Verdict = 'delivered' | 'retry' | 'failed';

/**
 * Why there was no usable answer. Names of section 4 of the interface, and three for what was not sent:
 * `gone` for a URL that answered 410 before, `behind` for one that did not keep up with another that
 * took the event, `private_address` for one that may not be connected to; and `internal_error` for an
 * attempt that an error of evfwd itself broke off.
 */
export type AttemptError =
  | 'timeout'
  | 'refused'
  | 'reset'
  | 'dns'
  | 'protocol'
  | 'tls'
  | 'gone'
  | 'behind'
  | 'private_address'
  | 'internal_error';

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

/** How far the delivery of one event to one URL has come; plain data, to be stored between tries. */
export interface EndpointDeliveryState {
  /** Tries made so far. */
  readonly attempts: number;
  /** When the first one began; milliseconds since 1970. */
  readonly firstAt: number;
  /** What the last one came to. */
  readonly status: number | null;
  readonly error: AttemptError | null;
  /** When to try again; absent when the URL has taken the event, or is given up. */
  readonly dueAt?: number;
  readonly isDelivered?: boolean;
}

/** What a delivery hands back when it is to go on later. */
export interface RetryState {
  /** When the first URL is due; milliseconds since 1970. */
  readonly dueAt: number;
  /** One for each URL, in their order. */
  readonly endpointStates: readonly EndpointDeliveryState[];
}

/**
 * How an event ended. `rejected`: it never left, for it is not a valid event. `skipped`: it is left
 * out on purpose. `pending`: the run was interrupted before its fate was known.
 */
export type FinalStatus = 'delivered' | 'failed' | 'rejected' | 'skipped' | 'pending';

/** The record that the ledger, the summary and the exit code are read from. */
export interface Outcome {
  readonly verdict: FinalStatus;
  /** Undefined when the event never got one. */
  readonly messageId: string | undefined;
  /** Every try, oldest first; empty when nothing was sent. */
  readonly attempts: readonly AttemptResult[];
  /** Unless delivered: a stable code (`status_404`, `timeout`, `tls`, `missing_event`, …). */
  readonly code?: string;
  /** Unless delivered: one sentence with the reason. */
  readonly message?: string;
  /** For a pending event: when and where to try again. Only targets that hand retries back set it. */
  readonly retry?: RetryState;
  /** Tries in all, those of earlier runs included; absent when `attempts` has them all. */
  readonly attemptCount?: number;
}

/** The outcome of an event that is not valid. */
export function rejection(problem: { readonly code: string; readonly message: string }): Outcome {
  const { code, message } = problem;
  return { verdict: 'rejected', messageId: undefined, attempts: [], code, message };
}
