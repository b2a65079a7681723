import { systemClock, type Clock } from '../clock.js';
import { defaults } from '../defaults.js';
import type { DeliveryState } from '../delivery/delivery.js';
import type { EndpointNotice } from '../delivery/endpoint-notice.js';
import {
  type AttemptResult,
  type EndpointDeliveryState,
  type Outcome,
  type SharedOutcome,
} from '../delivery/outcome.js';
import { Semaphore } from '../delivery/semaphore.js';
import type { Outgoing } from '../delivery/target.js';
import type { BatchSettings } from './batch-settings.js';
import { maxInFlight } from './endpoint-settings.js';
import { BatchState } from './batch-state.js';
import { EventBatch, type Addressed, type BatchedEvent } from './event-batch.js';
import { WebhookTarget, type WebhookSender, type WebhookTargetOptions } from './target.js';

export interface BatchTargetOptions extends WebhookTargetOptions {
  readonly batch: BatchSettings;
}

/** How long a retry waits at most for the others of its batch, which are due by then, too. */
const maxRetryWaitMs = 100;

/** A batch that is filled; `isDue`: it has waited for as long as it may. */
interface OpenBatch {
  readonly batch: EventBatch;
  readonly cancel: () => void;
  isDue: boolean;
}

/**
 * Collects events, and posts each batch of them as one request, by a target of webhooks: it is signed, delivered
 * and retried as a whole. Each event has an outcome of its own.
 *
 * Events share a batch only if they go to the same URLs with the same state there, so that one that is retried has the
 * same events again. A URL that responds 413 gets the halves of the batch.
 */
export class BatchTarget implements WebhookSender {
  readonly urls: readonly string[];
  readonly #options: BatchTargetOptions;
  readonly #inner: WebhookTarget;
  readonly #clock: Clock;
  /** By what their events have in common. */
  readonly #open = new Map<string, OpenBatch>();
  /** Full ones, which wait for a connection. */
  readonly #full: EventBatch[] = [];
  /** Counts events; that of `#inner` counts batches. */
  readonly #semaphore: Semaphore;
  #awaitsRoom = false;
  /** Counts the times that all was handed back. */
  #epoch = 0;

  /** @throws UsageError as `WebhookTarget` does */
  constructor(options: BatchTargetOptions) {
    const { batch, endpoints, concurrency, clock = systemClock } = options;
    this.#options = options;
    this.#clock = clock;
    this.#inner = new WebhookTarget(options);
    this.urls = this.#inner.urls;
    const inHand = maxInFlight(endpoints, concurrency) + 1;
    this.#semaphore = new Semaphore(inHand * batch.size, defaults.maxWaiting);
  }

  send(outgoing: Outgoing, done: (outcome: Outcome) => void): void {
    if (this.#inner.isOwnRequest(outgoing)) {
      this.#inner.send(outgoing, done);
      return;
    }
    const { event, stamp, endpointDeliveries: states, onBodyReleased } = outgoing;
    const wanted = this.#inner.wantedBy(event);
    const unsent = this.#inner.outcomeWithoutSending(outgoing, wanted);
    if (unsent) {
      outgoing.onEnded?.();
      done(unsent);
      return;
    }
    const text = this.#inner.bodyOf(event, stamp);
    this.#semaphore.enter();
    const endpointDeliveries = states?.some(({ attempts }) => attempts > 0) ? states : undefined;
    this.#add({ outgoing, done }, text, { wanted, replay: stamp.replay, endpointDeliveries });
    // The batch has its text.
    onBodyReleased?.();
  }

  /** While a full batch waits for a connection, others wait for theirs elsewhere. */
  room(): Promise<void> | undefined {
    return this.#semaphore.room() ?? (this.#full.length > 0 ? this.#inner.room() : undefined);
  }

  get isUnavailable(): boolean {
    return this.#inner.isUnavailable;
  }

  get isPartlyUnavailable(): boolean {
    return this.#inner.isPartlyUnavailable;
  }

  get wantsProbe(): boolean {
    return this.#inner.wantsProbe;
  }

  get probesWanted(): number {
    return this.#inner.probesWanted;
  }

  get wantsFreshProbe(): boolean {
    return this.#inner.wantsFreshProbe;
  }

  onAvailable(listener: () => void): void {
    this.#inner.onAvailable(listener);
  }

  applyNotice(queue: number, notice: EndpointNotice): void {
    this.#inner.applyNotice(queue, notice);
  }

  dropBehind(afterMs: number): void {
    this.#inner.dropBehind(afterMs);
  }

