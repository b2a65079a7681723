/**
 * What `evfwd listen` and its inspector page say to each other, all below `/_evfwd/`.
 *
 * | request                            | answer                                                   |
 * | ---------------------------------- | -------------------------------------------------------- |
 * | `GET  /_evfwd/`                    | the page; its assets below `/_evfwd/assets/`             |
 * | `GET  /_evfwd/api/requests`        | `{"requests":[capture lines]}`, the oldest first         |
 * | `GET  /_evfwd/api/requests.ndjson` | the same as a file, a capture line a request             |
 * | `GET  /_evfwd/api/requests/:id`    | `RequestDetail`; 404 when it is no longer kept           |
 * | `GET  /_evfwd/api/stats`           | `Stats`                                                  |
 * | `POST /_evfwd/api/reset`           | forgets all requests and counts: `{}`                    |
 * | `GET  /_evfwd/api/page`            | `PageSetup`, same-origin only: it carries the token      |
 * | `GET  /_evfwd/api/stream`          | server-sent events, see `StreamMessages`                 |
 * | `GET  /_evfwd/api/faults`          | `FaultPlan`                                              |
 * | `PUT  /_evfwd/api/faults`          | `FaultPlan`; 400 with `ApiError` when a fault is wrong   |
 * | `POST /_evfwd/api/replay`          | `ReplayRequest` → `ReplayResult`; needs the token        |
 *
 * Calls that change something need the header `X-Evfwd-Token` when they come with an Origin header;
 * replay and `PUT faults` need it always.
 */
export const apiPrefix = '/_evfwd/api';

/** The header that carries the token of the page. */
export const tokenHeader = 'x-evfwd-token';

export type SignatureVerdict = 'valid' | 'invalid' | 'missing' | 'unchecked';

/** What a list shows of a request; small, for ten thousand of them are kept in the page. */
export interface RequestRow {
  /** The id of the capture line. */
  readonly id: string;
  /** Counts up from 1 in the order of arrival, also over resets. */
  readonly sequence: number;
  /** ISO 8601 with milliseconds, UTC. */
  readonly receivedAt: string;
  readonly method: string;
  /** With its query. */
  readonly path: string;
  /** The event's type; `batch` for several in one request; null where none could be made out. */
  readonly type: string | null;
  /** The event's name (track), the page's or screen's name, or the group's id; null where none. */
  readonly name: string | null;
  readonly user: string | null;
  readonly messageId: string | null;
  /** Events in the request: 1, or those of a batch; 0 where none could be made out. */
  readonly events: number;
  readonly signature: SignatureVerdict;
  /** Body bytes as they came, before inflating. */
  readonly bytes: number;
  /** The answer; status null when the connection was cut or left hanging on purpose. */
  readonly response: { readonly status: number | null; readonly delayMs: number };
  /** The fault that fired, as it was written (`status=503,rate=10%`); null for none. */
  readonly fault: string | null;
  /** How long it took from the first byte of the request's body to the answer, in milliseconds. */
  readonly durationMs: number;
}

export interface RequestDetail {
  readonly row: RequestRow;
  /** Names and values as they came, in order, repeats kept. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** The body as text when it is UTF-8 (inflated when it was gzip), else null. */
  readonly body: string | null;
  /** The raw body as it came, when it is not UTF-8 text. */
  readonly bodyBase64: string | null;
  /** Why the signature is not valid, as `verify-sig --explain` says it; null when there is nothing to say. */
  readonly explanation: string | null;
  /** Shell commands that send it again; the shared secret appears in neither. */
  readonly commands: { readonly curl: string; readonly evfwd: string };
}

export interface Stats {
  readonly requests: number;
  readonly events: number;
  readonly bytes: number;
  readonly byType: Readonly<Record<string, number>>;
  readonly bySignature: Readonly<Record<SignatureVerdict, number>>;
  /** By status; `none` for requests that got no answer on purpose. */
  readonly byStatus: Readonly<Record<string, number>>;
  /** How many of the newest requests are kept for the page and the API. */
  readonly kept: number;
}

export interface PageSetup {
  readonly version: string;
  /** For `tokenHeader`. */
  readonly token: string;
  readonly url: string;
  readonly hasSecret: boolean;
  /** So many of the newest requests are kept. */
  readonly maxKept: number;
  /** The file of `--record`, for people; null without. */
  readonly recordsTo: string | null;
}

export interface FaultPlan {
  /** In the order in which they are tried, each as after `--fault`. */
  readonly faults: readonly string[];
  readonly seed: number;
}

export interface ReplayRequest {
  readonly ids: readonly string[];
  readonly url: string;
  /** `again`: signed anew with the secret of this run; `captured`: headers and signature as they came. */
  readonly signature: 'again' | 'captured';
}

export interface ReplayResult {
  readonly results: readonly {
    readonly id: string;
    readonly status: number | null;
    /** `timeout`, `refused`, …, or null. */
    readonly error: string | null;
    readonly durationMs: number;
  }[];
}

export interface ApiError {
  readonly error: { readonly code: string; readonly message: string };
}

/** The events of `/_evfwd/api/stream`: the name, and what its data holds as JSON. */
export interface StreamMessages {
  /** First: all rows that are kept, the oldest first (in as many messages as it takes). */
  readonly rows: readonly RequestRow[];
  /** After `reset`. */
  readonly reset: Record<string, never>;
  /** The plan has changed. */
  readonly faults: FaultPlan;
}
