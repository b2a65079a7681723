import type { BatchSettings } from './batch-settings.js';
import { BatchTarget } from './batch-target.js';
import { WebhookTarget, type WebhookSender, type WebhookTargetOptions } from './target.js';

/**
 * Opens a target of webhooks: without `batch`, each event is a request.
 * @throws UsageError when the endpoints, a header, the secrets or a number cannot be used.
 */
export function openWebhooks(
  options: WebhookTargetOptions & { readonly batch?: BatchSettings | undefined },
): WebhookSender {
  const { batch } = options;
  return batch ? new BatchTarget({ ...options, batch }) : new WebhookTarget(options);
}
