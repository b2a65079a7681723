import type { Clock } from '../../clock.js';
import { privateNetworkGuard } from '../../net/private-networks.js';
import type { AttemptResult, Outcome } from '../../delivery/outcome.js';
import type { Outgoing } from '../../delivery/target.js';
import { WebhookDestination, type WebhookDestinationOptions } from '../../webhook/destination.js';
import { expired, type Unused } from '../store/expiry-change.js';
import type { Ending } from '../store/end-change.js';
import type { OnRepeated } from '../store/ingest-change.js';
import type { ServiceStore } from '../store/service-store.js';
import { maxWaitMs, type StoredEvent } from '../store/stored.js';
import { identityOf, type EventIdentity } from '../event-identity.js';
import type { Destination } from '../types.js';
import { Backlog } from './backlog.js';
import { brokenOff } from './interrupted.js';
import { DueRetries } from './due-retries.js';
import { endingOf, forwardingOf, type Forwarded } from './ending.js';
import type { Forwarding } from './forwarding.js';

/** How attempts are made; for tests, the defaults are those of the interface. */
export type DeliveryOptions = Pick<
  WebhookDestinationOptions,
  'timeoutMs' | 'retryWindowMs' | 'retryDelaysMs' | 'concurrency' | 'ca' | 'random'
>;

/** Told what happens at destinations, which are given by name. */
export interface ForwardingListener {
  /** An attempt has ended. */
  onAttempt?(destination: string, result: AttemptResult, messageId: string): void;
  /** An event has ended, or is to be tried again; told before that is durable. */
  onForwarding?(forwarding: Forwarding): void;
  /** An event was left out, for its source had sent its messageId within a day. */
  onRepeated?: OnRepeated;
  /** A URL is taken to be down, or answers again. */
  onDown?(destination: string, url: string, isDown: boolean): void;
  /** A URL is paused until then (milliseconds since 1970), as it has asked for, or no longer. */
  onPause?(destination: string, url: string, untilMs: number | undefined): void;
  /** The store cannot be read; it is tried again. */
  onFailure?(error: unknown): void;
  /** Something was thrown where nothing should be; no event is lost by it. */
  onDefect?(error: unknown): void;
}

export interface DestinationQueueOptions {
  readonly store: ServiceStore;
  readonly clock: Clock;
  readonly delivery: DeliveryOptions;
  readonly listener: ForwardingListener;
}

/** How soon the store is read again after it could not be. */
const rereadMs = 1_000;

/** The way of events to one destination, which slows no other: at its own rate, within its own memory. */
export class DestinationQueue {
  readonly destination: Destination;
  readonly #options: DestinationQueueOptions;
  readonly #target: WebhookDestination;
  readonly #backlog: Backlog;
  readonly #retries: DueRetries;
  readonly #down = new Set<string>();
  readonly #paused = new Map<string, number>();
  #inFlight = 0;
  #isRunning = false;
  #isPumping = false;
  #isRetryNext = true;
  /** By the monotonic clock. */
  #wakeAt = Infinity;
  #cancelWake: (() => void) | undefined;

  /** @throws UsageError when the destination cannot be used as it is. */
  constructor(destination: Destination, options: DestinationQueueOptions) {
    const { store, clock } = options;
    this.destination = destination;
    this.#options = options;
    this.#target = this.#targetFor(destination);
    this.#backlog = new Backlog(store, destination.name);
    this.#retries = new DueRetries(store, clock, destination.name);
  }

  /** The URLs, without their queries. */
  get urls(): readonly string[] {
    return this.#target.urls;
  }

  /** Of those, the ones that are taken to be down. */
  get down(): readonly string[] {
    return [...this.#down];
  }

  /** URLs that have asked for a pause, and until when: milliseconds since 1970. */
  get paused(): ReadonlyMap<string, number> {
    return this.#paused;
  }

  get inFlight(): number {
    return this.#inFlight;
  }

  /** When the next retry is due, milliseconds since 1970; undefined when none waits. */
  get nextRetryAt(): number | undefined {
    const [next] = this.#options.store.retries(this.destination.name, 1);
    return next?.dueAt;
  }

  /** What is in the store alone. */
  get unused(): Unused {
    return { taken: this.#backlog.lastId, keepsRetries: this.#isRunning };
  }

  /** Takes up what the store has, and whatever is offered from now on. */
  start(): void {
    this.#isRunning = true;
    this.#pump();
  }

  /** An event for this destination is in the store. */
  offer(event: StoredEvent): void {
    this.#backlog.offer(event);
    this.#pump();
  }

  /** Sends one event that is stored nowhere, once. */
  sendOnce(outgoing: Outgoing): Promise<Outcome> {
    return new Promise((resolve) => {
      this.#target.send(outgoing, (outcome) => {
        resolve(outcome);
        this.#pump();
      });
    });
  }

  /** Begins nothing new; what is in flight has so long to end. The rest stays in the store. */
  async stop(timeoutMs: number): Promise<void> {
    this.#isRunning = false;
    this.#cancelWake?.();
    this.#target.interrupt();
    await this.#drained(timeoutMs);
    await this.#target.close();
  }

