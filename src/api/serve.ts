import type { ApiError } from './listen.js';

/**
 * What `evfwd serve` and its operations page say to each other, all below `/_evfwd/`.
 *
 * | request                                    | answer                                                    |
 * | ------------------------------------------ | --------------------------------------------------------- |
 * | `GET  /_evfwd/`                            | the page; its assets below `/_evfwd/assets/`              |
 * | `GET  /_evfwd/api/page`                    | `ServiceSetup`; the one call that needs no token          |
 * | `GET  /_evfwd/api/overview`                | `Overview`: sources, destinations, the store              |
 * | `PUT  /_evfwd/api/destinations/:name`      | `DestinationChange` → `DestinationState`                  |
 * | `POST /_evfwd/api/destinations/:name/test` | sends a test event there at once: `TestResult`            |
 * | `GET  /_evfwd/api/deliveries`              | `Page<DeliveryRow>`, newest first; takes `ListQuery`      |
 * | `GET  /_evfwd/api/waiting`                 | `Page<WaitingRow>`, next due first; takes `ListQuery`     |
 * | `GET  /_evfwd/api/dead-letters`            | `Page<DeadLetterRow>`, newest first; takes `ListQuery`    |
 * | `GET  /_evfwd/api/dead-letters/:id`        | `DeadLetterDetail`; 404 when it is gone                   |
 * | `POST /_evfwd/api/redeliveries`            | `RedeliveryRequest` → `RedeliveryResult`                  |
 * | `GET  /_evfwd/api/rejected`                | `Page<RejectedRow>`, newest first; takes `ListQuery`      |
 * | `GET  /_evfwd/api/search`                  | `SearchResult`; takes `SearchQuery`                       |
 * | `GET  /_evfwd/api/deletions`               | `Page<DeletionRow>`, newest first; takes `ListQuery`      |
 * | `POST /_evfwd/api/deletions`               | `DeletionRequest` → `DeletionResult`                      |
 * | `GET  /_evfwd/api/stream`                  | server-sent events, see `ServiceMessages`                 |
 * | `GET  /_evfwd/health`, `ready`, `metrics`  | for machines; never need a token                          |
 *
 * With `--admin-token-file` every call below `/_evfwd/api/` but `page` needs the header
 * `Authorization: Bearer <token>`; without it the answer is 401 with code `no_token`. The stream
 * then has to be read with `fetch`, for an `EventSource` cannot send headers. Without a token the
 * service is bound to loopback, and calls from pages of other origins are refused with 403
 * (`foreign_host`, `foreign_origin`).
 *
 * Every error is an `ApiError`. Times are ISO 8601 in UTC with milliseconds. URLs come without their
 * query. Write keys, shared secrets and header values never leave the service.
 */
export const serviceApiPrefix = '/_evfwd/api';

/** What the page has to know before its first call. */
export interface ServiceSetup {
  /** Tells this service from `listen`, whose page has a different API. */
  readonly service: 'serve';
  readonly version: string;
  /** Whether the other calls need the token of `--admin-token-file`. */
  readonly needsToken: boolean;
}

export interface Overview {
  readonly sources: readonly SourceState[];
  readonly destinations: readonly DestinationState[];
  /** Whether anything was ever received, before an earlier stop, too. */
  readonly hasReceived: boolean;
  /** When the service was started. */
  readonly startedAt: string;
  /** When the configuration was last read without a mistake. */
  readonly configuredAt: string;
  /** The mistake that keeps a newer configuration file from being used; null when there is none. */
  readonly configurationError: string | null;
  /** Why events cannot be stored at the moment (clients get 503); null when they can. */
  readonly stateError: string | null;
  /** Requests that were refused as a whole since the start, by code; the most frequent first. */
  readonly refused: readonly RefusedCount[];
  /** Dead letters that newer ones have taken the place of, of all destinations, since the state was made. */
  readonly deadLettersDropped: number;
}

/** Such as `invalid_write_key`: nothing of these requests was taken, and no source is known. */
export interface RefusedCount {
  readonly code: string;
  readonly count: number;
  readonly message: string;
  readonly lastAt: string;
}

export interface SourceState {
  readonly name: string;
  readonly enabled: boolean;
  /** Names of its destinations. */
  readonly destinations: readonly string[];
  /** Counts since the service was started. */
  /** Rejected and repeated events included. */
  readonly received: number;
  readonly rejected: number;
  /**
   * Left out, for all their destinations had an event of the source with their messageId within a
   * day. One that goes to some of them, which had it not, is not counted.
   */
  readonly repeated: number;
  /** When its last event came; null for none since the start. */
  readonly lastReceivedAt: string | null;
}

