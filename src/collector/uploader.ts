import type { Clock } from '../clock.js';
import { defaults } from '../defaults.js';
import { Semaphore } from '../delivery/semaphore.js';
import { EndpointQueue } from '../delivery/endpoint-queue.js';
import type { EndpointNotice } from '../delivery/endpoint-notice.js';
import type { EndpointDeliveryState } from '../delivery/outcome.js';
import type { RetryPolicy } from '../delivery/retry-schedule.js';
import { tlsSettings } from '../http/tls.js';
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
  /** Messages in a batch; it is sent as soon as it has so many. */
  readonly flushAt: number;
  /** The longest that a message waits for its batch to fill, in milliseconds. */
  readonly flushAfterMs: number;
  /** Batches in flight at once; more wait their turn. */
  readonly maxInFlight: number;
  /** Time from the start of an attempt to the status line, in milliseconds. */
  readonly timeoutMs: number;
  readonly retries: RetryPolicy;
  /** PEM texts of certificates to trust beside Node's own. */
  readonly ca?: readonly string[] | undefined;
  readonly clock: Clock;
  /** Ends messages that are to be tried again as `pending`, instead of waiting with their batch. */
  readonly handsBack: boolean;
  /** A 410 ends the collector, and not only its batch: it gets nothing more. */
  readonly disablesOnGone: boolean;
  /** Told when the collector is taken to be down, and when it answers again. */
  readonly onDown?: ((url: string, isDown: boolean) => void) | undefined;
  /** Told what an answer says about the collector as a whole; not what came by `learn`. */
  readonly onNotice?: ((notice: EndpointNotice) => void) | undefined;
}

/** The batch that gathers and one that is ready to follow do not count as in flight. */
const batchesInHand = 2;
/** Batches that may wait for a retry, each at most 512,000 bytes, before `room` says to pause. */
const minWaitingBatches = 64;
/** Bodies of equally many messages differ a little. */
const growthRoom = 4 * 1024;

/**
 * The core that `Client` and `CollectorTarget` share: messages are gathered into batches, and each
 * batch is posted and retried until its fate, that of all its messages, is known.
 */
export class Uploader<M> {
  /** For people: without the query. */
  readonly url: string;
  readonly #options: UploaderOptions;
  readonly #route: Route<M>;
  readonly #semaphore: Semaphore;
  readonly #live = new Set<Upload<M> | SingleAttempt<M>>();
  #gathering: Batch<M> | undefined;
  /** Of the body to come, by the one before. */
  #expectedBytes = 0;
  #cancelFlush: (() => void) | undefined;
  /** By `Clock.monotonic()`. */
  #flushedAt = -Infinity;
  #interrupted = false;

  /**
   * `recipient` is told what becomes of the messages.
   * @throws UsageError when the write key is empty or the endpoint cannot be used.
   */
  constructor(options: UploaderOptions, recipient: Recipient<M>) {
    if (options.writeKey === '')
      throw new UsageError('the write key is empty; give the one of the source');
    this.#options = options;
    this.#route = routeOf(options, recipient);
    this.#semaphore = new Semaphore(
      options.maxInFlight + batchesInHand,
      Math.max(minWaitingBatches, Math.ceil(defaults.maxWaiting / options.flushAt)),
    );
    this.url = this.#route.queue.url;
  }

  /**
   * Takes a message and its text, at most 32,768 bytes; it may end before this returns.
   * `leg` tells how far earlier tries have come, where it was handed back.
   */
  add(message: M, text: MessageText, endpointDelivery?: EndpointDeliveryState): void {
    if (this.#interrupted) {
      this.#route.recipient.onEnd([message], unsent(this.url));
      return;
    }
    if (this.#gathering?.fits(text) === false) this.#sendGathered();
    const batch = (this.#gathering ??= this.#open());
    batch.add(message, text, endpointDelivery);
    if (batch.isFull) this.#sendGathered();
  }

  /** Undefined while there is room for more, else a promise for it. */
  room(): Promise<void> | undefined {
    return this.#semaphore.room();
  }

  /** Sends at once what is gathered, and resolves when all that was taken so far is settled. */
  async flush(): Promise<void> {
    this.#sendGathered();
    await Promise.all([...this.#live].map((upload) => upload.ended));
  }

  /** What is not in flight ends as `pending` now; what is in flight may finish, and is not retried. */
  interrupt(): void {
    this.#interrupted = true;
    this.#dropGathered();
    for (const upload of [...this.#live]) upload.interrupt();
    this.#route.queue.sweep();
  }

  /** Heeds what another one was told by the same collector. */
  applyNotice(notice: EndpointNotice): void {
    this.#route.queue.applyNotice(notice);
  }

  /** Ends what is left as `interrupt` does, and closes the connections. */
  async close(): Promise<void> {
    this.interrupt();
    await this.#route.queue.close();
  }

  #open(): Batch<M> {
    this.#semaphore.enter();
    this.#cancelFlush = this.#options.clock.after(this.#flushDelayMs(), () => this.#sendGathered());
    return new Batch(this.#options.flushAt, this.#expectedBytes);
  }

  /** Counted from the last flush; after an idle time from the batch's first message. */
  #flushDelayMs(): number {
    const { clock, flushAfterMs } = this.#options;
    const leftMs = this.#flushedAt + flushAfterMs - clock.monotonic();
    return leftMs > 0 ? Math.min(leftMs, flushAfterMs) : flushAfterMs;
  }

  #sendGathered(): void {
    const batch = this.#takeGathered();
    if (!batch) return;
    const { clock } = this.#options;
    this.#flushedAt = clock.monotonic();
    const body = batch.seal(clock.now());
    this.#expectedBytes = body.length + growthRoom;
    log('flushing %d messages, %d bytes', batch.size, body.length);
    const Way = this.#options.handsBack ? SingleAttempt : Upload;
    const upload = new Way(batch, body, this.#route, (from, to) => {
      if (to === 'ended') this.#live.delete(upload);
      this.#semaphore.move(from, to);
    });
    this.#live.add(upload);
    upload.start();
  }

  #dropGathered(): void {
    const batch = this.#takeGathered();
    if (!batch) return;
    this.#semaphore.move('active', 'ended');
    const { recipient } = this.#route;
    for (const { messages } of batch.shares) recipient.onEnd(messages, unsent(this.url));
  }

  #takeGathered(): Batch<M> | undefined {
    const batch = this.#gathering;
    this.#gathering = undefined;
    this.#cancelFlush?.();
    this.#cancelFlush = undefined;
    return batch;
  }
}

function routeOf<M>(options: UploaderOptions, recipient: Recipient<M>): Route<M> {
  const { clock, retries } = options;
  const queue: EndpointQueue = new EndpointQueue({
    url: collectorUrl(options.endpoint),
    concurrency: options.maxInFlight,
    timeoutMs: options.timeoutMs,
    tls: tlsSettings(options.ca),
    clock,
    maxPauseMs: retries.windowMs,
    disablesOnGone: options.disablesOnGone,
    onNotice: options.onNotice,
    onDown: (isDown) => options.onDown?.(queue.url, isDown),
  });
  return { queue, headers: headersOf(options.writeKey), clock, retries, recipient };
}

/** The write key is the user name, with an empty password. */
function headersOf(writeKey: string): string[] {
  return [
    ...['User-Agent', `evfwd/${version}`],
    ...['Content-Type', 'application/json'],
    ...['Authorization', `Basic ${Buffer.from(`${writeKey}:`).toString('base64')}`],
  ];
}
