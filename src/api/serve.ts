import type { ResponseExcerpt } from '../delivery/outcome.js';
import type { ApiError, SignatureVerdict } from './listen.js';

/**
 * The API between `evfwd serve` and its operations page, all below `/_evfwd/`.
 *
 * | request                                    | response                                                  |
 * | ------------------------------------------ | --------------------------------------------------------- |
 * | `GET  /_evfwd/`                            | the page; its assets below `/_evfwd/assets/`              |
 * | `GET  /_evfwd/api/page`                    | `ServiceSetup`; the one call that needs no token          |
 * | `GET  /_evfwd/api/overview`                | `Overview`: sources, destinations, the store              |
 * | `PUT  /_evfwd/api/destinations/:name`      | `DestinationChange` → `DestinationState`                  |
 * | `POST /_evfwd/api/destinations/:name/test` | sends a test event at once, or a request: `TestResult`    |
 * | `GET  /_evfwd/api/destinations/:name/users`| `UserQueues`: who waits for what, where it is `ordered`   |
 * | `GET  /_evfwd/api/failures/:name`          | last failure of a destination: `AttemptRow`; 404 for none |
 * | `GET  /_evfwd/api/series`                  | `Series`, what happened over time; query `SeriesQuery`    |
 * | `GET  /_evfwd/api/deliveries`              | `Page`, the newest in memory first; query `ListQuery`     |
 * | `GET  /_evfwd/api/waiting`                 | `Page`, next due first; query `ListQuery`                 |
 * | `GET  /_evfwd/api/dead-letters`            | `Page`, newest first; query `ListQuery`                   |
 * | `GET  /_evfwd/api/dead-letters.ndjson`     | all as lines, newest first; query `DeadLettersQuery`      |
 * | `GET  /_evfwd/api/rejected`                | `Page`, newest first; query `ListQuery`                   |
 * | `GET  /_evfwd/api/events/:id`              | `EventAtDestination`: all that is known; 404 for nothing  |
 * | `POST /_evfwd/api/redeliveries`            | `RedeliveryRequest` → `RedeliveryResult`                  |
 * | `POST /_evfwd/api/replays?preview`         | `ReplayBody` → `ReplayCount`: what it would send          |
 * | `POST /_evfwd/api/replays`                 | `ReplayBody` → 202 `ReplayCreated`                        |
 * | `GET  /_evfwd/api/replays`                 | `ReplayList`, newest first                                |
 * | `DELETE /_evfwd/api/replays/:id`           | stops it: `ReplayRow`                                     |
 * | `GET  /_evfwd/api/search`                  | `SearchResult`; query `SearchQuery`                       |
 * | `GET  /_evfwd/api/deletions`               | `Page<DeletionRow>`, newest first; query `ListQuery`      |
 * | `POST /_evfwd/api/deletions`               | `DeletionRequest` → `DeletionResult`                      |
 * | `GET  /_evfwd/api/stream`                  | server-sent events, see `ServiceMessages`                 |
 * | `GET  /_evfwd/health`, `ready`, `metrics`  | for machines; never need a token                          |
 *
 * With `--admin-token-file` every call below `/_evfwd/api/` except `page` needs the header
 * `Authorization: Bearer <token>`; without it the response is 401 with code `no_token`. The stream
 * must then be read with `fetch`, since an `EventSource` cannot send headers. Without a token the
 * service is bound to loopback, and calls from pages of other origins, or through a proxy, are refused
 * with 403 (`foreign_host`, `foreign_origin`, `proxied`).
 *
 * The messages of the stream leave out each `response`, so that they stay small.
 *
 * Every error is an `ApiError`. Times are ISO 8601 in UTC with milliseconds. URLs have no query.
 * Write keys, shared secrets and values of static headers are never exposed. A request of a raw source is shown as it
 * was received, with its headers, by `events/:id` and in dead letters.
 */
