import type { EventType } from '../events/event.js';
import type { ClientCertificate } from '../http/tls.js';
import type { OAuth2Settings } from '../delivery/oauth2-settings.js';

/** A URL that events are sent to, with its static headers, and what holds for it alone. */
export interface Endpoint extends EndpointSettings {
  /** Absolute `http:` or `https:` URL. A query is allowed, and never shown. */
  readonly url: string;
  /** Up to 5 static headers; sent unchanged, never shown. */
  readonly headers?: StaticHeaders;
  /**
   * The HTTP proxy in front of it: `http://` or `https://`, with user and password if it wants them, which are never
   * shown. Loopback and literal private addresses are reached without it. Default: none.
   */
  readonly proxy?: string;
  /** Its `Authorization`, beside the headers. Default: none. */
  readonly auth?: EndpointAuth;
  /**
   * Its certificates.
   * @internal
   */
  readonly tls?: EndpointTls;
}

/**
 * Certificates of one endpoint, as PEM texts.
 * @internal
 */
export interface EndpointTls {
  /** Trusted in addition to those of the target. */
  readonly ca?: readonly string[];
  /** Sent to a server that asks for one, unless the target has one. */
  readonly clientCertificate?: ClientCertificate;
  /** Where they were read from. */
  readonly files?: EndpointTlsFiles;
}

/**
 * Absolute paths of PEM files.
 * @internal
 */
export interface EndpointTlsFiles {
  readonly cert?: string;
  readonly key?: string;
  /** Whether the key needs a passphrase. Default false. */
  readonly isKeyEncrypted?: true;
  readonly ca?: string;
}

/** What of all events a URL gets: those that fit each of these; an absent one fits always. */
export interface EndpointFilter {
  /** Types of events; at least one. */
  readonly types?: readonly EventType[];
  /** Names of track events, in which `*` matches any text; at least one. Other types do not fit. */
  readonly events?: readonly string[];
  /** Conditions on members, all of which must hold: `properties.total>=100`, as of `--where`. */
  readonly where?: readonly string[];
}

/** What holds for one URL, in place of the settings of its target. */
export interface EndpointSettings extends EndpointFilter {
  /** Statuses from 400 to 599 that are retried as a 5xx is. Default: none besides 408, 425, 429 and 5xx. */
  readonly retryStatus?: readonly number[];
  /** Time from the start of an attempt to the status line, in milliseconds. Default: that of the target. */
  readonly timeoutMs?: number;
  /** Requests in flight to this URL. Default: that of the target. */
  readonly concurrency?: number;
  /** The most attempts per second, retries included. Default: no limit. */
  readonly rate?: number;
}

/** What an endpoint gets as `Authorization`; one of these. Never shown. */
export type EndpointAuth =
  | { readonly bearer: string }
  | { readonly basic: { readonly user: string; readonly password: string } }
  | { readonly oauth2: OAuth2Settings };

/** Name → value, or pairs, in which a name can be repeated. */
export type StaticHeaders =
  Readonly<Record<string, string>> | readonly (readonly [name: string, value: string])[];
