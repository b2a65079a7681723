import type { Event } from '../events/event.js';
import type { Stamp } from '../events/stamp.js';
import type { EndpointNotice } from './endpoint-notice.js';
import type { EndpointDeliveryState } from './outcome.js';
import type { Outcome } from './outcome.js';

/** An event on its way, with what is written into it where it lacks something. */
export interface Outgoing {
  /** A target that holds it for long puts a detached copy here, to let go of the file's buffer. */
  event: Event;
  readonly stamp: Stamp;
  /** How far earlier tries have come, where a retry was handed back. */
  readonly endpointStates?: readonly EndpointDeliveryState[];
}

/**
 * Where events go: a collector, or webhooks. A target never throws for an answer; it says how each
 * event ended.
 */
export interface Target {
  /** For people: the URLs, without queries. */
  readonly urls: readonly string[];
  /**
   * Takes an event; `done` is called exactly once, which may be before `send` returns. What it needs of
   * the event's value and members it takes at once: they are let go when `send` returns.
   */
  send(outgoing: Outgoing, done: (outcome: Outcome) => void): void;
  /** Undefined while it can take more, else a promise that settles when it can again. */
  room(): Promise<void> | undefined;
  /** Sends at once what it has gathered, and resolves when every event taken has ended. */
  drain(): Promise<void>;
  /** No more retries: what waits for one ends as `pending` now, what is in flight may finish. */
  interrupt(): void;
  /** Heeds what another target of the same URLs was told by one of them; `lane` is its index in `urls`. */
  applyNotice?(queue: number, notice: EndpointNotice): void;
  /** Closes connections. */
  close(): Promise<void>;
}
