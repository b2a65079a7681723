import type { Event } from '../events/event.js';
import type { Stamp } from '../events/stamp.js';
import type { SigningSettings } from '../sign/request-signer.js';
import type { Secret } from '../sign/schemes/scheme.js';
import type { BatchSettings } from '../webhook/batch-settings.js';
import type { Endpoint } from '../webhook/endpoint.js';
import type { KeepSettings } from './kept/settings.js';
import type { RawSource } from './raw/source.js';

/** Who sends: a client or site that sends events, identified by its write key, or any sender of webhooks, by a path. */
export interface Source {
  readonly name: string;
  /** Of a source of events. Never shown nor logged. */
  readonly writeKey?: string;
  /** Of a source of any sender's requests. */
  readonly raw?: RawSource;
  /** Events of a disabled source are accepted and not forwarded. */
  readonly isEnabled: boolean;
  /** Names of its destinations. */
  readonly destinations: readonly string[];
}

/** Where alerts about a destination are sent. */
export interface AlertSettings {
  /** Absolute `http:` or `https:` URL; its query is never shown. */
  readonly url: string;
  /** URL of the HTTP proxy in front of it: that of the destination. Default: none. */
  readonly proxy?: string;
  /** How alerts are signed; absent: not at all. */
  readonly signing?: readonly SigningSettings[];
  /** How long nothing is delivered, while something waits, until the destination is down; in milliseconds. */
  readonly afterMs: number;
}

/** How requests are signed anew. */
export interface Resigning {
  readonly signing: SigningSettings;
  /** Names, in lower case, of the headers of all known schemes, which are left out. */
  readonly replaced: readonly string[];
}

/** Webhooks that share one configuration. */
export interface Destination {
  /** Its key in the configuration file. */
  readonly name: string;
  /** Its name in the `integrations` of an event: its `name:`, or `Webhooks`. */
  readonly integrationName: string;
  /** Whether anything is sent to it. */
  readonly isEnabled: boolean;
  /**
   * Off by hand, or since its certificates cannot be used: events that come wait for it. One that the configuration
   * disables gets none.
   */
  readonly isSwitchedOff?: boolean;
  /** On, but for certificates that cannot be used. */
  readonly isHeldUp?: boolean;
  readonly allowPrivateNetworks: boolean;
  /** Whether the events of one user go one after the other; absent: not. */
  readonly ordered?: 'user';
  /** How requests are signed; absent: not at all. */
  readonly signing?: readonly SigningSettings[];
  readonly endpoints: readonly Endpoint[];
  /** How many events go in one request. Absent: each is one. */
  readonly batch?: BatchSettings;
  /** How requests of raw sources are signed; absent: with the signature of their sender. */
  readonly resign?: Resigning;
  /** Secrets of the raw sources that send to it, hidden in its responses. Absent: none. */
  readonly sourceSecrets?: readonly Secret[];
  /** How long an event is retried, in milliseconds. Default: 4 hours. */
  readonly retryWindowMs?: number;
  /** Why nothing can be sent to it, and events wait: its certificates cannot be used. Absent: it can. */
  readonly refusal?: string;
  /** It is refused since this client certificate has expired: a URL that it is for, without its query, and its end. */
  readonly expiredCertificate?: { readonly url: string; readonly end: number };
  /** Absent: no alerts are sent. */
  readonly alerts?: AlertSettings;
}

export interface Routing {
  readonly sources: readonly Source[];
  readonly destinations: readonly Destination[];
  /** How many dead letters are kept, the newest of all destinations together. Default: 100,000. */
  readonly maxDeadLetters?: number;
  /** How long accepted events are kept. Default: not at all. */
  readonly keep?: KeepSettings;
  /** The files of certificates and keys, as absolute paths. Default: none. */
  readonly certificateFiles?: readonly string[];
}

/** An accepted event, as it is stored and forwarded. */
export interface Accepted {
  readonly event: Event;
  /** `stamp.messageId` is its id, whether the call had one or not. */
  readonly stamp: Stamp;
  /** The call had no id, but gets the same one when it is resent; default false. */
  readonly derivesId?: boolean;
}

/** A call that was rejected while the rest of its request was accepted. */
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

/** The calls of one request. */
export interface IngestBatch {
  readonly source: Source;
  /** Milliseconds since 1970. */
  readonly receivedAt: number;
  /** In request order. */
  readonly accepted: readonly Accepted[];
  readonly rejected: readonly Rejected[];
}

/**
 * Resolves when the batch is durable; rejects with StateError when it cannot be stored (the client
 * then gets 503).
 */
export type Accept = (batch: IngestBatch) => Promise<void>;

/** A deletion request. */
export interface Deletion {
  readonly source: Source;
  /** The JSON text of the id, as received: a string with its quotes, or a number. */
  readonly userId: string;
  /** As received when valid; otherwise the time of the request. */
  readonly timestamp: string;
  /** Milliseconds since 1970. */
  readonly receivedAt: number;
}

/** Resolves when the deletion is durable; rejects as `Accept` does. */
export type AcceptDeletion = (deletion: Deletion) => Promise<void>;
