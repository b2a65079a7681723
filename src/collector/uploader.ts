import type { Clock } from '../clock.js';
import { defaults } from '../defaults.js';
import { Semaphore } from '../delivery/semaphore.js';
import { EndpointQueue } from '../delivery/endpoint-queue.js';
import type { DownReason } from '../delivery/circuit-breaker.js';
import type { EndpointNotice } from '../delivery/endpoint-notice.js';
import type { EndpointDeliveryState } from '../delivery/outcome.js';
import { headerSecrets } from '../delivery/redaction.js';
import type { RetryPolicy } from '../delivery/retry-schedule.js';
import type { ClientCertificate } from '../http/tls.js';
import { UsageError } from '../errors.js';
import { version } from '../version.js';
import { Batch } from './batch.js';
import { collectorUrl } from './endpoint.js';
import { log } from './log.js';
import type { MessageText } from './message-text.js';
import { unsent, type Recipient } from './recipient.js';
import { SingleAttempt } from './single-attempt.js';
import { Upload, type Route } from './upload.js';

export interface UploaderOptions {
  readonly writeKey: string;
  /** A URL without a path gets `/v1/batch`. */
  readonly endpoint: string;
  /** Number of messages at which a batch is sent. */
  readonly flushAt: number;
  /** Longest time that a message waits for its batch to fill, in milliseconds. */
  readonly flushAfterMs: number;
  /** Maximum batches in flight; further ones are queued. */
  readonly maxInFlight: number;
  /** Time from the start of an attempt to the status line, in milliseconds. */
  readonly timeoutMs: number;
  readonly retries: RetryPolicy;
  /** PEM texts of certificates to trust beside Node's own. */
  readonly ca?: readonly string[] | undefined;
  /** Sent to a collector that asks for one. Default: none. */
  readonly clientCertificate?: ClientCertificate | undefined;
  /** As in `EndpointQueueOptions`. */
  readonly proxy?: string | undefined;
  readonly clock: Clock;
  /** Ends messages that are to be retried as `pending`, instead of keeping their batch in memory. */
  readonly returnsRetries: boolean;
  /** Whether a 410 disables the collector, so that nothing more is sent to it. */
  readonly disablesOnGone: boolean;
  /** Called when the collector is considered down, with the reason, and when it is up again. */
  readonly onDown?: ((url: string, isDown: boolean, reason?: DownReason) => void) | undefined;
  /** Called with what a response says about the collector as a whole; not for notices received by `applyNotice`. */
  readonly onNotice?: ((notice: EndpointNotice) => void) | undefined;
  /** Asked before each probe of a collector that is down. Default: always. */
  readonly mayProbe?: (() => Promise<boolean>) | undefined;
}

/** The batch being filled and the one ready to follow do not count as in flight. */
const batchesInHand = 2;
/** Batches that may wait for a retry, each at most 512,000 bytes, before `room` returns a promise. */
const minWaitingBatches = 64;
/** Spare bytes, since bodies of equally many messages differ a little. */
const growthRoom = 4 * 1024;

/**
 * The core that `Client` and `CollectorTarget` share: it collects messages into batches, and posts and
 * retries each batch until its final status is known.
 */
export class Uploader<M> {
  /** For display, without the query. */
  readonly url: string;
  readonly #options: UploaderOptions;
  readonly #route: Route<M>;
  readonly #semaphore: Semaphore;
  readonly #live = new Set<Upload<M> | SingleAttempt<M>>();
  #openBatch: Batch<M> | undefined;
  /** Expected size of the next body, by the previous one. */
  #expectedBytes = 0;
  #cancelFlush: (() => void) | undefined;
  /** By `Clock.monotonic()`. */
  #flushedAt = -Infinity;
  #interrupted = false;
  #onAvailable: () => void = () => undefined;

