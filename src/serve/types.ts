import type { Event } from '../events/event.js';
import type { Stamp } from '../events/stamp.js';
import type { Endpoint } from '../webhook/settings.js';

/** Where events come from: whoever knows its write key. */
export interface Source {
  readonly name: string;
  /** Never shown nor logged. */
  readonly writeKey: string;
  /** What a disabled source sends is answered as ever, and not forwarded. */
  readonly isEnabled: boolean;
  /** Names of its destinations. */
  readonly destinations: readonly string[];
}

/** Where events go: the webhooks that share one configuration. */
export interface Destination {
  /** Its key in the configuration file. */
  readonly name: string;
  /** What the `integrations` of an event call it: its `name:`, or `Webhooks`. */
  readonly integrationName: string;
  readonly isEnabled: boolean;
  readonly allowPrivateNetworks: boolean;
  /** Without one, requests are not signed. */
  readonly sharedSecret?: string;
  readonly endpoints: readonly Endpoint[];
}

export interface Routing {
  readonly sources: readonly Source[];
  readonly destinations: readonly Destination[];
  /** So many dead letters are kept, of all destinations together, the newest. Default: 100,000. */
  readonly maxDeadLetters?: number;
}

/** An event that was taken, as it is stored and forwarded. */
export interface Accepted {
  readonly event: Event;
  /** `stamp.messageId` is its id, whether it brought one or not. */
  readonly stamp: Stamp;
  /** It brought no id, but when it is sent again it gets the same one; default false. */
  readonly derivesId?: boolean;
}

/** A call that was refused while the rest of its request was taken. */
export interface Rejected {
  /** Stable name of the broken rule. */
  readonly code: string;
  /** One sentence for a person. */
  readonly message: string;
  /** Its own text, without the write key. */
  readonly bytes: Buffer;
  /** Whether `bytes` is JSON text. */
  readonly isJson: boolean;
}

/** What one request brought. */
export interface IngestBatch {
  readonly source: Source;
  /** Milliseconds since 1970. */
  readonly receivedAt: number;
  /** In the order of the request. */
  readonly accepted: readonly Accepted[];
  readonly rejected: readonly Rejected[];
}

/**
 * Resolves when all of it is durable; rejects with StateError when it cannot be made so (then the
 * client gets 503).
 */
export type Accept = (batch: IngestBatch) => Promise<void>;

/** A request to forget a user. */
export interface Deletion {
  readonly source: Source;
  /** The JSON text of the id, as it came: text in its quotes, or a number. */
  readonly userId: string;
  /** As it came, a valid one; else when the request was received. */
  readonly timestamp: string;
  /** Milliseconds since 1970. */
  readonly receivedAt: number;
}

/** Resolves when the deletion is durable; rejects as `Accept` does. */
export type AcceptDeletion = (deletion: Deletion) => Promise<void>;
