import { availableParallelism } from 'node:os';
import type { TargetSettings } from '../../config/open-target.js';
import type { Input } from '../../input/input.js';
import { isLoopback } from '../../web/address.js';
import type { ImportFlags } from './flags.js';
import type { ImportParts } from './parts.js';

/** The inputs of the decision. */
export interface ThreadQuestion extends Pick<ImportParts, 'replay' | 'transform' | 'settings'> {
  readonly inputs: readonly Pick<Input, 'isFile' | 'size'>[];
  readonly flags: Pick<ImportFlags, 'ordered' | 'limit' | 'threads' | 'rate' | 'concurrency'>;
}

/** Smaller files are sent before a thread has started. */
const bytesPerThread = 4 * 1024 * 1024;
/** With a lower rate per thread, threads would finish at different times. */
const leastRate = 5_000;

/**
 * How many worker threads an import uses; 0 if it stays in the main thread, because its events have to
 * be in order, are too few, or one thread is fastest.
 */
export function threadsFor(question: ThreadQuestion, cores = availableParallelism()): number {
  const { flags, inputs, replay, transform, settings } = question;
  const isSequential = flags.ordered || replay || transform || flags.limit !== undefined;
  if (isSequential || !inputs.every(({ isFile }) => isFile)) return 0;
  const bytes = inputs.reduce((sum, { size = 0 }) => sum + size, 0);
  const threads = Math.min(
    flags.threads ?? coresToUse(settings, cores),
    Math.floor(bytes / bytesPerThread),
    Math.floor((flags.rate ?? Infinity) / leastRate),
    flags.concurrency,
  );
  return threads > 1 ? threads : 0;
}

/**
 * A webhook receiver on this machine needs about one core, so one is left free; a collector gets
 * batches and needs less. More busy threads than cores are slower than fewer.
 */
function coresToUse(settings: TargetSettings, cores: number): number {
  return settings.kind === 'webhooks' && settings.endpoints.some(isLocal) ? cores - 1 : cores;
}

function isLocal({ url }: { readonly url: string }): boolean {
  if (!URL.canParse(url)) return false;
  const { hostname } = new URL(url);
  return isLoopback(hostname.replace(/^\[|\]$/g, ''));
}
