import type { ResponseExcerpt } from '../delivery/outcome.js';
import type { Forwarded, SignatureVerdict } from './received.js';

export type { Forwarded, SignatureVerdict } from './received.js';

/**
 * The API between `evfwd listen` and its inspector page, all below `/_evfwd/`.
 *
 * | request                            | response                                                 |
 * | ---------------------------------- | -------------------------------------------------------- |
 * | `GET  /_evfwd/`                    | the page; its assets below `/_evfwd/assets/`             |
 * | `GET  /_evfwd/api/requests`        | `{"requests":[capture lines]}`, the oldest first         |
 * | `GET  /_evfwd/api/requests.ndjson` | the same as a file, one capture line per request         |
 * | `GET  /_evfwd/api/requests/:id`    | `RequestDetail`; 404 when it is no longer kept           |
 * | `GET  …/api/requests/:id/body`     | the bytes of its body, as a file                         |
 * | `GET  …/api/search?q=&after=`      | `SearchResult`; `after` is a sequence number, default 0  |
 * | `GET  /_evfwd/api/stats`           | `Stats`                                                  |
 * | `POST /_evfwd/api/reset`           | deletes all requests and counts: `{}`                    |
 * | `GET  /_evfwd/api/page`            | `PageSetup`, same-origin only: it carries the token      |
 * | `GET  /_evfwd/api/stream`          | server-sent events, see `StreamMessages`                 |
 * | `GET  /_evfwd/api/faults`          | `FaultPlan`                                              |
 * | `PUT  /_evfwd/api/faults`          | `FaultPlan`; 400 with `ApiError` for an invalid fault    |
 * | `POST /_evfwd/api/replay`          | `ReplayRequest` → `ReplayResult`; needs the token        |
 * | `POST /_evfwd/api/requests.html`   | `SharedRequests` → one HTML page of them; needs the token |
 *
 * Calls that change something need the header `X-Evfwd-Token` when they have an Origin header;
 * replay, `requests.html` and `PUT faults` always need it.
 */
export const apiPrefix = '/_evfwd/api';

/** The header that carries the token of the page. */
export const tokenHeader = 'x-evfwd-token';

/** A request as lists show it; small, since the page keeps ten thousand of them. */
export interface RequestRow {
  /** The id of the capture line. */
  readonly id: string;
  /** Counts up from 1 in the order of the responses; a reset does not restart it. */
  readonly sequence: number;
  /** ISO 8601 with milliseconds, UTC. */
  readonly receivedAt: string;
  readonly method: string;
  /** With its query. */
  readonly path: string;
  /** The event's type; `batch` for several in one request; null when none was found. */
  readonly type: string | null;
  /**
   * The event's name (track), the page's or screen's name, or the group's id; of a batch, how many there are
   * of each type (`2 track, 1 page of 2 users`); null for none.
   */
  readonly name: string | null;
  /** Of a batch, the user of all its events; null for several, and for none. */
  readonly user: string | null;
  readonly messageId: string | null;
  /** Events in the request: 1, or those of a batch; 0 when none was found. */
  readonly events: number;
  readonly signature: SignatureVerdict;
  /** By which scheme it was judged; null where it was not, or no scheme was found. */
  readonly scheme: string | null;
  /** Why the signature is not valid, as in `verify-sig --json`; null when valid or unchecked. */
  readonly reason: string | null;
  /** Whether `--dedupe` recognized it as a repeat. */
  readonly isDuplicate: boolean;
  /** What the app behind `--forward` answered; null when it was not forwarded. */
  readonly forwarded: Forwarded | null;
  /** Body bytes as received, before inflating. */
  readonly bytes: number;
  /** The response; status null when a fault closed the connection or left it hanging. */
  readonly response: { readonly status: number | null; readonly delayMs: number };
  /** The fault that fired, as it was written (`status=503,rate=10%`); null for none. */
  readonly fault: string | null;
  /** Time from the first byte of the request's body to the response, in milliseconds. */
  readonly durationMs: number;
}

/** An event of a batch. */
export interface BatchEvent {
  /** Its position in the array. */
  readonly index: number;
  readonly type: string;
  readonly name: string | null;
  readonly user: string | null;
  readonly messageId: string | null;
  /** Whether `--dedupe` recognized it as a repeat, in a request with others that are none. */
  readonly isDuplicate: boolean;
}