  flush(): void {
    for (const key of [...this.#open.keys()]) this.#close(key);
  }

  async drain(): Promise<void> {
    this.flush();
    await this.#semaphore.empty();
    await this.#inner.drain();
  }

  interrupt(): void {
    this.#returnUnposted();
    this.#inner.interrupt();
  }

  interruptUnsent(): void {
    this.#returnUnposted();
    this.#inner.interruptUnsent();
  }

  async close(): Promise<void> {
    this.interrupt();
    await this.#inner.close();
  }

  #add(event: BatchedEvent, text: Buffer, addressed: Addressed): void {
    const { batch: settings } = this.#options;
    const key = keyOf(addressed, this.#clock.now());
    if (this.#open.get(key)?.batch.fits(text, settings) === false) this.#close(key);
    const { batch } = this.#open.get(key) ?? this.#begin(key, addressed);
    batch.add(event, text);
    // One that is sent now is a probe, or is handed back at once.
    if (batch.isFull(settings) || this.isUnavailable) this.#close(key);
  }

  #begin(key: string, addressed: Addressed): OpenBatch {
    const { waitMs: longest } = this.#options.batch;
    // Those of a batch that is retried come together, and others do not.
    const waitMs = addressed.endpointDeliveries ? Math.min(longest, maxRetryWaitMs) : longest;
    const open: OpenBatch = {
      batch: new EventBatch(addressed),
      cancel: this.#clock.after(waitMs, () => this.#expire(key, open)),
      isDue: false,
    };
    this.#open.set(key, open);
    return open;
  }

  /** The wait is over: posts it, or goes on filling it until a connection is free. */
  #expire(key: string, open: OpenBatch): void {
    open.isDue = true;
    if (this.#inner.room()) this.#awaitRoom();
    else this.#close(key);
  }

  #close(key: string): void {
    const open = this.#open.get(key);
    if (!open) return;
    open.cancel();
    this.#open.delete(key);
    if (this.#inner.room() && !this.isUnavailable) {
      this.#full.push(open.batch);
      this.#awaitRoom();
    } else this.#post(open.batch);
  }

  #awaitRoom(): void {
    const room = this.#inner.room();
    if (!room || this.#awaitsRoom) return;
    this.#awaitsRoom = true;
    void room.then(() => {
      this.#awaitsRoom = false;
      this.#postWaiting();
    });
  }

  #postWaiting(): void {
    while (this.#full.length > 0 && !this.#inner.room()) this.#post(this.#full.shift()!);
    for (const [key, { isDue }] of [...this.#open])
      if (isDue && !this.#inner.room()) this.#close(key);
    if (this.#full.length > 0 || [...this.#open.values()].some(({ isDue }) => isDue))
      this.#awaitRoom();
  }

  #post(batch: EventBatch): void {
    const epoch = this.#epoch;
    const state = new BatchState(batch, this.#semaphore);
    const { wanted, replay, endpointDeliveries } = batch.addressed;
    const posting = {
      id: batch.id,
      compose: () => batch.body(),
      events: batch.events.length,
      ...{ wanted, replay, endpointDeliveries },
      onAttempt: (result: AttemptResult) => this.#noteAttempt(batch, result),
      onState: (to: DeliveryState) => state.move(to),
    };
    try {
      this.#inner.post(posting, (outcome, states) => {
        const isRefused = outcome.verdict !== 'delivered' && outcome.attempts.some(isTooLarge);
        const smaller = isRefused ? this.#statesOfHalves(batch, states()) : undefined;
        if (smaller && epoch === this.#epoch) {
          state.handOver();
          // One after the other, before anything else: the first ones to be posted have the fewest events.
          this.#full.unshift(...batch.halves(smaller, outcome.attempts));
          this.#postWaiting();
        } else state.report(smaller ? this.#unsentHalves(outcome, smaller) : outcome);
      });
    } catch (error) {
      if (state.isReported) throw error;
      // Nobody called who could be told: it is the outcome of its events.
      const message = `${this.urls[0]!}: ${(error as Error).message}`;
      state.report({ verdict: 'failed', attempts: [], code: 'internal_error', message });
    }
  }

  /** Where halves of the batch begin, if a URL has refused it as too large; undefined: there are to be none. */
  #statesOfHalves(
    { events }: EventBatch,
    states: readonly EndpointDeliveryState[],
  ): readonly EndpointDeliveryState[] | undefined {
    if (events.length === 1 || !states.some(isTooLarge)) return undefined;
    const dueAt = this.#clock.now();
    return states.map((state) =>
      isTooLarge(state) ? { ...state, dueAt, retriesAtOnce: true } : state,
    );
  }

  /** The outcome of a batch whose halves are not sent, since it was handed back meanwhile. */
  #unsentHalves(
    outcome: SharedOutcome,
    endpointDeliveries: readonly EndpointDeliveryState[],
  ): SharedOutcome {
    const dueAt = this.#clock.now();
    const retry = { dueAt, endpointDeliveries };
    return { ...outcome, verdict: 'pending', ...(this.#options.returnsRetries && { retry }) };
  }

  #noteAttempt({ events }: EventBatch, result: AttemptResult): void {
    const { onAttempt } = this.#options;
    if (onAttempt) for (const { outgoing } of events) onAttempt(result, outgoing.stamp.messageId);
  }

  /** Hands back batches that were not posted, as interrupted. */
  #returnUnposted(): void {
    this.#epoch++;
    const open = [...this.#open.values()];
    this.#open.clear();
    for (const { cancel } of open) cancel();
    const unposted = [...this.#full.splice(0), ...open.map(({ batch }) => batch)];
    for (const batch of unposted) {
      const { endpointDeliveries } = batch.addressed;
      const outcome = this.#inner.interruptedOutcome('');
      for (const { outgoing } of batch.events) {
        this.#semaphore.move('active', 'ended');
        outgoing.onEnded?.();
      }
      // A half was attempted with the whole batch.
      const isHalf = batch.wasAttempted && endpointDeliveries;
      batch.report(isHalf ? this.#unsentHalves(outcome, endpointDeliveries) : outcome);
    }
  }
}

function isTooLarge({ status }: Pick<EndpointDeliveryState, 'status'>): boolean {
  return status === 413;
}

/** Equal for events that may share a batch. Due times in the past are equal. */
function keyOf({ wanted, replay = '', endpointDeliveries }: Addressed, now: number): string {
  const urls = `${wanted ?? ''}${replay && `:${replay}`}`;
  if (!endpointDeliveries) return urls;
  const states = endpointDeliveries.map(
    ({ batch, attempts, firstAt, status, error, isDelivered, dueAt }) => [
      ...[batch, attempts, firstAt, status, error, isDelivered === true],
      dueAt === undefined || dueAt > now ? dueAt : 0,
    ],
  );
  return `${urls} ${JSON.stringify(states)}`;
}
