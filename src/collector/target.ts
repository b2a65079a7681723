import { systemClock, type Clock } from '../clock.js';
import { defaults } from '../defaults.js';
import {
  rejection,
  type AttemptResult,
  type EndpointDeliveryState,
  type Outcome,
  type SharedOutcome,
  withId,
} from '../delivery/outcome.js';
import type { DownReason } from '../delivery/circuit-breaker.js';
import { explainFailure } from '../delivery/describe.js';
import type { EndpointNotice } from '../delivery/endpoint-notice.js';
import { isPastWindow } from '../delivery/endpoint-state.js';
import { defaultRetryDelaysMs, type RetryPolicy } from '../delivery/retry-schedule.js';
import type { EventType } from '../events/event.js';
import type { ClientCertificate } from '../http/tls.js';
import { checkSize, type Violation } from '../events/rules.js';
import { detachEvent } from '../events/text-event.js';
import type { Outgoing, Target } from '../delivery/target.js';
import { messageText } from './message-text.js';
import type { Recipient } from './recipient.js';
import { Uploader } from './uploader.js';

export { collectorUrl } from './endpoint.js';

export interface CollectorTargetOptions {
  /** Sent as the user name of Basic authentication, never shown. */
  readonly writeKey: string;
  /** A URL without a path gets `/v1/batch`; one with a path is used unchanged. */
  readonly endpoint: string;
  /** Time from the start of an attempt to the status line, in milliseconds. Default 5000. */
  readonly timeoutMs?: number;
  /** How long one batch is retried, from its first attempt, in milliseconds. Default 4 hours; 0 attempts once. */
  readonly retryWindowMs?: number;
  /** The waits between attempts, in milliseconds; the last one repeats. */
  readonly retryDelaysMs?: readonly number[];
  /** Batches in flight. Default 64. */
  readonly concurrency?: number;
  /** PEM texts of certificates to trust in addition to Node's own. */
  readonly ca?: readonly string[];
  /** Sent to a collector that asks for one. Default: none. */
  readonly clientCertificate?: ClientCertificate | undefined;
  /** URL of an HTTP proxy in front of the collector. Default: none. */
  readonly proxy?: string | undefined;
  /** Events in a batch, at most 2500. Default 250. */
  readonly flushAt?: number;
  /** Longest time that an event waits for its batch to fill, in milliseconds. Default 1000. */
  readonly flushAfterMs?: number;
  /**
   * End an event that is to be retried as `pending`, with `retry` saying when, instead of keeping it in
   * memory. Default false.
   */
  readonly returnsRetries?: boolean;
  /**
   * A 410 disables the collector for the lifetime of this target: events not sent yet fail as `gone`.
   * Default false: a 410 is final only for its batch.
   */
  readonly disablesOnGone?: boolean;
  /** Called when the collector is considered down, with the reason, and when it is up again. */
  readonly onDown?: (url: string, isDown: boolean, reason?: DownReason) => void;
  /**
   * Called with what a response says about the collector as a whole, so that other targets of it can apply
   * it as well; not for notices received by `applyNotice`. `queue` is always 0, since there is one URL.
   */
  readonly onNotice?: (queue: number, notice: EndpointNotice) => void;
  /** Asked before each probe of a collector that is down; `queue` is always 0. Default: always. */
  readonly mayProbe?: (queue: number) => Promise<boolean>;
  /** Called for every attempt, for each event of its batch. */
  readonly onAttempt?: (result: AttemptResult, messageId: string) => void;
  readonly clock?: Clock;
  /** A number in [0, 1), for the jitter of retries. */
  readonly random?: () => number;
}

/**
 * Larger batches are not faster, but more events fail with a rejected batch, and more are sent again after a
 * crash.
 */
const defaultFlushAt = 250;
/** Limits the delay of collected events when the source pauses, because of a rate or a pipe. */
const defaultFlushAfterMs = 1_000;

/** An event whose text is in a batch. */
interface Queued {
  readonly outgoing: Outgoing;
  readonly done: (outcome: Outcome) => void;
}

/** Sends events to a collector in batches, for `import` and `send`. */
export class CollectorTarget implements Target {
  readonly urls: readonly string[];
  readonly #uploader: Uploader<Queued>;
  readonly #clock: Clock;
  readonly #retries: RetryPolicy;

