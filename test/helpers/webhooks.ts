import { afterEachTest } from './after-each.js';
import type { Event } from '../../src/events/event.js';
import { eventFrom } from '../../src/events/given.js';
import type { Outcome } from '../../src/delivery/outcome.js';
import { WebhookTarget, type WebhookTargetOptions } from '../../src/webhook/target.js';

export const someEvent = { type: 'track', userId: 'u1', event: 'Signed Up', messageId: 'm1' };

const destinations: WebhookTarget[] = [];

/** A destination of these URLs, by default with one attempt per event; closed after the test. */
export function webhooks(
  urls: string | readonly string[],
  options: Partial<WebhookTargetOptions> = {},
): WebhookTarget {
  const endpoints = [urls].flat().map((url) => ({ url }));
  const destination = new WebhookTarget({ endpoints, retryWindowMs: 0, ...options });
  destinations.push(destination);
  return destination;
}

afterEachTest(async () => {
  await Promise.all(destinations.splice(0).map((destination) => destination.close()));
});

/** Sends `someEvent` without waiting for room, like a caller that checks `room()` itself. */
export function sendNow(destination: WebhookTarget, messageId = 'm1'): Promise<Outcome> {
  const event = eventFrom({ ...someEvent, messageId }) as Event;
  const stamp = { messageId, writesMessageId: false };
  return new Promise((resolve) => destination.send({ event, stamp }, resolve));
}

/** Each attempt in short: its status or error, and the verdict. */
export function attemptsOf(outcome: Outcome): string[] {
  return outcome.attempts.map(({ status, error, verdict }) => `${status ?? error}: ${verdict}`);
}

/** The result of a single attempt at a URL. */
export async function attemptOnce(
  url: string,
  options: Partial<WebhookTargetOptions> = {},
): Promise<string> {
  const outcome = await webhooks(url, options).deliver(someEvent);
  return attemptsOf(outcome).join(', ');
}
