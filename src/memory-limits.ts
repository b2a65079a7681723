import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * By how many percent the heap may grow before all of it is collected. By default it grows up to fourfold on a
 * machine with much memory, and is mostly garbage of requests.
 */
const percent = 50;

/** For commands that run for long: keeps the memory of the process near what is in use. */
export function limitHeapGrowth(): void {
  setFlagsFromString(`--heap-growing-percent=${percent}`);
}

/**
 * For commands whose requests are large: keeps the young generation of the heap at its initial size. By default it
 * grows to 48 MB, which large texts and lists fill with garbage.
 */
export function limitYoungGeneration(): void {
  setFlagsFromString('--semi-space-growth-factor=1');
}

/**
 * For commands with several threads, each of which compiles the same code: inlines less than by default (920), which
 * takes 10 MB less with four threads, at the same speed.
 */
export function limitInlining(): void {
  setFlagsFromString('--max-inlined-bytecode-size-cumulative=300');
}

/** How much external memory may grow before a collection, in bytes; `full`: over all threads. */
const externalGrowth = { minor: 2 * 1024 * 1024, full: 32 * 1024 * 1024 };
const maxFullGrowth = 16 * 1024 * 1024;
const checkMs = 25;

/**
 * For threads through which many bytes pass: keeps the external memory of this thread, where buffers are, near
 * what is in use. V8 itself lets it grow by 64 MB in each thread before it collects the buffers that have outlived
 * the young generation, as input does while its requests are in flight. Most of them are freed by a minor
 * collection at each 2 MB; the heap is collected when this thread's share of 32 MB is left after one, at most
 * 16 MB. Does not keep the thread alive.
 *
 * @param threads how many such threads the process has
 */
export function limitExternalMemory(threads = 1): void {
  // A thread cannot be started with flags of V8, so the collector is reached in the way of a running process.
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as (options?: { type: 'minor' }) => void;
  const fullGrowth = Math.min(maxFullGrowth, externalGrowth.full / threads);
  let [afterFull, afterMinor] = [externalMemory(), externalMemory()];
  setInterval(() => {
    const now = externalMemory();
    afterFull = Math.min(afterFull, now);
    afterMinor = Math.min(afterMinor, now);
    if (now < afterMinor + externalGrowth.minor) return;
    collect({ type: 'minor' });
    afterMinor = externalMemory();
    if (afterMinor < afterFull + fullGrowth) return;
    collect();
    afterFull = afterMinor = externalMemory();
  }, checkMs).unref();
}

function externalMemory(): number {
  return getHeapStatistics().external_memory;
}