  /**
   * `recipient` is called with what happens to the messages.
   * @throws UsageError when the write key is empty or the endpoint cannot be used.
   */
  constructor(options: UploaderOptions, recipient: Recipient<M>) {
    if (options.writeKey === '')
      throw new UsageError('the write key is empty; use the write key of the source');
    this.#options = options;
    this.#route = routeOf(options, recipient, () => this.#onAvailable());
    this.#semaphore = new Semaphore(
      options.maxInFlight + batchesInHand,
      Math.max(minWaitingBatches, Math.ceil(defaults.maxWaiting / options.flushAt)),
    );
    this.url = this.#route.queue.url;
  }

  /**
   * Adds a message with its text, at most 32,768 bytes; it may end before this returns.
   * `endpointDelivery` is its state after earlier attempts, if it was handed back.
   */
  add(message: M, text: MessageText, endpointDelivery?: EndpointDeliveryState): void {
    if (this.#interrupted) {
      this.#route.recipient.onEnd([message], unsent(this.url));
      return;
    }
    if (this.#openBatch?.fits(text) === false) this.#sendOpenBatch();
    const batch = (this.#openBatch ??= this.#open());
    batch.add(message, text, endpointDelivery);
    if (batch.isFull || (this.#options.returnsRetries && this.#route.queue.isHeld))
      this.#sendOpenBatch();
  }

  /** See `Target`. */
  get isUnavailable(): boolean {
    return this.#route.queue.isHeld;
  }

  get wantsProbe(): boolean {
    return this.#route.queue.wantsProbe;
  }

  onAvailable(listener: () => void): void {
    this.#onAvailable = listener;
  }

  /** Undefined while there is room, else a promise that resolves when there is. */
  room(): Promise<void> | undefined {
    return this.#semaphore.room();
  }

  /** Sends the open batch at once, and resolves when all messages added so far have ended. */
  async flush(): Promise<void> {
    this.#sendOpenBatch();
    await Promise.all([...this.#live].map((upload) => upload.ended));
  }

  /** Ends everything not in flight as `pending`; requests in flight may finish, and are not retried. */
  interrupt(): void {
    this.#interrupted = true;
    this.#dropOpenBatch();
    for (const upload of [...this.#live]) upload.interrupt();
    this.#route.queue.sweep();
  }

  /** Applies what another uploader learned from the same collector. */
  applyNotice(notice: EndpointNotice): void {
    this.#route.queue.applyNotice(notice);
  }

  /** Interrupts the remaining uploads, and closes the connections. */
  async close(): Promise<void> {
    this.interrupt();
    await this.#route.queue.close();
  }

  #open(): Batch<M> {
    this.#semaphore.enter();
    this.#cancelFlush = this.#options.clock.after(this.#flushDelayMs(), () =>
      this.#sendOpenBatch(),
    );
    return new Batch(this.#options.flushAt, this.#expectedBytes);
  }

  /** Measured from the last flush; after an idle time, from the first message of the batch. */
  #flushDelayMs(): number {
    const { clock, flushAfterMs } = this.#options;
    const leftMs = this.#flushedAt + flushAfterMs - clock.monotonic();
    return leftMs > 0 ? Math.min(leftMs, flushAfterMs) : flushAfterMs;
  }

  #sendOpenBatch(): void {
    const batch = this.#closeBatch();
    if (!batch) return;
    const { clock } = this.#options;
    this.#flushedAt = clock.monotonic();
    const body = batch.seal(clock.now());
    this.#expectedBytes = body.length + growthRoom;
    log('flushing %d messages, %d bytes', batch.size, body.length);
    const UploadClass = this.#options.returnsRetries ? SingleAttempt : Upload;
    const upload = new UploadClass(batch, body, this.#route, (from, to) => {
      if (to === 'ended') this.#live.delete(upload);
      this.#semaphore.move(from, to);
    });
    this.#live.add(upload);
    upload.start();
  }

  #dropOpenBatch(): void {
    const batch = this.#closeBatch();
    if (!batch) return;
    this.#semaphore.move('active', 'ended');
    const { recipient } = this.#route;
    for (const { messages } of batch.shares) recipient.onEnd(messages, unsent(this.url));
  }

  #closeBatch(): Batch<M> | undefined {
    const batch = this.#openBatch;
    this.#openBatch = undefined;
    this.#cancelFlush?.();
    this.#cancelFlush = undefined;
    return batch;
  }
}

function routeOf<M>(
  options: UploaderOptions,
  recipient: Recipient<M>,
  onAvailable: () => void,
): Route<M> {
  const { clock, retries } = options;
  const authorization = basicOf(options.writeKey);
  const queue: EndpointQueue = new EndpointQueue({
    url: collectorUrl(options.endpoint),
    concurrency: options.maxInFlight,
    timeoutMs: options.timeoutMs,
    tls: {
      rejectUnauthorized: true,
      ca: options.ca,
      clientCertificate: options.clientCertificate,
    },
    proxy: options.proxy,
    secrets: [options.writeKey, ...headerSecrets(authorization)],
    clock,
    retryWindowMs: retries.windowMs,
    disablesOnGone: options.disablesOnGone,
    onNotice: options.onNotice,
    onAvailable,
    mayProbe: options.mayProbe,
    onDown: (isDown, reason) => options.onDown?.(queue.url, isDown, reason),
  });
  return { queue, headers: headersOf(authorization), clock, retries, recipient };
}

function headersOf(authorization: string): string[] {
  return [
    ...['User-Agent', `evfwd/${version}`],
    ...['Content-Type', 'application/json'],
    ...['Authorization', authorization],
  ];
}

/** The write key is the user name, with an empty password. */
function basicOf(writeKey: string): string {
  return `Basic ${Buffer.from(`${writeKey}:`).toString('base64')}`;
}