  /** @throws UsageError when the write key is empty or the endpoint cannot be used. */
  constructor(options: CollectorTargetOptions) {
    this.#clock = options.clock ?? systemClock;
    this.#retries = {
      windowMs: options.retryWindowMs ?? defaults.retryWindowMs,
      delaysMs: options.retryDelaysMs ?? defaultRetryDelaysMs,
      random: options.random ?? Math.random,
    };
    const uploaderOptions = {
      writeKey: options.writeKey,
      endpoint: options.endpoint,
      flushAt: options.flushAt ?? defaultFlushAt,
      flushAfterMs: options.flushAfterMs ?? defaultFlushAfterMs,
      maxInFlight: options.concurrency ?? defaults.concurrency,
      timeoutMs: options.timeoutMs ?? defaults.timeoutMs,
      retries: this.#retries,
      ca: options.ca,
      clientCertificate: options.clientCertificate,
      proxy: options.proxy,
      clock: this.#clock,
      returnsRetries: options.returnsRetries ?? false,
      disablesOnGone: options.disablesOnGone ?? false,
      onDown: options.onDown,
      onNotice: (notice: EndpointNotice) => options.onNotice?.(0, notice),
      mayProbe: options.mayProbe && (() => options.mayProbe!(0)),
    };
    this.#uploader = new Uploader(uploaderOptions, recipientOf(options.onAttempt));
    this.urls = [this.#uploader.url];
  }

  send(outgoing: Outgoing, done: (outcome: Outcome) => void): void {
    const { event, stamp } = outgoing;
    const text = messageText(event, stamp);
    const violation = checkCollected(event.type, text.length);
    if (violation) {
      done({ ...rejection(violation), messageId: stamp.messageId });
      return;
    }
    const endpointDelivery = outgoing.endpointDeliveries?.[0];
    if (endpointDelivery && isPastWindow(endpointDelivery, this.#retries, this.#clock.now())) {
      done({ ...this.#tooLate(endpointDelivery), messageId: stamp.messageId });
      return;
    }
    this.#uploader.add({ outgoing, done }, text, endpointDelivery);
  }

  room(): Promise<void> | undefined {
    return this.#uploader.room();
  }

  get isUnavailable(): boolean {
    return this.#uploader.isUnavailable;
  }

  get wantsProbe(): boolean {
    return this.#uploader.wantsProbe;
  }

  onAvailable(listener: () => void): void {
    this.#uploader.onAvailable(listener);
  }

  drain(): Promise<void> {
    return this.#uploader.flush();
  }

  interrupt(): void {
    this.#uploader.interrupt();
  }

  applyNotice(queue: number, notice: EndpointNotice): void {
    if (queue === 0) this.#uploader.applyNotice(notice);
  }

  close(): Promise<void> {
    return this.#uploader.close();
  }

  #tooLate(endpointDelivery: EndpointDeliveryState): SharedOutcome {
    const why = explainFailure(this.#uploader.url, endpointDelivery);
    return { verdict: 'failed', attempts: [], attemptCount: endpointDelivery.attempts, ...why };
  }
}

function recipientOf(onAttempt: CollectorTargetOptions['onAttempt']): Recipient<Queued> {
  return {
    onAttempt(queued, result) {
      if (onAttempt) for (const { outgoing } of queued) onAttempt(result, outgoing.stamp.messageId);
    },
    onWait(queued) {
      for (const { outgoing } of queued) outgoing.event = detachEvent(outgoing.event);
    },
    onEnd(queued, outcome) {
      for (const { outgoing, done } of queued) done(withId(outcome, outgoing.stamp.messageId));
    },
  };
}

/** The limits of a collector in addition to those of every target; `bytes` includes stamped members. */
function checkCollected(type: EventType, bytes: number): Violation | undefined {
  if (type === 'delete') {
    const message = 'a collector does not accept delete events; send them to a webhook (--url)';
    return { code: 'delete_not_collected', message };
  }
  const violation = checkSize(bytes);
  if (!violation) return undefined;
  return {
    ...violation,
    message: `${violation.message}, including the added messageId and timestamp`,
  };
}
