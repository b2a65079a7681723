import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** By how many percent the heap may grow before all of it is collected; as for external memory, below. */
export const smallHeapGrowth = 20;
export const largeHeapGrowth = 50;

/** With more files than this, their garbage would let the heap grow to a multiple of what is in use. */
export const manyFiles = 1_000;

let heapGrowth: number | undefined;

/**
 * For commands that run for long or hold much: keeps the memory of the process near what is in use. V8 itself lets the
 * heap grow up to fourfold on a machine with much memory, mostly with garbage of requests.
 *
 * @param percent default: `largeHeapGrowth`
 */
export function limitHeapGrowth(percent = largeHeapGrowth): void {
  if (percent === heapGrowth) return;
  heapGrowth = percent;
  setFlagsFromString(`--heap-growing-percent=${percent}`);
  // The limit that the heap has now was computed without it.
  collector()();
}

/**
 * For commands whose requests are large: keeps the young generation of the heap at its initial size. By default it
 * grows to 48 MB, which large texts and lists fill with garbage.
 */
export function limitYoungGeneration(): void {
  setFlagsFromString('--semi-space-growth-factor=1');
}

/** Lets the young generation grow again, as by default. */
export function releaseYoungGeneration(): void {
  setFlagsFromString('--semi-space-growth-factor=2');
}

/**
 * For commands with several threads, each of which compiles the same code: inlines less than by default (920), which
 * takes 10 MB less with four threads, at the same speed.
 */
export function limitInlining(): void {
  setFlagsFromString('--max-inlined-bytecode-size-cumulative=300');
}

/** How much external memory may grow before a collection, in bytes. */
export interface ExternalGrowth {
  /** Before a minor collection, which frees most of it. */
  readonly minor: number;
  /** Before a full one, where a minor one has left so much more than there was after the last full one. */
  readonly full: number;
}

const mb = 1024 * 1024;

/** For a process with many threads, each of which may have as much, or one that holds much itself. */
export const smallGrowth: ExternalGrowth = { minor: mb, full: 4 * mb };

/** For a process with one thread: eight times as many collections take a fifth of the CPU time of `serve`. */
export const largeGrowth: ExternalGrowth = { minor: 8 * mb, full: 16 * mb };

let externalGrowth = smallGrowth;
let isExternalLimited = false;

/**
 * For threads through which many bytes pass: keeps the external memory of this thread, where buffers are, near
 * what is in use. V8 itself lets it grow by 64 MB in each thread before it collects the buffers that have outlived
 * the young generation, as input does while its requests are in flight. Does not keep the thread alive; a later call
 * changes `growth` alone.
 *
 * @param checkMs how often to look: a busy thread reads 10 MB in 100 ms, an idle one is woken up for nothing
 */
export function limitExternalMemory(checkMs: number, growth = smallGrowth): void {
  externalGrowth = growth;
  if (isExternalLimited) return;
  isExternalLimited = true;
  const collect = collector();
  let [afterFull, afterMinor] = [externalMemory(), externalMemory()];
  setInterval(() => {
    const now = externalMemory();
    afterFull = Math.min(afterFull, now);
    afterMinor = Math.min(afterMinor, now);
    const { minor, full } = externalGrowth;
    if (now < afterMinor + minor) return;
    collect({ type: 'minor' });
    afterMinor = externalMemory();
    if (afterMinor < afterFull + full) return;
    collect();
    afterFull = afterMinor = externalMemory();
  }, checkMs).unref();
}

/** A thread cannot be started with flags of V8, so the collector is reached in the way of a running process. */
function collector(): (options?: { type: 'minor' }) => void {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc') as (options?: { type: 'minor' }) => void;
}

function externalMemory(): number {
  return getHeapStatistics().external_memory;
}