export interface DestinationState {
  /** Its key in the configuration file. */
  readonly name: string;
  /** What `integrations` calls it. */
  readonly integrationName: string;
  /** False for one that events still wait for, and that the configuration has no more. */
  readonly configured: boolean;
  /** As it is in force. */
  readonly enabled: boolean;
  /** As it stands in the configuration file; differs from `enabled` where it was switched by hand. */
  readonly configuredEnabled: boolean;
  readonly signed: boolean;
  readonly allowPrivateNetworks: boolean;
  readonly endpoints: readonly EndpointState[];
  /** Names of the sources that send to it. */
  readonly sources: readonly string[];
  /** Events that are on their way or wait for their turn, without those that wait for a retry. */
  readonly queued: number;
  /** When the oldest of those came that were never tried; null for none. */
  readonly queuedSince: string | null;
  /** Events that wait for a retry. */
  readonly retrying: number;
  /** When the next retry is due; null for none. */
  readonly nextRetryAt: string | null;
  readonly deadLetters: number;
  /** Of its dead letters, how many newer ones have taken the place of, since the state was made. */
  readonly deadLettersDropped: number;
  /** Counts since the service was started. */
  readonly delivered: number;
  readonly failed: number;
  /** The last attempt that did not succeed; null for none since the start. */
  readonly lastFailure: AttemptRow | null;
}

export interface EndpointState {
  /** Without its query. */
  readonly url: string;
  /** It does not answer: single events probe it until it does. */
  readonly down: boolean;
  /** A `Retry-After` asked to send nothing until then; null where none did. */
  readonly pausedUntil: string | null;
  /** Names of its static headers; their values are not shown. */
  readonly headerNames: readonly string[];
}

export interface AttemptRow {
  readonly at: string;
  /** Without its query. */
  readonly url: string;
  /** 1 for the first. */
  readonly attempt: number;
  readonly status: number | null;
  /** `timeout`, `refused`, `reset`, `dns`, `tls`, `private_address`, …; null with a status. */
  readonly error: string | null;
  readonly durationMs: number;
}

/** What lists can be asked for, in the query. */
export interface ListQuery {
  /** Rows in a page, 1 to 500. Default: 100. */
  readonly limit?: number;
  /** `next` of the page before. */
  readonly after?: string;
  readonly source?: string;
  readonly destination?: string;
  /** Only rows whose messageId, user, name, type, code or message holds this text, in any case. */
  readonly search?: string;
}

export interface Page<Row> {
  readonly rows: readonly Row[];
  /** For `after`; null on the last page. A page of a search may be short, or empty, with more behind it. */
  readonly next: string | null;
  /** About how many rows there are without `limit`, `after` and `search`. */
  readonly total: number;
}

/** An event as lists show it. */
export interface EventSummary {
  readonly source: string;
  readonly messageId: string;
  readonly type: string;
  /** The event's name (track), the page's or screen's name, or the group's id; null where none. */
  readonly name: string | null;
  /** The userId, else the anonymousId; null, too, in the history where their deletion was asked for. */
  readonly user: string | null;
  readonly receivedAt: string;
}

/**
 * `delivered` and `failed` are final, `retrying` is not. `skipped` events were not forwarded; `code`
 * says why: `integration_off`, `source_disabled`, `destination_disabled`.
 */
export type DeliveryState = 'delivered' | 'failed' | 'retrying' | 'skipped';

/** What became of an event at a destination; the newest 2,000 are kept in memory. */
export interface DeliveryRow extends EventSummary {
  /** Of the row: a later row of the same event and destination has another one. */
  readonly id: string;
  readonly destination: string;
  readonly state: DeliveryState;
  readonly at: string;
  /** Those of this round, one for each endpoint; the oldest first. Empty when skipped. */
  readonly attempts: readonly AttemptRow[];
  /** Tries in all, those of earlier rounds included. */
  readonly tries: number;
  /** When it is tried again; null unless `retrying`. */
  readonly nextAt: string | null;
  /** Unless delivered: a stable code and a sentence. */
  readonly code: string | null;
  readonly message: string | null;
}

/** An event that waits for a retry at a destination. */
export interface WaitingRow extends EventSummary {
  readonly id: string;
  readonly destination: string;
  readonly nextAt: string;
  readonly tries: number;
  /** Of the last try. */
  readonly status: number | null;
  readonly error: string | null;
  /** Why it waits for longer than until `nextAt`: the destination is off, say. Null if it does not. */
  readonly held: string | null;
}