export const serviceApiPrefix = '/_evfwd/api';

/** What the page needs before its first call. */
export interface ServiceSetup {
  /** Distinguishes this service from `listen`, whose page has a different API. */
  readonly service: 'serve';
  readonly version: string;
  /** Whether the other calls need the token of `--admin-token-file`. */
  readonly needsToken: boolean;
}

export interface Overview {
  readonly sources: readonly SourceState[];
  readonly destinations: readonly DestinationState[];
  /** Whether anything was ever received, also by an earlier process. */
  readonly hasReceived: boolean;
  /** When the service was started. */
  readonly startedAt: string;
  /** When the configuration was last read without an error. */
  readonly configuredAt: string;
  /** The error that prevents a newer configuration file from being used; null for none. */
  readonly configurationError: string | null;
  /** Why events currently cannot be stored (clients get 503); null when they can. */
  readonly stateError: string | null;
  /** Requests that were refused as a whole since the start, by code and source; the most frequent first. */
  readonly refused: readonly RefusedCount[];
  /** Dead letters of all destinations that were dropped for newer ones since the state was created. */
  readonly deadLettersDropped: number;
  /** Blocks of waiting events that cannot be read and are set aside, since the state was created. */
  readonly damagedBlocks: number;
  /** The events in them, once for each destination. */
  readonly damagedEvents: number;
  /** Those that share the store, the oldest first; none where this process has its own. */
  readonly instances: readonly InstanceState[];
  /** Age of the oldest transaction of anybody in the store that instances share; null without one. */
  readonly oldestTransactionSeconds: number | null;
  /** The accepted events that are kept for replays; null where none are. */
  readonly kept: KeptState | null;
}

export interface KeptState {
  /** Replays that run, as of a moment ago. */
  readonly runningReplays: number;
}

/** An instance of a service whose store others share. */
export interface InstanceState {
  readonly id: string;
  readonly startedAt: string;
  readonly lastSeen: string;
  readonly version: string;
  /** Differs between instances with different configurations. */
  readonly configHash: string;
}

/** Such as `invalid_write_key`: nothing of these requests was accepted. */
export interface RefusedCount {
  readonly code: string;
  /** Name of the raw source; null where it is unknown, as with a wrong write key. */
  readonly source: string | null;
  readonly count: number;
  readonly message: string;
  readonly lastAt: string;
}

/** How a source takes the requests of any sender. */
export interface RawSourceState {
  /** Exact, or with a `/*` at its end. */
  readonly path: string;
  /** Name of the scheme, or `auto`. */
  readonly scheme: string;
  /** Whether it has a secret. */
  readonly verified: boolean;
  /** Whether a request without a valid signature gets 401. */
  readonly enforced: boolean;
}

export interface SourceState {
  readonly name: string;
  /** Absent of a source of events. */
  readonly raw?: RawSourceState;
  readonly enabled: boolean;
  /** Names of its destinations. */
  readonly destinations: readonly string[];
  /** Since the service was started, like the next two; including rejected and repeated events. */
  readonly received: number;
  readonly rejected: number;
  /**
   * Skipped because all their destinations had an event of the source with the same messageId within
   * a day. An event that still goes to some of them is not counted.
   */
  readonly repeated: number;
  /** When its last event was received; null for none since the start. */
  readonly lastReceivedAt: string | null;
}

