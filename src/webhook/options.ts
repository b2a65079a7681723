import type { Clock } from '../clock.js';
import type { AttemptResult } from '../delivery/outcome.js';
import type { BodyForm } from './body-form.js';
import type { Endpoint } from './endpoint.js';

/** The options of `WebhookDestination`. Durations are in milliseconds. */
export interface WebhookDestinationOptions {
  /** 1 to 5 URLs with up to 5 static headers each. */
  readonly endpoints: readonly Endpoint[];
  /**
   * Signs each request; without one no signature is sent. Must not be empty. For a rotation a list, newest
   * first, where the header of the scheme takes several signatures.
   */
  readonly sharedSecret?: string | Uint8Array | readonly (string | Uint8Array)[];
  /** The name of the signature scheme. Default `x-signature`. */
  readonly scheme?: string;
  /** `webhook` (default): the fixed members of a webhook body; `original`: the event's own text. */
  readonly body?: BodyForm;
  /** Time from the start of an attempt to the status line, in milliseconds. Default 5000. */
  readonly timeoutMs?: number;
  /**
   * How long one event is retried, from its first attempt, in milliseconds. Default 14,400,000 (4 hours);
   * 0 attempts once.
   */
  readonly retryWindowMs?: number;
  /** The waits between attempts, in milliseconds; the last one repeats. Default 5 s to 60 min. */
  readonly retryDelaysMs?: readonly number[];
  /** Require every URL to accept the event, each retried on its own. Default false: one success is enough. */
  readonly allUrls?: boolean;
  /** Requests in flight to one URL. Default 64. */
  readonly concurrency?: number;
  /** PEM texts of certificates to trust in addition to Node's own. Default: none. */
  readonly ca?: readonly string[];
  /** The name of this destination in an event's `integrations`. Default `Webhooks`. */
  readonly name?: string;
  /** Send events even if their `integrations` turn this destination off. Default false. */
  readonly ignoreIntegrations?: boolean;
  /**
   * A 410 disables its URL for the lifetime of this destination: events not sent there yet fail as `gone`.
   * Default false: a 410 is final only for its event at that URL.
   */
  readonly disablesOnGone?: boolean;
  /**
   * Called with the end of a pause requested by `Retry-After` (milliseconds since 1970), again when the
   * pause is extended, and with undefined when it has ended. `url` is without its query.
   */
  readonly onPause?: (url: string, untilMs: number | undefined) => void;
  /** Called for every attempt when it has ended. */
  readonly onAttempt?: (result: AttemptResult, messageId: string) => void;
  /** The source of time, for tests. Default: the system's. */
  readonly clock?: Clock;
  /** A number in [0, 1), for the jitter of retries. Default: `Math.random`. */
  readonly random?: () => number;
}
