import type { Forwarded, SignatureVerdict } from '../api/received.js';
import type { VerifyReason } from '../sign/verify-reason.js';
import type { Bytes } from '../sign/x-signature.js';

/** How the requests of one path are verified. */
export interface PathVerification {
  /** Exact, or with a `/*` at its end. */
  path: string;
  /** The name of a preset, or `auto`. Default: that of the receiver. */
  scheme?: string;
  /** Any that fits. */
  secret: Bytes | readonly Bytes[];
}

/** Options of `createReceiver`. Rules are texts as in the flags of `evfwd listen`. */
export interface ReceiverOptions {
  /** Default 0: a free one. */
  port?: number;
  /** Default 127.0.0.1. */
  host?: string;
  /** The shared secret; any of several that fits. Without one, signatures are `unchecked`. */
  secret?: Bytes | readonly Bytes[];
  /** The name of a preset, or `auto`. Default `x-signature`. */
  scheme?: string;
  /** For several senders: `path=/stripe,scheme=stripe,secret-file=stripe.txt`, or an object. */
  verify?: readonly (string | PathVerification)[];
  /** Answers 401 unless the signature is valid. Default false. */
  enforce?: boolean;
  /** Answers a repeat as the first request was, and marks it. Default false. */
  dedupe?: boolean;
  /** `status=503,rate=10%`, … */
  faults?: readonly string[];
  /** Of random faults. Default: another one each time. */
  seed?: number;
  /** `path=/slack,body={body.challenge}`, … */
  respond?: readonly string[];
  /** The URL of an app that requests are passed on to. */
  forward?: string;
  /** The time to the status line of the app. Default 30000. */
  forwardTimeoutMs?: number;
}

/** A receiver of webhooks inside of a test. */
export interface WebhookReceiver {
  /** Without a path. */
  readonly url: string;
  /** The newest 10,000 requests, as far as they take at most 64 MiB in memory; the oldest first. */
  readonly requests: ReceivedCapture[];
  /**
   * Resolves to the requests that fit, once there are enough, those that came before included. Rejects
   * after `timeoutMs` with an error (`not_received`) that lists what did come, and once the receiver is
   * closed (`receiver_closed`).
   *
   * @param match a rule of `--expect`, like `track:Order *`, which counts each event of a batch, or a function
   */
  waitFor(match: Match, options?: WaitOptions): Promise<ReceivedCapture[]>;
  /** Replaces the faults. @throws UsageError if one is wrong; then nothing changes */
  setFaults(faults: readonly string[]): void;
  /** Forgets the requests so far. */
  reset(): void;
  /** Ends it; what still waits is rejected. */
  close(): Promise<void>;
}

/** A recorded request. Either `body` or `bodyBase64` is there, here and in its response. */
export interface Capture {
  readonly type: 'request';
  readonly id: string;
  /** ISO 8601 with milliseconds, UTC. */
  readonly receivedAt: string;
  readonly method: string;
  /** With its query. */
  readonly path: string;
  /** Names in lower case; a repeated header has a list of values. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  /** The body as received, if it is UTF-8. */
  readonly body?: string;
  readonly bodyBase64?: string;
  readonly signature: SignatureVerdict;
  /** By which scheme it was checked; absent where it was not, or none was found. */
  readonly scheme?: string;
  /** Why the signature is not valid. */
  readonly reason?: VerifyReason;
  /** Whether it was recognized as a repeat. */
  readonly duplicate?: true;
  /** Of a batch that is no repeat: the positions of its events that came before. */
  readonly duplicateEvents?: readonly number[];
  readonly response: CapturedResponse;
  /** How it was passed on to an app. */
  readonly forwarded?: Forwarded;
}

/** A recorded request with its events. */
export interface ReceivedCapture extends Capture {
  /**
   * The values of its events: of a batch (an array of events, or an object with an array `batch`) each one,
   * else the event alone; empty where none was found. Parsed when it is read, and no part of its JSON.
   */
  readonly events: readonly Readonly<Record<string, unknown>>[];
}

/** What was answered, with the first 64 KB of the body where an app or a fixed response made it. */
export interface CapturedResponse {
  /** Null if there was none. */
  readonly status: number | null;
  readonly delayMs: number;
  readonly body?: string;
  readonly bodyBase64?: string;
}

/** A rule of `--expect`, as `track:Order *` or `signature:invalid`, or a function. */
export type Match = string | ((capture: ReceivedCapture) => boolean);

export interface WaitOptions {
  /** How many have to come: of a rule events, of a function requests. Default: what the rule says, else 1. */
  readonly count?: number;
  /** Default 5000. */
  readonly timeoutMs?: number;
}