export interface DestinationState {
  /** Its key in the configuration file. */
  readonly name: string;
  /** Its name in `integrations`. */
  readonly integrationName: string;
  /** False for a removed one for which events still wait. */
  readonly configured: boolean;
  /** The active value. */
  readonly enabled: boolean;
  /** The value in the configuration file; differs from `enabled` when it was switched by hand. */
  readonly configuredEnabled: boolean;
  /** Why nothing can be sent to it until that is put right, as an unusable certificate; null if something can. */
  readonly refusal: string | null;
  readonly signed: boolean;
  /** Whether the events of one user go one after the other. */
  readonly ordered: boolean;
  readonly allowPrivateNetworks: boolean;
  readonly endpoints: readonly EndpointState[];
  /** Names of the sources that send to it. */
  readonly sources: readonly string[];
  /** Events in flight or queued, without those that wait for a retry. */
  readonly queued: number;
  /** When the oldest event without an attempt was queued; null for none. */
  readonly queuedSince: string | null;
  /** Events that wait for a retry. */
  readonly retrying: number;
  /** When the next retry is due; null for none. */
  readonly nextRetryAt: string | null;
  readonly deadLetters: number;
  /** Its dead letters that were dropped for newer ones since the state was created. */
  readonly deadLettersDropped: number;
  /** Since the service was started, like the next one. */
  readonly delivered: number;
  readonly failed: number;
  /** About the last minute: events delivered, and attempts that did not deliver. */
  readonly lastMinute: { readonly delivered: number; readonly failedAttempts: number };
  /** The last attempt that did not succeed; null for none since the start. */
  readonly lastFailure: AttemptRow | null;
}

/**
 * How an endpoint is, by its attempts since the service was started, test events included:
 * - `unused`: there were none.
 * - `gone`: the last response was 410 Gone. Later events are still sent.
 * - `down`: the last three attempts (or all, of fewer) had no response: refused, timed out, no such
 *   host, TLS, …
 * - `failing`: it responds, but more than half of the last ten attempts did not deliver, and the last
 *   three were not all delivered.
 * - `up`: all else.
 */
export type EndpointHealth = 'unused' | 'up' | 'failing' | 'down' | 'gone';

export interface EndpointState {
  /** Without its query. */
  readonly url: string;
  readonly health: EndpointHealth;
  /** Of its last attempt that did not deliver: the status; null without a response, and for none. */
  readonly lastStatus: number | null;
  /** The error of that attempt, as in `AttemptRow`; null with a status, and for none. */
  readonly lastError: string | null;
  /** Whether its health is `down`. */
  readonly down: boolean;
  /** After many failures in a row, single events probe it until it recovers; the others are queued. */
  readonly probing: boolean;
  /** The end of a pause requested by `Retry-After`; null for none. */
  readonly pausedUntil: string | null;
  /** Names of its static headers; their values are not shown. */
  readonly headerNames: readonly string[];
  /** When its client certificate ends; null without one. */
  readonly certificateEndsAt: string | null;
  readonly settings: ShownSettings;
}

/** What an endpoint has for itself, as in the configuration file; secrets are left out. */
export interface ShownSettings {
  readonly types?: readonly string[];
  readonly events?: readonly string[];
  readonly where?: readonly string[];
  readonly retryStatus?: readonly number[];
  /** In milliseconds. */
  readonly timeoutMs?: number;
  readonly concurrency?: number;
  /** Attempts per second. */
  readonly rate?: number;
  /** Without user and password. */
  readonly proxy?: string;
  readonly auth?: 'bearer' | 'basic' | 'oauth2';
  readonly tls?: readonly ('client certificate' | 'ca')[];
  /** Of the destination. */
  readonly batch?: { readonly size: number; readonly maxBytes: number; readonly waitMs: number };
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
  /** What a response that is no 2xx said; absent without one, and when it is no longer stored. */
  readonly response?: ResponseExcerpt;
}

/** The users of an ordered destination whose events wait for an earlier one, the longest queues first, at most 20. */
export interface UserQueues {
  readonly users: readonly UserQueue[];
}

export interface UserQueue {
  /** The event that the others wait for: `retrying`, or `queued` while it is sent. Null if it cannot be read. */
  readonly first: EventAtDestination | null;
  /** Why its last attempt failed: a stable code and a sentence; null before the first. */
  readonly code: string | null;
  readonly message: string | null;
  /** How many events of the user wait behind it, as far as the queue was read. */
  readonly waiting: number;
}

