import type { Clock } from '../clock.js';
import { placeOf } from '../errors.js';
import type { DownReason } from '../delivery/circuit-breaker.js';
import type { AttemptResult } from '../delivery/outcome.js';
import { toMicroseconds } from '../duration.js';
import { StoreUnavailable } from '../store/postgres/unavailable.js';
import type { Refusal } from './collect/refusal.js';
import type { ForwardingListener } from './forward/sender.js';
import type { EventRecord } from './event-record.js';
import type { Log } from './log.js';
import { Metrics } from './operations/metrics.js';
import { Newest } from './operations/newest.js';
import type { Readings } from './operations/readings.js';
import { repeatOf, skipsOf } from './operations/skips.js';
import { Counters } from './operations/counters.js';
import { RecentRequests } from './operations/recent-requests.js';
import { Timeline } from './operations/timeline.js';
import { shownId } from './raw/repeat-id.js';
import { Throttle } from './throttle.js';
import type { OutcomeLog } from './store/store-views.js';
import type { Accepted, IngestBatch, Routing, Source } from './types.js';

export interface ObserverOptions {
  readonly clock: Clock;
  readonly log: Log;

  readonly deliveryLog: OutcomeLog;
  /** Data shown on pages has changed. */
  readonly onChange: () => void;
  /** What the gauges show. */
  readonly readings: () => Readings;
  /** How many events wait now, by destination, including those in flight or waiting for a retry. */
  readonly waiting: () => ReadonlyMap<string, number>;
  /** How many blocks of events are set aside. */
  readonly damagedBlocks: () => number;
  /** The name of the store that instances share. */
  readonly cluster?: string | undefined;
}

/** Repeated log messages are limited to one per this interval. */
const logEveryMs = 10_000;
const logDroppedEveryMs = 60_000;
const logStateEveryMs = 60_000;

/**
 * How many events are kept for the page; up to twice as many are in memory. Each attempt in them that failed
 * has at most 4 KB of the body of its response, so failures at one URL take 16 MB at worst, and about a
 * tenth of that with usual responses.
 */
const maxActivity = 2_000;

/** Counts, lists and logs everything that happens. */
export class Observer {
  /** The latest events that were forwarded to a destination, or skipped. */
  readonly activity = new Newest<EventRecord>(maxActivity);
  readonly requests = new RecentRequests();
  readonly counters = new Counters();
  readonly metrics: Metrics;
  readonly timeline: Timeline;

  readonly listener: ForwardingListener = {
    onAttempt: (destination, result, messageId) => this.#addAttempt(destination, result, messageId),
    onForwarding: (record) => this.#addRecord(record),
    onRepeated: (accepted, batch) => this.#addRepeated(accepted, batch),
    onDown: (...change) => this.#addDown(...change),
    onPause: (destination, url, untilMs) => this.#addPause(destination, url, untilMs),
    onFailure: (error) => this.#addFailure(error),
    onDefect: (error) => this.addDefect(error),
  };
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #deliveryLog: OutcomeLog;
  /** Accepted events that no destination gets again, by their batch. */
  readonly #repeated = new WeakMap<IngestBatch, Set<Accepted>>();
  readonly #onChange: () => void;
  readonly #refusals: Throttle<{ readonly refusal: Refusal; readonly source: string | undefined }>;
  readonly #rejections: Throttle<{ readonly source: string; readonly code: string }>;
  readonly #failures: Throttle<EventRecord>;
  readonly #pauses: Throttle<Pause>;
  readonly #defects: Throttle<string>;
  /** The item is the configured limit. */
  readonly #dropped: Throttle<number>;
  /** The item is the destination. */
  readonly #damaged: Throttle<string>;
  readonly #unreadable: Throttle<string>;
  readonly #keptDropped: Throttle<undefined>;
  readonly #notKept: Throttle<string>;

