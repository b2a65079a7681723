import type { ClientCertificate } from '../http/tls.js';
import type { Vendor } from './options.js';
import type { SigningSettings } from '../sign/request-signer.js';
import type { Sender } from './senders/sender.js';

/** What a check run is about. */
export interface CheckSettings {
  readonly url: URL;
  /** Static headers of every request. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** Absent without a secret. Secrets are newest first. */
  readonly signing?: SigningSettings | undefined;
  /** Whose events are sent. */
  readonly sender: Sender;
  /** How many events and bytes an array of events may have; absent where each event is sent alone. */
  readonly batch?: { readonly size: number; readonly maxBytes: number } | undefined;
  /** PEM texts that are trusted in addition. */
  readonly ca: readonly string[];
  readonly clientCertificate?: ClientCertificate | undefined;
  /** When a response is late. */
  readonly deadlineMs: number;
  /** Requests per second, at most. */
  readonly rate: number;
  /** Counts what the events have done; its errors have a message that can be shown. The signal ends it. */
  readonly probe?: ((signal?: AbortSignal) => Promise<number>) | undefined;
  readonly handshake?: { readonly vendor: Vendor; readonly token?: string | undefined } | undefined;
  /** Flags that curl needs for the same connection, each quoted for the shell. */
  readonly curlFlags?: readonly string[] | undefined;
  /** Whether each warning is a failure. */
  readonly isStrict: boolean;
}

export const vendors: readonly Vendor[] = ['slack', 'twitch', 'zoom', 'meta', 'cloudevents'];

/** When a response is late where the sender names no limit, in milliseconds. */
export const defaultDeadlineMs = 5_000;

/** Events per second where nothing else is asked for; `load.parallel` needs it. */
export const defaultRate = 20;