/** The query of a series. */
export interface SeriesQuery {
  /** How far it goes back: in steps of 10 seconds, or of 5 minutes for `24h`. Default: `1h`. */
  readonly span?: '15m' | '1h' | '24h';
  /** Only what concerns this destination. */
  readonly destination?: string;
  /** `next` of an earlier answer: only the steps that were not complete then. */
  readonly from?: number;
}

/**
 * What happened, by steps of the same length, the oldest first. It is kept in memory and begins with the
 * start of the service. A step is as long on a clock that is set forward or back; then the times of
 * all steps move with it.
 */
export interface Series {
  readonly stepSeconds: number;
  /** Beginning of the first step. */
  readonly from: string;
  /** Number of the first step; the next step has the next number. Steps before the start are left out. */
  readonly first: number;
  /** Number of the last step, which is not complete: ask for the rest from there. */
  readonly next: number;
  /** Events received, rejected ones included; of a destination, the new valid events of its sources. */
  readonly received: readonly number[];
  /** Events delivered; one that goes to two destinations counts twice, as in the next two. */
  readonly delivered: readonly number[];
  /** Attempts that did not deliver. */
  readonly failedAttempts: readonly number[];
  /** Events that were queued or waited for a retry, at the end of the step. */
  readonly waiting: readonly number[];
}

/** The query of lists. */
export interface ListQuery {
  /** Rows per page, 1 to 500. Default: 100. */
  readonly limit?: number;
  /** `next` of the previous page. */
  readonly after?: string;
  readonly source?: string;
  readonly destination?: string;
  /** Only rows whose messageId, user, name, type, code or message contains this text, in any case. */
  readonly search?: string;
}

export interface Page<Row = EventAtDestination> {
  readonly rows: readonly Row[];
  /** For `after`; null on the last page. A page of a search may be short or empty and not the last. */
  readonly next: string | null;
  /** Approximate number of rows without `limit`, `after` and `search`. */
  readonly total: number;
}

/**
 * What became of an event at a destination, so far:
 * - `queued`: it waits for its first attempt; `code` and `message` say why.
 * - `retrying`: it waits for its next attempt.
 * - `delivered` and `failed` are final; one that failed is kept as a dead letter.
 * - `skipped`: it is not forwarded; `code` says why: `integration_off`, `not_wanted` (by no endpoint),
 *   `source_disabled`, `destination_disabled`, `no_destination`.
 * - `repeated`: skipped because its source had sent the messageId within a day.
 * - `rejected`: a call that is not valid, while the rest of its request was accepted.
 */
export type EventState =
  'queued' | 'retrying' | 'delivered' | 'failed' | 'skipped' | 'repeated' | 'rejected';

/** A request of a raw source, in the format of captures. */
export interface StoredCapture {
  readonly type: 'request';
  /** Its messageId. */
  readonly id: string;
  readonly receivedAt: string;
  readonly method: string;
  /** As received, with its query. */
  readonly path: string;
  /** Names in lower case; a repeated header has a list of values. Without hop-by-hop headers. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  /** As received, if it is UTF-8. */
  readonly body?: string;
  readonly bodyBase64?: string;
  readonly signature: SignatureVerdict;
  /** By which scheme it was judged; absent where it was not, or none was found. */
  readonly scheme?: string;
  /** Why the signature is not valid. */
  readonly reason?: string;
}

/** The query of all dead letters as lines, each one of the format that `import` and `replay` read. */
export interface DeadLettersQuery {
  readonly source?: string;
  readonly destination?: string;
}

