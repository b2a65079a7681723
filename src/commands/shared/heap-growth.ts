import { setFlagsFromString } from 'node:v8';

/**
 * By how much the heap may grow before all of it is collected. By default it grows up to fourfold on a
 * machine with much memory, and is mostly garbage of requests.
 */
const percent = 50;

/** For commands that run for long: keeps the memory of the process near what is in use. */
export function limitHeapGrowth(): void {
  setFlagsFromString(`--heap-growing-percent=${percent}`);
}

/**
 * For commands whose requests are large: keeps the part of the heap for new objects as small as it is. It
 * may grow to 48 MB, which large texts and lists fill with garbage.
 */
export function limitYoungGeneration(): void {
  setFlagsFromString('--semi-space-growth-factor=1');
}
