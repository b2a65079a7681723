import { rethrowOutside } from '../rethrow-outside.js';
import { checkOptionNames } from '../option-names.js';
import { publicOutcome, type Outcome } from '../delivery/public-outcome.js';
import type { EventInput } from '../events/event-input.js';
import type { Endpoint } from './endpoint.js';
import type { WebhookDestinationOptions } from './options.js';
import { WebhookTarget } from './target.js';

/**
 * Posts each event to every URL, signed, and retries until one (or, with `allUrls`, every one) has
 * accepted it.
 *
 * @example
 * import { WebhookDestination } from 'evfwd';
 *
 * const destination = new WebhookDestination({
 *   endpoints: [{ url: 'https://example.com/hook', headers: { 'X-Team': 'growth' } }],
 *   sharedSecret: 'topsecret',
 * });
 * const outcome = await destination.deliver({ type: 'track', userId: 'u1', event: 'Signed Up' });
 * if (outcome.verdict !== 'delivered') console.error(outcome.code, outcome.message);
 * await destination.close();
 */
export class WebhookDestination {
  readonly #target: WebhookTarget;

  /** @throws UsageError that names the option which is unknown, or cannot be used. */
  constructor(options: WebhookDestinationOptions) {
    checkOptionNames(options, optionNames);
    const { onAttempt, onPause } = options;
    this.#target = new WebhookTarget({
      ...options,
      ...(onAttempt && { onAttempt: guarded(onAttempt) }),
      ...(onPause && { onPause: guarded(onPause) }),
    });
    for (const endpoint of options.endpoints) checkOptionNames(endpoint, endpointNames);
  }

  /** The URLs, in the order of `endpoints`, without their queries. */
  get urls(): readonly string[] {
    return this.#target.urls;
  }

  /**
   * Delivers one event, and resolves to its outcome when it has ended at all URLs. It never rejects: a
   * failed request and an event that is not valid are outcomes. While `concurrency` events are in flight,
   * further ones wait their turn.
   *
   * In a webhook body a missing messageId (a random one) and timestamp (now) are added.
   */
  async deliver(event: EventInput): Promise<Outcome> {
    return publicOutcome(await this.#target.deliver(event));
  }

  /**
   * Closes the connections when the requests in flight have ended, each within `timeoutMs`, or up to a
   * second later if it was answered with an error. They are not retried: an event that one of them has not
   * delivered, and one that waits for its turn or for a retry, ends as `pending`, and so does one that is
   * passed to `deliver` from then on.
   */
  async close(): Promise<void> {
    this.#target.interrupt();
    await this.#target.drain();
    await this.#target.close();
  }
}

/** An error of a callback is rethrown outside, since it must not affect the delivery. */
function guarded<A extends unknown[]>(callback: (...args: A) => void): (...args: A) => void {
  return (...args) => {
    try {
      callback(...args);
    } catch (error) {
      rethrowOutside(error);
    }
  };
}

const endpointNames: Record<Exclude<keyof Endpoint, 'tls'>, true> = {
  url: true,
  headers: true,
  proxy: true,
  auth: true,
  types: true,
  events: true,
  where: true,
  retryStatus: true,
  timeoutMs: true,
  concurrency: true,
  rate: true,
};

const optionNames: Record<keyof WebhookDestinationOptions, true> = {
  endpoints: true,
  sharedSecret: true,
  scheme: true,
  body: true,
  timeoutMs: true,
  retryWindowMs: true,
  retryDelaysMs: true,
  allUrls: true,
  concurrency: true,
  ca: true,
  name: true,
  ignoreIntegrations: true,
  disablesOnGone: true,
  onPause: true,
  onAttempt: true,
  clock: true,
  random: true,
};
