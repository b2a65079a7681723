import { mapText } from '../events/map/map-text.js';
import type { Vendor } from './vendor.js';

/** YAML of a map that does the same as the vendor's; it needs `from` where the vendor has more than a map. */
export function printMap({ name, map, before }: Vendor): string {
  return mapText(before ? { from: name, ...map } : map);
}