  constructor(options: ObserverOptions) {
    const { clock, log, deliveryLog, onChange, readings, waiting, damagedBlocks, cluster } =
      options;
    this.#clock = clock;
    this.#log = log;
    this.#deliveryLog = deliveryLog;
    this.#onChange = onChange;
    this.metrics = new Metrics(readings, damagedBlocks, cluster);
    this.timeline = new Timeline(clock, waiting);
    this.#refusals = new Throttle(clock, logEveryMs, ({ refusal, source }, count) =>
      this.#logRefusal(refusal, count, source),
    );
    this.#rejections = new Throttle(clock, logEveryMs, (about, count) =>
      log.warn({ ...about, count }, 'events rejected'),
    );
    this.#failures = new Throttle(clock, logEveryMs, (record, count) =>
      this.#logFailure(record, count),
    );
    this.#pauses = new Throttle(clock, logEveryMs, (pause) =>
      log.info(pause, 'endpoint paused by its Retry-After'),
    );
    this.#defects = new Throttle(clock, logEveryMs, (reason, count) =>
      log.error({ reason, count }, 'internal error of evfwd, please report it; no events are lost'),
    );
    this.#dropped = new Throttle(clock, logDroppedEveryMs, (keep, count) =>
      log.warn(
        { count, keep },
        'the oldest dead letters were dropped to make room for newer ones; to keep more, raise deadLetters.keep in the configuration file',
      ),
    );
    this.#damaged = new Throttle(clock, logStateEveryMs, (destination, events) =>
      log.error(
        { destination, events },
        'events in the state cannot be read: they are set aside, and the others are sent; a backup may still have them',
      ),
    );
    this.#unreadable = new Throttle(clock, logStateEveryMs, (reason, count) =>
      log.error({ reason, count }, 'the state cannot be read; will retry'),
    );
    this.#keptDropped = new Throttle(clock, logDroppedEveryMs, (_, count) =>
      log.warn(
        { count },
        'the oldest kept events were dropped before their retention had ended; to keep more, raise maxDisk in the configuration file, or make room on the disk',
      ),
    );
    this.#notKept = new Throttle(clock, logStateEveryMs, (reason, count) =>
      log.error(
        { reason, count },
        'accepted events cannot be kept; they are delivered all the same',
      ),
    );
  }

  /** Exports the counters of these sources before their first event. */
  expect(sources: readonly Source[]): void {
    this.metrics.expect(sources.map(({ name }) => name));
  }

  /** A batch is durable. */
  addBatch(batch: IngestBatch, routing: Routing): void {
    const source = batch.source.name;
    this.counters.addBatch(batch);
    this.metrics.addBatch(batch);
    const repeated = this.#repeated.get(batch);
    this.requests.add(batch, repeated);
    for (const { code } of batch.rejected) {
      this.#rejections.add(`${source} ${code}`, { source, code });
    }
    this.timeline.add('received', undefined, batch.accepted.length + batch.rejected.length);
    const fresh = batch.accepted.length - (repeated?.size ?? 0);
    for (const name of batch.source.destinations) this.timeline.add('received', name, fresh);
    for (const record of skipsOf(batch, routing, repeated)) this.#addRecord(record);
    this.#onChange();
  }

  /** What came of events at other instances, which have counted it: for the list of the newest. */
  addOfOthers(records: readonly EventRecord[]): void {
    for (const record of records) if (record.destination !== null) this.activity.add(record);
    if (records.length > 0) this.#onChange();
  }

  /** A request was refused; `source` is that of a raw source. */
  addRefusal(refusal: Refusal, source?: string): void {
    this.counters.addRefusal(refusal, this.#clock.now(), source ?? null);
    if (source !== undefined) this.timeline.add('received', undefined);
    this.metrics.addRefusal(refusal, source);
    const kind = `${source ?? ''} ${refusal.code} ${refusal.note?.nextStep ?? ''}`;
    this.#refusals.add(kind, { refusal, source });
    this.#onChange();
  }

  /** Dead letters of a destination were dropped because of the limit. */
  addDropped(destination: string, count: number, keep: number): void {
    this.metrics.addDropped(destination, count);
    this.#dropped.add('', keep, count);
    this.#onChange();
  }

  /** Kept events were dropped before their time. */
  addKeptDropped(count: number): void {
    this.metrics.addKeptDropped(count);
    this.#keptDropped.add('', undefined, count);
  }

  addKeepFailure(error: unknown): void {
    this.#notKept.add('', error instanceof Error ? error.message : String(error));
  }

  /** Waiting events of a destination cannot be read; they were set aside. */
  addDamaged(destination: string, events: number): void {
    this.#damaged.add('', destination, events);
    this.#onChange();
  }

  /** An unexpected exception. */
  addDefect(error: unknown): void {
    const { message, stack = '' } = error instanceof Error ? error : new Error(String(error));
    const reason = `${message}${placeOf(stack)}`;
    this.#defects.add(reason, reason);
  }

  /** Redacting deleted users in the delivery log failed. */
  addLogFailure(error: unknown): void {
    this.#log.error(
      { reason: (error as Error).message },
      'ids of deleted users cannot be removed from the delivery log; will retry',
    );
  }

  /** Stops sampling, and logs what was throttled. */
  end(): void {
    this.timeline.end();
    this.#refusals.end();
    this.#rejections.end();
    this.#failures.end();
    this.#pauses.end();
    this.#defects.end();
    this.#dropped.end();
    this.#keptDropped.end();
    this.#notKept.end(true);
    this.#damaged.end(true);
    this.#unreadable.end(true);
  }

  #addAttempt(destination: string, result: AttemptResult, messageId: string): void {
    this.metrics.addAttempt(destination, result);
    this.counters.addAttempt(destination, result);
    if (result.verdict !== 'delivered') this.#count('failedAttempts', destination);
    const { url, attempt, status, error, verdict } = result;
    const [id, durationMs] = [shownId(messageId), toMicroseconds(result.durationMs)];
    const fields = { destination, messageId: id, url, attempt, status, error, verdict, durationMs };
    this.#log.debug(fields, 'attempt');
  }

  #addRepeated(accepted: Accepted, batch: IngestBatch): void {
    const repeated = this.#repeated.get(batch);
    if (repeated) repeated.add(accepted);
    else this.#repeated.set(batch, new Set([accepted]));
    this.#addRecord(repeatOf(accepted, batch));
  }

  #addRecord(record: EventRecord): void {
    const { state, destination, code } = record;
    if (state !== 'retrying') this.#deliveryLog.add(record);
    if (destination === null) return;
    this.metrics.addRecord(destination, record);
    this.counters.addRecord(destination, record);
    if (state === 'delivered') this.#count('delivered', destination);
    this.activity.add(record);
    this.#onChange();
    if (state === 'failed') this.#failures.add(`${destination} ${code ?? ''}`, record);
  }

  #count(name: 'delivered' | 'failedAttempts', destination: string): void {
    this.timeline.add(name, undefined);
    this.timeline.add(name, destination);
  }

  #addDown(destination: string, url: string, isProbed: boolean, reason?: DownReason): void {
    if (isProbed) {
      const { status = null, error = null } = reason ?? {};
      const state = status === null ? 'down' : 'failing';
      const fields = { destination, url, status, error };
      this.#log.warn(fields, `endpoint is ${state}; probing it with single events`);
    } else this.#log.info({ destination, url }, 'endpoint recovered');
    this.#onChange();
  }

  #addPause(destination: string, url: string, untilMs: number | undefined): void {
    if (untilMs !== undefined) {
      const until = new Date(untilMs).toISOString();
      this.#pauses.add(`${destination} ${url}`, { destination, url, until });
    }
    this.#onChange();
  }

  #addFailure(error: unknown): void {
    // Of a store that is away, its own line says so.
    if ([error, (error as Error).cause].some((each) => each instanceof StoreUnavailable)) return;
    this.#unreadable.add('', (error as Error).message);
  }

  #logRefusal(
    { code, status, message, cause, note }: Refusal,
    count: number,
    source?: string,
  ): void {
    const fields = {
      ...(source !== undefined && { source }),
      ...{ code, status, ...note?.fields, count },
    };
    const next = note ? `; ${note.nextStep}` : '';
    if (status < 500) this.#log.warn(fields, `requests refused: ${message}${next}`);
    else {
      const reason = cause instanceof Error ? cause.message : undefined;
      this.#log.error({ ...fields, reason }, `requests not accepted: ${message}`);
    }
  }

  #logFailure({ destination, code, message }: EventRecord, count: number): void {
    this.#log.warn({ destination, code, count }, `events not delivered: ${message ?? ''}`);
  }
}

interface Pause {
  readonly destination: string;
  readonly url: string;
  readonly until: string;
}
