import type { Event } from '../events/event.js';
import type { Stamp } from '../events/stamp.js';
import type { EndpointNotice } from './endpoint-notice.js';
import type { EndpointDeliveryState } from './outcome.js';
import type { Outcome } from './outcome.js';

/** An event to be sent, with the values that are added where it lacks them. */
export interface Outgoing {
  /** A target that holds it for long puts a detached copy here, to release the file's buffer. */
  event: Event;
  readonly stamp: Stamp;
  /** The states after earlier attempts, for a retry that was handed back. */
  readonly endpointDeliveries?: readonly EndpointDeliveryState[] | undefined;
  /**
   * Called when the body is dropped from memory, while a request waits for its connection or a response: the event
   * is not read before the body is made again, or the outcome is reported. It may be called again after that.
   * Default: the body is kept.
   */
  readonly onBodyReleased?: (() => void) | undefined;
  /**
   * Called once, when nothing of it is in memory or in flight anymore. With `reportsAtOnce` this can be after the
   * outcome was reported.
   */
  readonly onEnded?: () => void;
}

/**
 * Where events are sent: a collector, or webhooks. A target never throws for a response; it reports an
 * outcome for each event.
 */
export interface Target {
  /** The URLs for display, without queries. */
  readonly urls: readonly string[];
  /**
   * Sends an event; `done` is called exactly once, possibly before `send` returns. The event's value and
   * members must be read before `send` returns, since they are released then.
   */
  send(outgoing: Outgoing, done: (outcome: Outcome) => void): void;
  /** Undefined while it can accept more, else a promise that resolves when it can. */
  room(): Promise<void> | undefined;
  /** Whether every URL is down or paused, so that nothing but probes should be sent. Default: never. */
  readonly isUnavailable?: boolean;
  /** Whether some URLs are down or paused, and others are not. Default: never. */
  readonly isPartlyUnavailable?: boolean;
  /** Whether a URL is down and the next event that is sent probes it. Default: never. */
  readonly wantsProbe?: boolean;
  /** Whether that probe should be an event that was not attempted before. Default: never. */
  readonly wantsFreshProbe?: boolean;
  /** Calls back when a URL accepts events again, or a probe. */
  onAvailable?(listener: () => void): void;
  /** Sends all batched events at once, since no others come before some have ended. Default: none are kept back. */
  flush?(): void;
  /** Sends all batched events at once, and resolves when every event has ended. */
  drain(): Promise<void>;
  /** Ends events that wait for a retry as `pending`; requests in flight may finish. */
  interrupt(): void;
  /** Applies what another target learned from a response of the same URL; `queue` is its index in `urls`. */
  applyNotice?(queue: number, notice: EndpointNotice): void;
  /** Closes connections. */
  close(): Promise<void>;
}
