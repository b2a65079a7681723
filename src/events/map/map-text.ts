import { stringify } from 'yaml';
import type { EventMap } from './event-map.js';

/** A map as YAML that `readMap` reads. */
export function mapText(map: EventMap): string {
  return stringify(map, { lineWidth: 0, defaultStringType: 'PLAIN', defaultKeyType: 'PLAIN' });
}
