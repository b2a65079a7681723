import { afterEachTest } from './after-each.js';
import type { Event } from '../../src/events/event.js';
import { eventFrom } from '../../src/events/given.js';
import type { Outcome } from '../../src/delivery/outcome.js';
import {
  WebhookDestination,
  type WebhookDestinationOptions,
} from '../../src/webhook/destination.js';

export const someEvent = { type: 'track', userId: 'u1', event: 'Signed Up', messageId: 'm1' };

const destinations: WebhookDestination[] = [];

/** A destination of these URLs that tries once, unless told otherwise; closed after the test. */
export function webhooks(
  urls: string | readonly string[],
  options: Partial<WebhookDestinationOptions> = {},
): WebhookDestination {
  const endpoints = [urls].flat().map((url) => ({ url }));
  const destination = new WebhookDestination({ endpoints, retryWindowMs: 0, ...options });
  destinations.push(destination);
  return destination;
}

afterEachTest(async () => {
  await Promise.all(destinations.splice(0).map((destination) => destination.close()));
});

/** Sends `someEvent` whether there is room or not, as a caller does that asks `room()` itself. */
export function sendNow(destination: WebhookDestination, messageId = 'm1'): Promise<Outcome> {
  const event = eventFrom({ ...someEvent, messageId }) as Event;
  const stamp = { messageId, writesMessageId: false };
  return new Promise((resolve) => destination.send({ event, stamp }, resolve));
}

/** Each try in short: its status or its error, and the verdict. */
export function tries(outcome: Outcome): string[] {
  return outcome.attempts.map(({ status, error, verdict }) => `${status ?? error}: ${verdict}`);
}

/** What a single try at a URL comes to. */
export async function attemptOnce(
  url: string,
  options: Partial<WebhookDestinationOptions> = {},
): Promise<string> {
  const outcome = await webhooks(url, options).deliver(someEvent);
  return tries(outcome).join(', ');
}
