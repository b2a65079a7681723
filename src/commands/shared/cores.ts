import type { TargetSettings } from '../../config/open-target.js';
import { hostOf } from '../../http/url.js';
import { isLoopback } from '../../web/address.js';

/**
 * A webhook receiver on this machine needs about one core, so one is left free; a collector gets
 * batches and needs less. More busy threads than cores are slower than fewer.
 */
export function coresToUse(settings: TargetSettings, cores: number): number {
  return settings.kind === 'webhooks' && settings.endpoints.some(isLocal) ? cores - 1 : cores;
}

function isLocal({ url }: { readonly url: string }): boolean {
  return URL.canParse(url) && isLoopback(hostOf(new URL(url)));
}
