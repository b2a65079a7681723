import type { ShownSettings } from '../../../src/api/serve.js';
import { spanText } from '../outcomes/span.js';

/** What an endpoint has for itself, as in the configuration file; empty without anything. */
export function settingsText({ timeoutMs, rate, batch, ...rest }: ShownSettings): string {
  const texts = {
    ...rest,
    ...(timeoutMs && { timeout: spanText(timeoutMs) }),
    ...(rate && { rate: `${rate}/s` }),
    ...(batch && { batch: `${batch.size} events or ${spanText(batch.waitMs)}` }),
  };
  return Object.entries(texts)
    .map(([key, value]) => `${key}: ${[value].flat().join(', ')}`)
    .join(' · ');
}
