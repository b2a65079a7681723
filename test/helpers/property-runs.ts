import { inject } from 'vitest';

/** How often a property is tried: `thorough` times among the slow tests, `modest` times otherwise. */
export function runs(thorough: number, modest = 200): number {
  return inject('isThorough') === true ? thorough : Math.min(thorough, modest);
}