  async #drained(timeoutMs: number): Promise<void> {
    let cancel: () => void = () => undefined;
    const timeout = new Promise<void>((resolve) => {
      cancel = this.#options.clock.after(timeoutMs, resolve);
    });
    await Promise.race([this.#target.drain(), timeout]);
    cancel();
  }

  #targetFor(destination: Destination): WebhookDestination {
    const { clock, delivery, listener } = this.#options;
    const { name, integrationName, endpoints, sharedSecret, allowPrivateNetworks } = destination;
    return new WebhookDestination({
      ...delivery,
      clock,
      endpoints,
      ...(sharedSecret !== undefined && { sharedSecret }),
      ...(!allowPrivateNetworks && { guard: privateNetworkGuard() }),
      name: integrationName,
      handsBack: true,
      reportsAtOnce: true,
      onAttempt: (result, messageId) => listener.onAttempt?.(name, result, messageId),
      onDown: (url, isDown) => {
        if (isDown) this.#down.add(url);
        else this.#down.delete(url);
        listener.onDown?.(name, url, isDown);
      },
      onPause: (url, untilMs) => {
        if (untilMs === undefined) this.#paused.delete(url);
        else this.#paused.set(url, untilMs);
        listener.onPause?.(name, url, untilMs);
      },
    });
  }

  /** Sends while there is room; asked again whenever something has ended, has come or is due. */
  #pump(): void {
    if (this.#isPumping || !this.#isRunning) return;
    this.#isPumping = true;
    try {
      while (!this.#target.room()) {
        const next = this.#next();
        if (!next) break;
        this.#guarded(next, () => {
          if (this.#isExpired(next)) this.#giveUp(next);
          else this.#send(next);
        });
      }
      this.#wakeFor(this.#retries.nextAt);
    } catch (error) {
      this.#wakeFor(this.#options.clock.monotonic() + rereadMs);
      this.#options.listener.onFailure?.(error);
    } finally {
      this.#isPumping = false;
    }
  }

  /** New events and retries take turns, so that neither keeps the other waiting. */
  #next(): Forwarded | undefined {
    this.#isRetryNext = !this.#isRetryNext;
    return this.#isRetryNext
      ? (this.#retries.take() ?? this.#backlog.take())
      : (this.#backlog.take() ?? this.#retries.take());
  }

  /** Room is told of by what ends. `at` is of the monotonic clock. */
  #wakeFor(at: number): void {
    if (at >= this.#wakeAt || this.#target.room()) return;
    this.#cancelWake?.();
    this.#wakeAt = at;
    const { clock } = this.#options;
    this.#cancelWake = clock.after(at - clock.monotonic(), () => {
      this.#wakeAt = Infinity;
      this.#pump();
    });
  }

  /** What is tried has a limit of its own. */
  #isExpired({ queuedAt, endpointDeliveries }: Forwarded): boolean {
    return endpointDeliveries === undefined && queuedAt <= this.#options.clock.now() - maxWaitMs;
  }

  /**
   * What throws here is a defect: others go on, and the event ends with the outcome that is known, or
   * is tried again by the usual schedule.
   */
  #guarded(event: Forwarded, work: () => void, known?: Outcome): void {
    try {
      work();
    } catch (error) {
      const { listener, delivery, clock } = this.#options;
      listener.onDefect?.(error);
      const { type } = event.event;
      const outcome = known ?? brokenOff(event, this.urls, delivery, clock.now());
      this.#end(event, { type, name: null, user: null }, outcome);
    }
  }

  #giveUp(event: Forwarded): void {
    const { messageId } = event.stamp;
    const outcome: Outcome = { verdict: 'failed', messageId, attempts: [], ...expired };
    this.#end(event, identityOf(event.event), outcome);
  }

  #send(forwarded: Forwarded): void {
    const { event, stamp, endpointDeliveries } = forwarded;
    // Its value may be let go while it waits for an answer.
    const identity = identityOf(event);
    const release = this.#countInFlight();
    try {
      this.#target.send(
        { event, stamp, ...(endpointDeliveries && { endpointStates: endpointDeliveries }) },
        (outcome) => {
          release();
          this.#guarded(forwarded, () => this.#end(forwarded, identity, outcome), outcome);
          this.#pump();
        },
      );
    } catch (error) {
      release();
      throw error;
    }
  }

  /** One more is in flight, until the function that is returned is called. */
  #countInFlight(): () => void {
    let isInFlight = true;
    this.#inFlight++;
    return () => {
      if (isInFlight) this.#inFlight--;
      isInFlight = false;
    };
  }

  #end(event: Forwarded, identity: EventIdentity, outcome: Outcome): void {
    const { store, clock, listener } = this.#options;
    const at = clock.now();
    const ending = endingOf(outcome, event, at);
    // Interrupted before it was sent: the store has it as it was.
    if (!ending) return;
    const { name } = this.destination;
    store.end({
      event,
      destination: name,
      wasRetrying: event.endpointDeliveries !== undefined,
      ending,
      onCommitted: () => this.#committed(event.id, ending),
    });
    try {
      const about = { at, destination: name, ...identity };
      listener.onForwarding?.(forwardingOf(outcome, ending, event, about));
    } catch (error) {
      listener.onDefect?.(error);
    }
  }

  #committed(id: number, ending: Ending): void {
    if (ending.kind !== 'postponed') {
      this.#retries.ended(id);
      return;
    }
    const { retry, delayMs } = ending;
    this.#retries.postponed(id, Math.min(retry.dueAt - this.#options.clock.now(), delayMs));
    if (this.#isRunning) this.#wakeFor(this.#retries.nextAt);
  }
}
