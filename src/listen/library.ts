import { checkReceiverOptions } from './check-receiver-options.js';
import type { ReceiverOptions, WebhookReceiver } from './webhook-receiver.js';

/**
 * Starts a receiver of webhooks, as `evfwd listen` without its page: for tests of what sends them.
 *
 * @throws UsageError for wrong options, and if host and port cannot be listened on
 * @example
 * import { createReceiver } from 'evfwd';
 *
 * const receiver = await createReceiver({ secret: 'topsecret', enforce: true });
 * // Let the program post to receiver.url, then:
 * const [order] = await receiver.waitFor('track:Order Completed');
 * console.log(order?.body);
 * await receiver.close();
 */
export async function createReceiver(options: ReceiverOptions = {}): Promise<WebhookReceiver> {
  checkReceiverOptions(options);
  // Imported late: most programs receive nothing.
  const { startTestReceiver } = await import('./test-receiver.js');
  return startTestReceiver(options);
}
