/** The result of one attempt. `retry`: may be attempted again within the retry window. */
export type Verdict = 'delivered' | 'retry' | 'failed';

/**
 * Why there was no usable response. `gone`: not sent, since the URL responded 410 before. `behind`: not sent,
 * since the URL did not keep up with another one that accepted the event. `private_address`: not sent,
 * since connecting to it is not allowed. `local_limit`: not sent, since this process has no file descriptor left
 * for a connection; that says nothing about the endpoint. `oauth2`: not sent, since there is no token for it. `proxy_…`: the proxy made no tunnel to the endpoint: it could
 * not be connected to or closed the connection, wanted credentials, did not respond in time, or responded with
 * anything but a 2xx. `internal_error`: an error in evfwd itself ended the
 * attempt.
 */
export type AttemptError =
  | 'timeout'
  | 'refused'
  | 'reset'
  | 'dns'
  | 'protocol'
  | 'local_limit'
  | 'proxy_refused'
  | 'proxy_auth'
  | 'proxy_timeout'
  | 'proxy_status'
  | 'tls'
  | 'oauth2'
  | 'gone'
  | 'behind'
  | 'private_address'
  | 'internal_error';

/** What a response said that did not deliver the event, for people who look for the cause. */
export interface ResponseExcerpt {
  /** Lowercase names; only headers that help to find the cause, never `set-cookie`. */
  readonly headers: Readonly<Record<string, string>>;
  /** The beginning of the body, at most 4,096 bytes, if it is UTF-8; empty without a body. */
  readonly body?: string;
  /** In place of `body`, if it is not UTF-8. */
  readonly bodyBase64?: string;
}

/** One attempt at one URL: a flat record, the same shape for success and failure. */
export interface AttemptResult {
  /** The URL without its query. */
  readonly url: string;
  /** 1 for the first attempt of this body at this URL. */
  readonly attempt: number;
  /** When the attempt began, milliseconds since 1970. */
  readonly at: number;
  /** From its start to the status line, or to its failure; fractional milliseconds. */
  readonly durationMs: number;
  /** The status of the response; null if there was none. */
  readonly status: number | null;
  /** Null if there was a response. */
  readonly error: AttemptError | null;
  readonly verdict: Verdict;
  /** One sentence that says more than `error`: the limit of a timeout, what is wrong with a certificate. */
  readonly detail?: string;
  /** The `Retry-After` of the response, in milliseconds from its arrival; absent if missing or invalid. */
  readonly retryAfterMs?: number;
  /** Whether the retry is due at once: a token was refused, and another one can be had. Default false. */
  readonly retriesAtOnce?: true;
  /** Of a response that is no 2xx. */
  readonly response?: ResponseExcerpt;
}

/**
 * Whether the URL has said that it is gone for good, and 410 is not to be retried there.
 * @internal
 */
export function isGone({ status, verdict }: Pick<AttemptResult, 'status' | 'verdict'>): boolean {
  return status === 410 && verdict !== 'retry';
}

/**
 * The state of one event at one URL; plain data, to be stored between attempts.
 * @internal
 */
export interface EndpointDeliveryState {
  /** Number of attempts made so far. */
  readonly attempts: number;
  /** When the first attempt began; milliseconds since 1970. */
  readonly firstAt: number;
  /** The result of the last attempt. */
  readonly status: number | null;
  readonly error: AttemptError | null;
  /** As in `AttemptResult`. */
  readonly detail?: string;
  /** When to retry; absent if the URL has accepted the event, or was given up. */
  readonly dueAt?: number;
  readonly isDelivered?: boolean;
  /**
   * Milliseconds from when it was due until it could be sent, because of a rate; they do not count against the
   * retry window, so that its last attempt is made. Default 0.
   */
  readonly lateMs?: number;
  /** Whether it goes again at once, whatever the retry window says. Default false. */
  readonly retriesAtOnce?: true;
  /** The id of the batch that it was sent in. Default: it was sent alone. */
  readonly batch?: string;
}

/**
 * What a delivery hands back to be continued later.
 * @internal
 */
export interface RetryState {
  /** When the first retry is due; milliseconds since 1970. */
  readonly dueAt: number;
  /** One per URL, in their order. */
  readonly endpointDeliveries: readonly EndpointDeliveryState[];
}

/**
 * How an event ended. `rejected`: it is not a valid event, so it was not sent. `skipped`: it was left out on
 * purpose. `pending`: the run was interrupted before its final status was known.
 */
export type FinalStatus = 'delivered' | 'failed' | 'rejected' | 'skipped' | 'pending';

/**
 * The record that the ledger, the summary and the exit code are read from.
 * @internal
 */
export interface Outcome {
  readonly verdict: FinalStatus;
  /** Undefined if the event has none. */
  readonly messageId: string | undefined;
  /** Every attempt, oldest first; empty if nothing was sent. */
  readonly attempts: readonly AttemptResult[];
  /** Unless delivered: a stable code (`status_404`, `timeout`, `tls`, `missing_event`, …). */
  readonly code?: string;
  /** Unless delivered: one sentence with the reason. */
  readonly message?: string;
  /** For a pending event: when and where to retry. Set only by targets that hand retries back. */
  readonly retry?: RetryState;
  /** Total number of attempts, those of earlier runs included; absent if `attempts` has them all. */
  readonly attemptCount?: number;
  /** The URLs that want the event, a bit for each; absent: all. */
  readonly wanted?: number;
}

/**
 * The code of a skipped event whose integrations turn the target off.
 * @internal
 */
export const integrationOff = 'integration_off';

/**
 * The code of a skipped event that no URL of the target wants.
 * @internal
 */
export const notWanted = 'not_wanted';

/** @internal */
export function unwantedOutcome(messageId: string): Outcome {
  const message = 'no endpoint wants it: it does not fit their types, events and where';
  return { verdict: 'skipped', messageId, attempts: [], code: notWanted, message };
}

/**
 * The outcome of an event that is not valid.
 * @internal
 */
export function rejection(problem: { readonly code: string; readonly message: string }): Outcome {
  const { code, message } = problem;
  return { verdict: 'rejected', messageId: undefined, attempts: [], code, message };
}

/**
 * The outcome of events with the same history: everything but the messageId.
 * @internal
 */
export type SharedOutcome = Omit<Outcome, 'messageId'>;

/**
 * The outcome of one of them. Explicit members take a tenth of the time of a spread, and nearly all are delivered.
 * @internal
 */
export function withId(outcome: SharedOutcome, messageId: string): Outcome {
  const { verdict, attempts, attemptCount, wanted } = outcome;
  if (verdict !== 'delivered' || wanted !== undefined) return { ...outcome, messageId };
  return attemptCount === undefined
    ? { verdict, messageId, attempts }
    : { verdict, messageId, attempts, attemptCount };
}