/** An event at a destination, or a request. All lists, the search and the stream consist of these. */
export interface EventAtDestination {
  /** Identifies the event at the destination: the same in all lists, in each state, after a restart. */
  readonly id: string;
  readonly state: EventState;
  readonly source: string;
  /** Null when its source has none, and for an event that was repeated or rejected. */
  readonly destination: string | null;
  /** This and the type are null only where a rejected call has none. */
  readonly messageId: string | null;
  /** Of a request its method. */
  readonly type: string | null;
  /**
   * The event's name (track), the page's or screen's name, or the group's id; of a request its path, without its
   * query; null for none.
   */
  readonly name: string | null;
  /** The userId, else the anonymousId; also null in the history when their deletion was requested. */
  readonly user: string | null;
  readonly receivedAt: string;
  /** When it came to its state; of one that waits, when it was received. */
  readonly at: string;
  /** The number of all attempts, including earlier rounds. */
  readonly attempts: number;
  /** Of the last attempt; null without a response, and without an attempt. */
  readonly status: number | null;
  /** The error of that attempt, as in `AttemptRow`; null with a status, and without an attempt. */
  readonly error: string | null;
  /** Of that attempt; 0 where it is not known. */
  readonly durationMs: number;
  /**
   * Unless delivered: a stable code and a sentence. Of a queued event: `queued`, `endpoint_down`,
   * `endpoint_failing`, `endpoint_paused`, `destination_off`, `destination_refused`, `destination_removed`. Null in the list
   * of waiting events.
   */
  readonly code: string | null;
  readonly message: string | null;
  /** Time of the next attempt, or the end of a pause; null for none, or when it is not known. */
  readonly nextAt: string | null;
  /** Why a retry waits longer than until `nextAt`: a destination that is off, an endpoint that is down. */
  readonly held?: string;
  /** When it was known to wait; absent from the stream and from what does not wait. */
  readonly asOf?: string;
  /**
   * The attempts of the last round, one per endpoint, the oldest first. Only in `deliveries`, the stream and
   * `events/:id`, of the newest events.
   */
  readonly endpoints: readonly AttemptRow[];
  /**
   * What the last response said, unless delivered: in `deliveries`, `events/:id` and the results of a
   * search, there with at most 1,024 bytes of its body.
   */
  readonly response?: ResponseExcerpt;
  /**
   * Its JSON text as received: of a dead letter in `events/:id`, and of what was rejected, there at most the
   * first 32 KB, without the write key, and not always JSON.
   */
  readonly text?: string;
  /** In `events/:id`: of a request, while it is stored, or among the newest in memory. */
  readonly request?: StoredCapture;
}

export interface SearchQuery {
  /** Part of a messageId, user, name, type, code or message, in any case; 1 to 1000 characters. */
  readonly search: string;
  readonly source?: string;
  readonly destination?: string;
}

/** Everything found: of each kind (queued, waiting, dead letters, rejected, history) at most the newest 500. */
export interface SearchResult {
  /** Time of the search. */
  readonly at: string;
  /** One record for each event and destination, the newest first. */
  readonly events: readonly EventAtDestination[];
  /** Time from which the history is complete; null while it is empty. */
  readonly historyFrom: string | null;
  /** False when there was too much to search or to list. */
  readonly isComplete: boolean;
  /** Sources that sent an event with exactly this messageId within a day, and when (within ten minutes). */
  readonly seen: readonly { readonly source: string; readonly at: string }[];
}

export interface DestinationChange {
  /**
   * Holds, also over restarts, until it is switched again or its value in the configuration file
   * changes. Events wait for a destination that was switched off, and are sent when it is on again; one
   * that is off as the configuration says gets none.
   */
  readonly enabled: boolean;
}

export interface TestResult {
  /** Of a destination that gets only requests of raw sources: what was sent is one; null for an event. */
  readonly request: {
    /** Anew, or as its sender would. */
    readonly signed: boolean;
  } | null;
  readonly messageId: string;
  readonly delivered: boolean;
  readonly attempts: readonly AttemptRow[];
  /** Unless delivered. */
  readonly code: string | null;
  readonly message: string | null;
}