/** An event that waits for its first try at a destination. */
export interface QueuedRow extends EventSummary {
  readonly id: string;
  readonly destination: string;
  /** `queued`, `endpoint_down`, `endpoint_paused`, `destination_off`, `destination_removed`. */
  readonly code: string;
  /** Why it waits, and what happens next. */
  readonly message: string;
}

/** What an event came to for good, as it was noted then. */
export interface HistoryRow extends EventSummary {
  /** `repeated`: left out, for its source had sent the messageId within a day. */
  readonly state: 'delivered' | 'failed' | 'skipped' | 'repeated';
  /** Null where its source has none, or it was repeated. */
  readonly destination: string | null;
  readonly at: string;
  /** In all. */
  readonly tries: number;
  /** Of the last try, as the next two are. */
  readonly status: number | null;
  readonly error: string | null;
  readonly durationMs: number;
  /** Unless delivered: a stable code and a sentence. */
  readonly code: string | null;
  readonly message: string | null;
}

export interface SearchQuery {
  /** In a messageId, user, name, type, code or message, in any case; 1 to 1000 characters. */
  readonly search: string;
  readonly source?: string;
  readonly destination?: string;
}

/** All that is known of events; each list has the newest 500 at most, the newest first. */
export interface SearchResult {
  /** When it was looked at. */
  readonly at: string;
  readonly queued: readonly QueuedRow[];
  readonly waiting: readonly WaitingRow[];
  readonly deadLetters: readonly DeadLetterRow[];
  readonly rejected: readonly RejectedRow[];
  readonly history: readonly HistoryRow[];
  /** Since when the history has everything; null while it is empty. */
  readonly historyFrom: string | null;
  /** False when there was too much to look at, or to list. */
  readonly isComplete: boolean;
  /** Sources that sent an event with this very messageId within a day, and when, to ten minutes. */
  readonly seen: readonly { readonly source: string; readonly at: string }[];
}

/** An event that was given up at a destination. */
export interface DeadLetterRow extends EventSummary {
  readonly id: string;
  readonly destination: string;
  readonly at: string;
  readonly code: string;
  readonly message: string;
  readonly tries: number;
  readonly lastStatus: number | null;
}

export interface DeadLetterDetail {
  readonly row: DeadLetterRow;
  /** The JSON text of the event as it came. */
  readonly event: string;
}

/** A call that was refused while the rest of its request was taken. */
export interface RejectedRow {
  readonly id: string;
  readonly source: string;
  readonly at: string;
  readonly code: string;
  readonly message: string;
  /** Its text, at most the first 32 KB, without the write key; not always JSON. */
  readonly text: string;
}

export interface DestinationChange {
  /**
   * Holds until it is changed again, also over restarts, or until the configuration file says
   * something new. What waits is kept; events that come while it is off are not forwarded to it.
   */
  readonly enabled: boolean;
}

export interface TestResult {
  readonly messageId: string;
  readonly delivered: boolean;
  readonly attempts: readonly AttemptRow[];
  /** Unless delivered. */
  readonly code: string | null;
  readonly message: string | null;
}

/** Those with these ids (1 to 500), or all of a destination. */
export type RedeliveryRequest =
  { readonly ids: readonly string[] } | { readonly destination: string };

export interface RedeliveryResult {
  /** So many go out again, under the same messageId and with the same body; their letters are gone. */
  readonly redelivered: number;
}

export interface DeletionRequest {
  /** Text that is not empty, or a number. */
  readonly userId: string | number;
  /** Names of sources. Default: all. */
  readonly sources?: readonly string[];
}

/** A deletion request, of a client or an operator; the newest 10,000 are kept. */
export interface DeletionRow {
  readonly id: string;
  readonly source: string;
  /** As text, also where it is a number. */
  readonly user: string;
  /** Of the request; when it came, where it had none. */
  readonly timestamp: string;
  readonly at: string;
  /** Of its notification, to search for; null for a request of an older version. */
  readonly messageId: string | null;
}

export interface DeletionResult {
  /** The sources that have an enabled destination, each with one notification. */
  readonly deletions: readonly {
    readonly source: string;
    readonly destinations: readonly string[];
  }[];
}

/** The events of `/_evfwd/api/stream`: the name, and what its data holds as JSON. */
export interface ServiceMessages {
  /** First: what is kept, the oldest first (in as many messages as it takes); then what is new. */
  readonly deliveries: readonly DeliveryRow[];
  /** The newest 500 at first. */
  readonly rejected: readonly RejectedRow[];
  /** At the start, and at most once a second when something in it has changed. */
  readonly overview: Overview;
}

export type ServiceError = ApiError;
