import { isDeepStrictEqual } from 'node:util';
import { systemClock, type Clock } from '../../clock.js';
import { defaults } from '../../defaults.js';
import type { Outcome } from '../../delivery/outcome.js';
import { UsageError } from '../../errors.js';
import { compactEvent } from '../../events/text-event.js';
import { certificateEnds } from '../certificate-ends.js';
import type { ServiceStore } from '../store/service-store.js';
import { identityOf } from '../event-identity.js';
import { countGarbage } from '../store/garbage.js';
import { runAll } from '../store/run-all.js';
import type { OnStored, StoredEvent } from '../store/stored.js';
import type { Accept, AcceptDeletion, Destination, Routing, Source } from '../types.js';
import { DestinationQueue } from './destination-queue.js';
import type { DeliveryOptions, ForwardingListener } from './sender.js';
import { expiryOf } from './ending.js';
import { Expiry } from './expiry.js';
import { MemoryBudget } from './memory-budget.js';
import { Routes } from './routes.js';
import { testOutgoing, type TestOutgoing } from './test-outgoing.js';

export interface ForwarderOptions {
  readonly store: ServiceStore;
  readonly routing: Routing;
  readonly clock?: Clock;
  readonly delivery?: DeliveryOptions;
  readonly listener?: ForwardingListener;
  readonly memory?: MemoryBudget;
}

/** A destination as an operator sees it. */
export interface DestinationState {
  readonly name: string;
  /** False for a removed one for which events still wait. */
  readonly isConfigured: boolean;
  readonly isEnabled: boolean;
  /** Why nothing can be sent to it; absent if something can. */
  readonly refusal?: string;
  /** When client certificates end, milliseconds since 1970, by URL; absent without any. */
  readonly certificateEnds?: ReadonlyMap<string, number>;
  /** Without their queries. */
  readonly urls: readonly string[];
  /** Those that are considered down: they get single requests until they recover. */
  readonly down: readonly string[];
  /** The end of the pause of each paused URL, milliseconds since 1970. */
  readonly paused: ReadonlyMap<string, number>;
  /** Waiting events, including those in flight and those that wait for a retry. */
  readonly waiting: number;
  readonly retrying: number;
  readonly inFlight: number;
  /** When the next retry is due; milliseconds since 1970. */
  readonly nextRetryAt?: number;
  /** When the oldest event without an attempt was queued; milliseconds since 1970. */
  readonly notAttemptedSince?: number;
}

/** Only the garbage of larger events is counted: that of smaller ones is collected with the objects around it. */
const largeBytes = 8 * 1024;

/** Stores the events of sources and forwards them, with one queue per destination. */
export class Forwarder {
  readonly #store: ServiceStore;
  readonly #clock: Clock;
  readonly #delivery: DeliveryOptions;
  readonly #listener: ForwardingListener;
  readonly #memory: MemoryBudget;
  #queues = new Map<string, DestinationQueue>();
  #routes: Routes;
  #sources: readonly Source[];
  readonly #expiry: Expiry;
  #isRunning = false;
  #reconfigured: Promise<void> = Promise.resolve();

  /** @throws UsageError when a destination is not valid. */
  constructor(options: ForwarderOptions) {
    const { store, routing, listener = {} } = options;
    this.#store = store;
    this.#clock = options.clock ?? systemClock;
    this.#delivery = options.delivery ?? {};
    this.#listener = listener;
    this.#memory = options.memory ?? new MemoryBudget();
    this.#expiry = this.#makeExpiry();
    this.#routes = new Routes(routing);
    this.#sources = routing.sources;
    for (const one of routing.destinations) this.#queues.set(one.name, this.#queueFor(one));
  }

