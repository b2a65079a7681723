import { availableParallelism } from 'node:os';
import type { TargetSettings } from '../../config/open-target.js';
import type { Input } from '../../input/input.js';
import { isLoopback } from '../../web/address.js';
import type { ImportFlags } from './flags.js';
import type { ImportParts } from './parts.js';

/** What decides on the number of threads. */
export interface ThreadQuestion extends Pick<ImportParts, 'replay' | 'transform' | 'settings'> {
  readonly inputs: readonly Pick<Input, 'isFile' | 'size'>[];
  readonly flags: Pick<ImportFlags, 'ordered' | 'limit' | 'threads' | 'rate' | 'concurrency'>;
}

/** Smaller files are sent before a thread has started. */
const bytesPerThread = 4 * 1024 * 1024;
/** Shares of a lower rate would end at different times. */
const leastRate = 5_000;

/**
 * How many worker threads an import takes; 0 where it stays in the main thread, because its events have
 * one order, are too few, or a single thread does best.
 */
export function threadsFor(question: ThreadQuestion, cores = availableParallelism()): number {
  const { flags, inputs, replay, transform, settings } = question;
  const isOneByOne = flags.ordered || replay || transform || flags.limit !== undefined;
  if (isOneByOne || !inputs.every(({ isFile }) => isFile)) return 0;
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
 * Webhooks that this machine receives itself take about a core there, request by request; a collector,
 * which gets batches, does not. More busy threads than cores send less than fewer do.
 */
function coresToUse(settings: TargetSettings, cores: number): number {
  return settings.kind === 'webhooks' && settings.endpoints.some(isHere) ? cores - 1 : cores;
}

function isHere({ url }: { readonly url: string }): boolean {
  if (!URL.canParse(url)) return false;
  const { hostname } = new URL(url);
  return isLoopback(hostname.replace(/^\[|\]$/g, ''));
}
