import type { EndpointNotice } from '../../delivery/endpoint-notice.js';
import type { AttemptResult, Outcome } from '../../delivery/outcome.js';
import type { Outgoing } from '../../delivery/target.js';
import type { WebhookSender } from '../../webhook/target.js';
import { maxWaitMs, memoryOf, type QueuedEvent, type StoredEvent } from '../store/stored.js';
import { identityOf, type EventIdentity } from '../event-identity.js';
import type { Destination } from '../types.js';
import { interruptedOutcome } from './interrupted.js';
import { EventScheduler } from './event-scheduler.js';
import { endingOf, recordOf } from './ending.js';
import type { MemoryBudget, MemoryShare } from './memory-budget.js';
import { OrderedLane } from '../order/ordered-lane.js';
import { Recovery } from './recovery.js';
import { deliveryOf, openSender, sendOnce, type SenderOptions } from './sender.js';
import {
  type Ending,
  expired,
  type Lane,
  type LaneUser,
  type Unused,
} from '../store/service-store.js';

export interface DestinationQueueOptions extends SenderOptions {
  /** Of all destinations. */
  readonly memory: MemoryBudget;
}

/** Delay before the store is tried again after a failed read or commit. */
const rereadMs = 1_000;
/** In a shortage of memory, the timeout of requests whose event another URL has accepted. */
const settledTimeoutMs = 250;
/** How many events are handled in one turn of the event loop; more than may be in flight. */
const maxPerTurn = 128;
/**
 * About what a request in flight takes in memory besides its body, in bytes: a socket and its buffers. TLS has 64 KB
 * for what it reads, up to 33 KB for what it has encrypted, and about 30 KB of state; measured: 130 KB in all.
 */
const requestBytes = { 'http:': 24 * 1024, 'https:': 128 * 1024 };

/** The queue of one destination. It has its own rate and its share of the memory, so it slows no other one. */
export class DestinationQueue {
  readonly destination: Destination;
  readonly #options: DestinationQueueOptions;
  readonly #target: WebhookSender;
  readonly #share: MemoryShare;
  readonly #requestBytes: number;
  readonly #lane: Lane;
  readonly #scheduler: EventScheduler;
  readonly #recovery: Recovery;
  #inFlight = 0;
  #lastResult: AttemptResult | undefined;
  #isRunning = false;
  #isPumping = false;
  #isPumpDue = false;
  #hasResumed = false;
  /** By the monotonic clock. */
  #wakeAt = Infinity;
  #cancelWake: (() => void) | undefined;
  #unsubscribe: (() => void) | undefined;