  /** Starts sending what the store has. */
  start(): void {
    this.#isRunning = true;
    for (const queue of this.#queues.values()) this.#startQueue(queue);
    this.#expiry.start();
  }

  /** A commit or its flush has failed: nothing more is sent until one succeeds. */
  noteFailure(): void {
    for (const queue of this.#queues.values()) queue.interruptUnsent();
  }

  /** Stores a batch and forwards its events. @throws StateError when it cannot be stored. */
  readonly accept: Accept = (batch) => {
    const routes = this.#routes.route(batch.source, batch.accepted);
    return this.#store.accept(batch, routes, this.#offer, this.#listener.onRepeated);
  };

  /** Stores a deletion, and notifies the destinations of its source. @throws as `accept` does */
  readonly acceptDeletion: AcceptDeletion = (deletion) =>
    this.#store.acceptDeletion(deletion, this.#routes.namesFor(deletion.source), this.#offer);

  /** Queues dead letters again. Resolves to the number of those that exist. */
  redeliver(ids: readonly number[]): Promise<number> {
    return this.#store.redeliver(ids, this.#offer);
  }

  /** Events of replays were queued. */
  get onStored(): OnStored {
    return this.#offer;
  }

  /**
   * Sends one test event or request to a destination, enabled or not, once and bypassing its queue.
   * @throws UsageError for an unknown destination.
   */
  async test(destination: string): Promise<Pick<TestOutgoing, 'request'> & { outcome: Outcome }> {
    const queue = this.#queues.get(destination);
    if (!queue) throw new UsageError(`no destination is called ${JSON.stringify(destination)}`);
    const { outgoing, request } = testOutgoing(queue.destination, this.#sources, this.#clock.now());
    const outcome = await queue.sendOnce(outgoing);
    return { outcome, request };
  }

  /**
   * Applies another routing. Events that wait for a changed, disabled or removed destination stay in
   * the store; a changed one continues when its events in flight have ended. Resolves then.
   * @throws UsageError when a destination is not valid; then nothing has changed.
   */
  reconfigure(routing: Routing): Promise<void> {
    const before = this.#queues;
    const queues = new Map<string, DestinationQueue>();
    for (const destination of routing.destinations) {
      const old = before.get(destination.name);
      const isSame = old && isDeepStrictEqual(old.destination, destination);
      queues.set(destination.name, isSame ? old : this.#queueFor(destination));
    }
    this.#queues = queues;
    this.#routes = new Routes(routing);
    this.#sources = routing.sources;
    const kept = new Set(queues.values());
    const retired = [...before.values()].filter((queue) => !kept.has(queue));
    const known = new Set(before.values());
    const added = [...queues.values()].filter((queue) => !known.has(queue));
    this.#reconfigured = this.#replace(retired, added, this.#reconfigured);
    return this.#reconfigured;
  }

  /** Sends nothing new, waits up to this time for what is in flight, and makes all durable. */
  async stop(timeoutMs: number = defaults.timeoutMs): Promise<void> {
    this.#isRunning = false;
    this.#expiry.stop();
    await Promise.all([...this.#queues.values()].map((queue) => queue.stop(timeoutMs)));
    await this.#reconfigured;
    await this.#store.commit();
  }

  /** Whether events wait for a destination whose URLs all are down or paused. */
  isStalled(destination: string): boolean {
    const isUnavailable = this.#queues.get(destination)?.isUnavailable ?? false;
    // Without a waiting event the replay must go on: its next event is the probe.
    return isUnavailable && this.#store.length(destination).waiting > 0;
  }

  destinations(): DestinationState[] {
    const configured = [...this.#queues.values()].map((queue) => this.#stateOf(queue));
    const removed = this.#store
      .waitingFor()
      .filter((name) => !this.#queues.has(name))
      .map((name) => ({
        ...{ name, isConfigured: false, isEnabled: false, urls: [], down: [], inFlight: 0 },
        paused: new Map<string, number>(),
        ...this.#waitingAt(name),
      }));
    return [...configured, ...removed];
  }

  readonly #offer = (event: StoredEvent, destinations: readonly string[]): void => {
    // A copy, shared by all destinations: the event itself would keep the whole request in memory.
    const compact = compactEvent(event.event);
    // Three buffers hold it: the request, the same unpacked, and the block.
    const { length } = event.event.bytes;
    if (length >= largeBytes) countGarbage(3 * length);
    const offered = compact === event.event ? event : { ...event, event: compact };
    runAll(destinations, (name) => this.#queues.get(name)?.offer(offered));
  };

  #queueFor(destination: Destination): DestinationQueue {
    return new DestinationQueue(destination, {
      store: this.#store,
      clock: this.#clock,
      delivery: this.#delivery,
      listener: this.#listener,
      memory: this.#memory,
    });
  }

  #startQueue(queue: DestinationQueue): void {
    if (this.#isRunning && queue.destination.isEnabled) queue.start();
  }

  /** Replacements run one after the other: a destination may be added and removed within one. */
  async #replace(
    retired: readonly DestinationQueue[],
    added: readonly DestinationQueue[],
    after: Promise<void>,
  ): Promise<void> {
    const timeoutMs = this.#delivery.timeoutMs ?? defaults.timeoutMs;
    const stopped = retired.map((queue) => queue.stop(timeoutMs));
    await after;
    await Promise.all(stopped);
    // Otherwise the new queues would send again what the old ones have finished.
    await this.#store.commit();
    for (const queue of added) {
      if (this.#queues.get(queue.destination.name) === queue) this.#startQueue(queue);
    }
  }

  #stateOf(queue: DestinationQueue): DestinationState {
    const { destination, urls, down, paused, inFlight, nextRetryAt } = queue;
    const { name, isEnabled, refusal } = destination;
    const ends = certificateEnds(destination);
    return {
      ...{ name, isConfigured: true, isEnabled, urls, down, paused, inFlight },
      ...this.#waitingAt(name),
      ...(refusal !== undefined && { refusal }),
      ...(ends.size > 0 && { certificateEnds: ends }),
      ...(nextRetryAt !== undefined && { nextRetryAt }),
    };
  }

  #waitingAt(name: string): Pick<DestinationState, 'waiting' | 'retrying' | 'notAttemptedSince'> {
    const notAttemptedSince = this.#store.notAttemptedSince(name);
    return {
      ...this.#store.length(name),
      ...(notAttemptedSince !== undefined && { notAttemptedSince }),
    };
  }

  #makeExpiry(): Expiry {
    const clock = this.#clock;
    return new Expiry({
      store: this.#store,
      clock,
      unusedOf: (name) => this.#queues.get(name)?.unused ?? { loadedUpTo: 0, keepsRetries: false },
      onFailure: (error) => this.#listener.onFailure?.(error),
      onExpired: (destination) => (event, failure) =>
        this.#listener.onForwarding?.(
          expiryOf(event, failure, {
            at: clock.now(),
            destination,
            ...identityOf(event.event),
          }),
        ),
    });
  }
}
