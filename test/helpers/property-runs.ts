import { inject } from 'vitest';

const modest = 200;

/** How often a property is tried: so often among the slow tests, and no more than 200 times otherwise. */
export function runs(thorough: number): number {
  return inject('isThorough') === true ? thorough : Math.min(thorough, modest);
}
