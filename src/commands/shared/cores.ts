import type { TargetSettings } from '../../config/open-target.js';
import { isLoopback } from '../../web/address.js';

/**
 * A webhook receiver on this machine needs about one core, so one is left free; a collector gets
 * batches and needs less. More busy threads than cores are slower than fewer.
 */
export function coresToUse(settings: TargetSettings, cores: number): number {
  return settings.kind === 'webhooks' && settings.endpoints.some(isLocal) ? cores - 1 : cores;
}

function isLocal({ url }: { readonly url: string }): boolean {
  if (!URL.canParse(url)) return false;
  const { hostname } = new URL(url);
  return isLoopback(hostname.replace(/^\[|\]$/g, ''));
}
