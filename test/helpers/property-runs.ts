import { inject } from 'vitest';

/** The number of runs of a property: `thorough` in the project `thorough`, `modest` otherwise. */
export function runs(thorough: number, modest = 200): number {
  return inject('isThorough') === true ? thorough : Math.min(thorough, modest);
}
