import { compileMap, type RecordMapper } from '../events/map/compile-map.js';
import type { EventMap } from '../events/map/event-map.js';
import { amplitude } from './amplitude.js';
import { ga4 } from './ga4.js';
import { mixpanel } from './mixpanel.js';
import { posthog } from './posthog.js';
import { rudderstack } from './rudderstack.js';
import { segment } from './segment.js';
import { snowplow } from './snowplow.js';
import type { Vendor } from './vendor.js';

export type { Vendor, VendorFiles } from './vendor.js';

/** All vendors that `--from` and `from:` of a map can name. */
export const vendors: readonly Vendor[] = [
  segment,
  rudderstack,
  mixpanel,
  amplitude,
  posthog,
  ga4,
  snowplow,
];

export const vendorNames: readonly string[] = vendors.map(({ name }) => name);

export function findVendor(name: string | undefined): Vendor | undefined {
  return vendors.find((vendor) => vendor.name === name);
}

/**
 * Prepares a map. Its members replace those of the vendor that it is `from`; `{ from: 'segment' }` is the
 * vendor's own map.
 */
export function mapperFor(map: EventMap): RecordMapper {
  const vendor = findVendor(map.from);
  if (!vendor) return compileMap(map);
  const { before } = vendor;
  return compileMap({ ...vendor.map, ...map }, { before, watched: Object.keys(map) });
}
