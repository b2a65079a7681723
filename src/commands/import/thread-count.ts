import { availableParallelism } from 'node:os';
import type { TargetSettings } from '../../config/open-target.js';
import { mostThreads } from '../../importer/workers/thread-share.js';
import type { Input } from '../../sources/input.js';
import { ownBytes } from '../../sources/shard.js';
import { coresToUse } from '../shared/cores.js';
import type { ImportFlags } from './flags.js';
import type { ImportParts } from './parts.js';

/** The inputs of the decision. */
export interface ThreadQuestion extends Pick<ImportParts, 'schedule' | 'transform' | 'settings'> {
  readonly inputs: readonly Pick<Input, 'isFile' | 'size'>[];
  /** What a shard has of each input. Default: everything. */
  readonly shares?: ImportParts['shares'];
  readonly flags: Pick<ImportFlags, 'ordered' | 'limit' | 'threads' | 'rate' | 'concurrency'>;
}

/** Smaller files are sent before a thread has started. */
const bytesPerThread = 4 * 1024 * 1024;
/**
 * With more files than this, and fewer bytes per file on average, one thread is enough: opening files takes longest.
 * And each further thread would need memory for the names of all.
 */
const [manyFiles, smallBytes] = [1_000, 16 * 1024];
/** With a lower rate per thread, threads would finish at different times. */
const leastRate = 5_000;

/** The lowest rate that an endpoint has for itself. */
function leastRateOf(settings: TargetSettings): number {
  if (settings.kind === 'collector') return Infinity;
  return Math.min(...settings.endpoints.map(({ rate = Infinity }) => rate));
}

/**
 * How many worker threads an import uses; 0 if it stays in the main thread, because its events have to
 * be in order, are too few, or one thread is fastest.
 */
export function threadsFor(question: ThreadQuestion, cores = availableParallelism()): number {
  const { flags, inputs, shares, schedule, transform, settings } = question;
  const isSequential = flags.ordered || schedule || transform || flags.limit !== undefined;
  if (isSequential || !inputs.every(({ isFile }) => isFile)) return 0;
  const bytes = inputs.reduce((sum, { size = 0 }, index) => {
    const share = shares?.[index];
    return sum + (share ? ownBytes(share, size) : size);
  }, 0);
  if (inputs.length > manyFiles && bytes < inputs.length * smallBytes) return 0;
  const threads = Math.min(
    flags.threads ?? coresToUse(settings, cores),
    Math.floor(bytes / bytesPerThread),
    Math.floor((flags.rate ?? Infinity) / leastRate),
    flags.concurrency,
    mostThreads(settings),
    Math.floor(leastRateOf(settings) / leastRate),
  );
  return threads > 1 ? threads : 0;
}