/** What the headers of a signature say. */
export interface SignatureDetail {
  readonly scheme: string;
  /** The id of the webhook; null where the scheme has none. */
  readonly id: string | null;
  /** ISO 8601; null where the scheme has no time. */
  readonly timestamp: string | null;
  /** Its age when it was received, in milliseconds; negative for the future. */
  readonly ageMs: number | null;
}

export interface RequestDetail {
  readonly row: RequestRow;
  /** Names and values as received, in order, with duplicates. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** The body as text when it is UTF-8 (inflated when it was gzip), else null. */
  readonly body: string | null;
  /** The raw body as received, when it is not UTF-8 text. */
  readonly bodyBase64: string | null;
  /** The first thousand events of a batch; empty for a single event, and for none. */
  readonly events: readonly BatchEvent[];
  /** Why the signature is not valid, as in `verify-sig --explain`; null when there is no explanation. */
  readonly explanation: string | null;
  /** What is known of the signature; null when none was looked for. */
  readonly signature: SignatureDetail | null;
  /**
   * How it is signed again: the scheme, and where its secret is from (`--secret-file secret.txt`), never the
   * secret. Null where no secret covers its path, or nothing tells the scheme.
   */
  readonly signsAgain: { readonly scheme: string; readonly secret: string } | null;
  /** What was responded: of a forwarded request, what the app answered. */
  readonly response: ResponseDetail;
  /** What we would have answered without `--forward`; null when it was not forwarded. */
  readonly ownResponse: ResponseDetail | null;
  /** Shell commands that resend it; neither contains the shared secret. */
  readonly commands: {
    readonly curl: string;
    /** Null when the body is no event that evfwd would send. */
    readonly evfwd: string | null;
    /** The command of evfwd; a batch is imported. */
    readonly evfwdCommand: 'send' | 'import' | null;
  };
}

/** What the receiver responded; `row.response` has the status and the delay. */
export interface ResponseDetail {
  /** Those that the receiver sets; the HTTP server adds Date and Connection. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** As far as it was sent. */
  readonly body: string;
  /** How a fault changed the way it was sent, or why there was no response; null for neither. */
  readonly note: string | null;
}

/** The requests that hold a text, in any case: in path, headers, body or event. */
export interface SearchResult {
  /** Their sequence numbers, ascending. */
  readonly sequences: readonly number[];
  /** The newest request that was searched; `after` when there was none. */
  readonly last: number;
}

export interface Stats {
  readonly requests: number;
  readonly events: number;
  readonly bytes: number;
  readonly byType: Readonly<Record<string, number>>;
  readonly bySignature: Readonly<Record<SignatureVerdict, number>>;
  /** By status; `none` for requests that got no response because of a fault. */
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
  /** How many of the newest requests are kept. */
  readonly maxKept: number;
  /** The file of `--record`, for display; null without. */
  readonly recordsTo: string | null;
}

export interface FaultPlan {
  /** In the order of evaluation, each as after `--fault`. */
  readonly faults: readonly string[];
  readonly seed: number;
}

export interface ReplayRequest {
  readonly ids: readonly string[];
  readonly url: string;
  /** `again`: signed with the secret of this run; `captured`: headers and signature as received. */
  readonly signature: 'again' | 'captured';
  /** Sent in place of what was received; then there is one id. */
  readonly edited?: EditedRequest;
}

/** Other headers and another body. The headers of one connection (Host, Content-Length, …) are set anew. */
export interface EditedRequest {
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body?: string;
  /** In place of `body`, for bytes that are no text. */
  readonly bodyBase64?: string;
}

export interface ReplayResult {
  readonly results: readonly {
    readonly id: string;
    readonly status: number | null;
    /** `timeout`, `refused`, …, or null. */
    readonly error: string | null;
    readonly durationMs: number;
    /** What the response said; absent without one. Of a 2xx it is the body alone. */
    readonly response?: ResponseExcerpt;
  }[];
}

/** Requests to be passed on, without their secrets; those that are no longer kept are left out. */
export interface SharedRequests {
  readonly ids: readonly string[];
}

export interface ApiError {
  readonly error: { readonly code: string; readonly message: string };
}

/** The events of `/_evfwd/api/stream`: the name, and its data as JSON. */
export interface StreamMessages {
  /** Sent first with all kept rows, the oldest first (in several messages if needed), then with new ones. */
  readonly rows: readonly RequestRow[];
  /** After `reset`. */
  readonly reset: Record<string, never>;
  /** The plan has changed. */
  readonly faults: FaultPlan;
}