/** The dead letters of events with these ids (1 to 500), or all of a destination. */
export type RedeliveryRequest =
  { readonly ids: readonly string[] } | { readonly destination: string };

export interface RedeliveryResult {
  /** How many are queued again, with the same messageId and body, and are no longer dead letters. */
  readonly redelivered: number;
}

/** Which kept events are sent again. All must hold; an absent one always does. Unknown members are refused. */
export interface ReplayBody {
  /** Name of a destination that is on. */
  readonly destination: string;
  /** Of arrival, inclusive: ISO 8601, a day (its midnight in UTC), or a duration before now (`36h`). */
  readonly since?: string;
  /** Of arrival, exclusive; as `since`, and not before it. */
  readonly until?: string;
  readonly types?: readonly string[];
  /** Names of track events; `*` matches any text. */
  readonly events?: readonly string[];
  /** userIds or anonymousIds. */
  readonly users?: readonly string[];
  /** As `--where`. */
  readonly where?: readonly string[];
  /** What became of them there. Default: `any`, but for what still waits. */
  readonly state?: 'any' | 'delivered' | 'dead';
  /** As `--rate`: `100/s`. Default: as fast as the destination takes them. */
  readonly rate?: string;
}

/** What a replay would send now. */
export interface ReplayCount {
  readonly events: number;
  /** False: there may be more, since counting takes too long. */
  readonly isComplete: boolean;
  /** Events that wait for the destination, those that earlier replays have queued among them. */
  readonly waiting: number;
  /** Ids of other replays to the destination that run: they may send the same events. */
  readonly running: readonly string[];
}

/** What waited, and which others ran, when it was made: as of `ReplayCount`. */
export interface ReplayCreated extends Pick<ReplayCount, 'waiting' | 'running'> {
  readonly id: string;
}

export interface ReplayList {
  readonly replays: readonly ReplayRow[];
}

export interface ReplayRow {
  /** As in the header `X-Evfwd-Replay`. */
  readonly id: string;
  readonly destination: string;
  readonly state: 'running' | 'finished' | 'stopped' | 'failed';
  /** How many events were queued. */
  readonly sent: number;
  /** How many were counted before the first was sent; null until then, and if it ended before. */
  readonly total: number | null;
  /**
   * How many of them were not sent: they were deleted meanwhile, or had expired. Known when it has finished; `sent` and
   * `skipped` are together `total` then. Else 0.
   */
  readonly skipped: number;
  /** Why it failed; else null. */
  readonly message: string | null;
  readonly createdAt: string;
  readonly endedAt: string | null;
  /** The rest of what was asked for. */
  readonly selection: Omit<ReplayBody, 'destination'>;
}

export interface DeletionRequest {
  /** A string that is not empty, or a number. */
  readonly userId: string | number;
  /** Names of sources. Default: all. */
  readonly sources?: readonly string[];
}

/** A deletion request, of a client or an operator; the newest 10,000 are kept. */
export interface DeletionRow {
  readonly id: string;
  readonly source: string;
  /** As text, also when it is a number. */
  readonly user: string;
  /** Of the request; by default the time when it was received. */
  readonly timestamp: string;
  readonly at: string;
  /** Of its notification, to search for. */
  readonly messageId: string;
}

export interface DeletionResult {
  /** The sources that have an enabled destination, each with one notification. */
  readonly deletions: readonly {
    readonly source: string;
    readonly destinations: readonly string[];
  }[];
}

/** The events of `/_evfwd/api/stream`: the name, and its data as JSON. */
export interface ServiceMessages {
  /** First the kept rows, the oldest first (in several messages if needed); then new ones. */
  readonly deliveries: readonly EventAtDestination[];
  /** The newest 500 at first. */
  readonly rejected: readonly EventAtDestination[];
  /** At the start, and at most once per second when something in it has changed. */
  readonly overview: Overview;
}

export type ServiceError = ApiError;