  /** @throws UsageError when the destination is not valid. */
  constructor(destination: Destination, options: DestinationQueueOptions) {
    const { store, clock } = options;
    this.destination = destination;
    this.#options = options;
    this.#target = openSender(destination, options, {
      onDown: (url, isDown) => this.#recovery.noteDown(url, isDown),
      onPause: (url, untilMs) => this.#recovery.notePause(url, untilMs),
      onAttempt: (result) => this.#noteAttempt(result),
    });
    this.#target.onAvailable(() => this.#pump());
    this.#share = options.memory.share({
      onRoom: () => this.#pump(),
      onShortage: () => this.#lane.backlog.unload(),
    });
    this.#requestBytes = requestBytesOf(destination);
    this.#lane = laneOf(destination, options, {
      share: this.#share,
      onMore: () => {
        this.#scheduler.noteMore();
        this.#pumpSoon();
      },
      onLost: () => this.#target.interruptUnsent(),
    });
    const { backlog, retries } = this.#lane;
    this.#scheduler = new EventScheduler({
      backlog,
      retries,
      target: this.#target,
    });
    this.#recovery = new Recovery({
      clock,
      urls: this.urls,
      waiting: () => store.length(destination.name).waiting,
    });
  }

  /** The URLs, without their queries. */
  get urls(): readonly string[] {
    return this.#target.urls;
  }

  /** Those that are considered down. */
  get down(): readonly string[] {
    return this.#recovery.down;
  }

  /** The end of the pause of each paused URL, milliseconds since 1970. */
  get paused(): ReadonlyMap<string, number> {
    return this.#recovery.paused;
  }

  /** Whether all URLs are down or paused. */
  get isUnavailable(): boolean {
    return this.#recovery.isUnavailable;
  }

  get inFlight(): number {
    return this.#inFlight;
  }

  /** When the next retry is due, milliseconds since 1970; undefined when none waits. */
  get nextRetryAt(): number | undefined {
    return this.#options.store.nextRetryAt(this.destination.name);
  }

  /** Which events are only in the store. */
  get unused(): Unused {
    return { loadedUpTo: this.#lane.loadedUpTo, keepsRetries: this.#isRunning };
  }

  /** Starts sending what the store has and what is offered from now on. */
  start(): void {
    this.#isRunning = true;
    this.#recovery.start();
    this.#unsubscribe = this.#options.store.endpoints?.subscribe(
      this.destination.name,
      (url, notice) => this.#applyNotice(url, notice),
    );
    this.#pump();
  }

  /** An event for this destination is in the store. */
  offer(event: StoredEvent): void {
    this.#lane.backlog.offer(event);
    this.#scheduler.noteMore();
    this.#pump();
    if (!this.#share.isResponsive) this.#lane.backlog.unload();
  }

  /** The outcome of what is sent next might be lost: all that is not in flight goes back to the store. */
  interruptUnsent(): void {
    this.#target.interruptUnsent();
  }

  /** Sends one event once, without storing it; at once, also to a URL that is down or paused. */
  sendOnce(outgoing: Outgoing): Promise<Outcome> {
    return sendOnce(this.destination, this.#options, outgoing);
  }

  /** Sends nothing new and waits up to this time for what is in flight. The rest stays in the store. */
  async stop(timeoutMs: number): Promise<void> {
    this.#isRunning = false;
    this.#unsubscribe?.();
    this.#cancelWake?.();
    this.#target.interrupt();
    const own = this.destination.endpoints.map((endpoint) => endpoint.timeoutMs ?? 0);
    await this.#drained(Math.max(timeoutMs, ...own));
    await this.#target.close();
    this.#share.close();
    await this.#lane.close();
  }

  async #drained(timeoutMs: number): Promise<void> {
    let cancel: () => void = () => undefined;
    const timeout = new Promise<void>((resolve) => {
      cancel = this.#options.clock.after(timeoutMs, resolve);
    });
    await Promise.race([this.#target.drain(), timeout]);
    cancel();
  }

  /** Of another instance. */
  #applyNotice(url: string, notice: EndpointNotice): void {
    this.urls.forEach((one, index) => {
      if (one === url) this.#target.applyNotice(index, notice);
    });
    this.#pumpSoon();
  }

  #noteAttempt(result: AttemptResult): void {
    // That of a batch is reported for each of its events.
    if (result.error !== 'behind' && result !== this.#lastResult)
      this.#share.noteAttempt(result.status !== null);
    this.#lastResult = result;
    if (result.verdict !== 'retry') this.#recovery.noteResponse();
    this.#scheduler.noteAttempt();
  }

  /**
   * Pumps once for all responses that are read in this turn of the event loop, so that the next requests
   * are written together. A fast endpoint sleeps after each single request, and each write has to wake it.
   */
  #pumpSoon(): void {
    if (this.#isPumpDue) return;
    this.#isPumpDue = true;
    setImmediate(() => {
      this.#isPumpDue = false;
      this.#pump();
    });
  }

  /** Sends while there is room; called whenever an event has ended, has arrived or is due. */
  #pump(): void {
    if (this.#isPumping || !this.#isRunning) return;
    if (this.#options.store.failure !== undefined) {
      // What cannot be recorded is not sent: it would be sent again after a restart.
      this.#wakeFor(this.#options.clock.monotonic() + rereadMs);
      return;
    }
    this.#isPumping = true;
    try {
      this.#resumeOutages();
      this.#wakeFor(this.#sendWhileAllowed());
    } catch (error) {
      this.#wakeFor(this.#options.clock.monotonic() + rereadMs);
      this.#options.listener.onFailure?.(error);
    } finally {
      this.#isPumping = false;
    }
  }

  /**
   * Sends until there is no room or no event, or the ramp says to wait. Returns when to continue, by the
   * monotonic clock.
   */
  #sendWhileAllowed(): number {
    const { clock } = this.#options;
    for (let handled = 0; !this.#target.room(); handled++) {
      // Events whose URLs are down are released at once, so `room` alone would not end this.
      if (handled === maxPerTurn) {
        this.#pumpSoon();
        break;
      }
      const allowedAt = this.#recovery.nextAt;
      if (allowedAt > clock.monotonic()) return allowedAt;
      if (this.#share.roomBytes <= 0) this.#target.dropBehind(settledTimeoutMs);
      if (!this.#share.maySend()) {
        this.#target.flush?.();
        // By then, `dropBehind` can give up what another URL has accepted in the meantime.
        return this.urls.length > 1 ? clock.monotonic() + settledTimeoutMs : Infinity;
      }
      const next = this.#scheduler.next();
      if (!next) {
        if (!this.#target.isUnavailable) this.#recovery.noteEmpty();
        // It waits in the store, where it takes no memory, and expires after its time.
        else this.#lane.backlog.unload();
        if (this.#lane.isFull) this.#target.flush?.();
        break;
      }
      this.#guarded(next, () => {
        if (this.#isExpired(next)) this.#giveUp(next);
        else this.#send(next);
      });
      this.#scheduler.noteHandled();
    }
    if (this.#isPumpDue || this.#scheduler.awaitsFirstProbe) return Infinity;
    return this.#lane.retries.nextAt;
  }

  /**
   * URLs that were down or paused at the last stop count as down from the start, so that an outage is probed by the
   * same few events also after a restart, and others stay untried.
   */
  #resumeOutages(): void {
    if (this.#hasResumed) return;
    const sinceMs = this.#options.clock.now();
    for (const [index, reason] of this.#lane.retries.outages()) {
      if (index < this.urls.length)
        this.#target.applyNotice(index, { kind: 'down', sinceMs, reason });
    }
    this.#hasResumed = true;
  }

  /** Without room, the next event that ends calls `#pumpSoon`. `at` is of the monotonic clock. */
  #wakeFor(at: number): void {
    if (at >= this.#wakeAt || this.#target.room()) return;
    this.#cancelWake?.();
    this.#wakeAt = at;
    const { clock } = this.#options;
    this.#cancelWake = clock.after(at - clock.monotonic(), () => {
      this.#wakeAt = Infinity;
      if (!this.#isPumpDue) this.#pump();
    });
  }

  /** Attempts at a URL that is still to get it have the retry window as their limit. */
  #isExpired({ queuedAt, endpointDeliveries = [] }: QueuedEvent): boolean {
    if (queuedAt > this.#options.clock.now() - maxWaitMs) return false;
    return endpointDeliveries.every(({ attempts, dueAt }) => attempts === 0 || dueAt === undefined);
  }

  /**
   * An exception here is a bug: other events continue, and this one ends with its known outcome or
   * is retried by the usual schedule.
   */
  #guarded(event: QueuedEvent, work: () => void, known?: Outcome): void {
    try {
      work();
    } catch (error) {
      const { listener, clock, delivery } = this.#options;
      listener.onDefect?.(error);
      const { type } = event.event;
      const outcome =
        known ??
        interruptedOutcome(event, this.urls, deliveryOf(this.destination, delivery), clock.now());
      this.#end(event, { type, name: null, user: null }, outcome);
    }
  }

  #giveUp(event: QueuedEvent): void {
    const { messageId } = event.stamp;
    const outcome: Outcome = { verdict: 'failed', messageId, attempts: [], ...expired };
    this.#end(event, identityOf(event.event), outcome);
  }

  #send(next: QueuedEvent): void {
    const { stamp, endpointDeliveries } = next;
    // The attempt at a silent destination is likely to time out, so meanwhile the text is only in the store. Not with
    // several URLs: once one has accepted the event, it is deleted there, and another one may still need it.
    const isUnloaded = !this.#share.isResponsive && this.urls.length === 1;
    const unloaded = isUnloaded ? this.#lane.unloadable(next) : undefined;
    const forwarded = unloaded ? { ...next, event: unloaded } : next;
    const { event } = forwarded;
    // Read now: its parsed value may be released while the response is awaited.
    const identity = identityOf(event);
    const countEnd = this.#countInFlight();
    // Twice: the event, and the body, which is about as large.
    const onEnded = this.#share.hold(this.#requestBytes + 2 * memoryOf(forwarded));
    this.#recovery.noteSent();
    try {
      this.#target.send(
        {
          event,
          stamp,
          onEnded,
          onBodyReleased: unloaded && (() => unloaded.unload()),
          endpointDeliveries,
        },
        (outcome) => {
          countEnd();
          this.#guarded(forwarded, () => this.#end(forwarded, identity, outcome), outcome);
          this.#pumpSoon();
        },
      );
    } catch (error) {
      countEnd();
      onEnded();
      throw error;
    }
  }

  /** Counts one event as in flight until the returned function is called. */
  #countInFlight(): () => void {
    let isInFlight = true;
    this.#inFlight++;
    return () => {
      if (isInFlight) this.#inFlight--;
      isInFlight = false;
    };
  }

  #end(event: QueuedEvent, identity: EventIdentity, outcome: Outcome): void {
    const { clock, listener } = this.#options;
    const at = clock.now();
    const ending = endingOf(outcome, event, at, !this.#target.isUnavailable);
    // It stays in the store unchanged.
    if (!ending) {
      this.#release(event);
      return;
    }
    const { name } = this.destination;
    // The callback is kept until the commit. It uses the id alone, so that the event can be freed before.
    const { id } = event;
    this.#lane.end({ event, ending, onCommitted: () => this.#committed(id, ending) });
    try {
      const about = { at, destination: name, ...identity };
      listener.onForwarding?.(recordOf(outcome, ending, event, about));
    } catch (error) {
      listener.onDefect?.(error);
    }
  }

  /** Interrupted before it was sent, or its URLs went down or were paused. */
  #release(event: QueuedEvent): void {
    if (!event.endpointDeliveries) {
      if (this.#isRunning) this.#lane.backlog.release(event);
      this.#scheduler.noteReleased();
      return;
    }
    this.#lane.retries.release(event);
    if (this.#isRunning) this.#wakeFor(this.#lane.retries.nextAt);
  }

  #committed(id: number, ending: Ending): void {
    if (ending.kind !== 'postponed') {
      this.#lane.retries.ended(id);
      return;
    }
    const { retry, delayMs } = ending;
    this.#lane.retries.postponed(id, Math.min(retry.dueAt - this.#options.clock.now(), delayMs));
    if (this.#isRunning) this.#wakeFor(this.#lane.retries.nextAt);
  }
}

function laneOf(
  { name, ordered }: Destination,
  { store, clock, listener }: DestinationQueueOptions,
  user: LaneUser,
): Lane {
  if (!ordered) return store.lane(name, user);
  return new OrderedLane({
    ...user,
    open: (own) => store.orderedLane(name, own),
    after: (ms, call) => clock.after(ms, call, { keepsAlive: false }),
    onFailure: (error) => listener.onFailure?.(error),
  });
}

/** About what the requests of one event to all URLs take besides their bodies; those of a batch share them. */
function requestBytesOf({ endpoints, batch }: Destination): number {
  const bytes = endpoints.map(
    ({ url }) => requestBytes[new URL(url).protocol as 'http:' | 'https:'],
  );
  return Math.ceil(bytes.reduce((sum, one) => sum + one, 0) / (batch?.size ?? 1));
}
