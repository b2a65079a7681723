import { isProblem, type Event } from '../events/event.js';
import { readEnds } from './file-ends.js';
import type { Input } from './input.js';
import { readBatches } from './read.js';
import { Timeline, type TimelineOptions } from './timeline.js';
import { eventTimeMs } from '../events/event-time.js';

export interface EstimateOptions extends TimelineOptions {
  /** Which events are sent. Default: all. */
  readonly isSelected?: ((event: Event) => boolean) | undefined;
  /** The most events sent. Default: all. */
  readonly limit?: number | undefined;
  /** Stops a long scan; the estimate is then undefined. */
  readonly signal?: AbortSignal | undefined;
}

/** How long a run takes with the original timing of its events. */
export interface Estimate {
  readonly ms: number;
  /** False if only the ends of the files were read and the order between them was assumed. */
  readonly isExact: boolean;
}

/** Files up to this size in total are scanned if their ends are not enough. */
const maxScannedBytes = 64 * 1024 * 1024;
/** Small gzip files can inflate to any size: a scan stops at this many bytes. */
const maxInflatedBytes = 4 * maxScannedBytes;

/**
 * Estimates how long a run of these inputs takes, to be shown before it starts. Undefined if that
 * cannot be known in a second or two. Never throws, and never reads standard input or pipes, which
 * can be read only once.
 */
export async function estimateDuration(
  inputs: readonly Input[],
  options: EstimateOptions,
): Promise<Estimate | undefined> {
  if (options.factor === Infinity) return { ms: 0, isExact: true };
  if (inputs.some(({ size }) => size === undefined)) return undefined;
  try {
    return (await estimateByEnds(inputs, options)) ?? (await estimateByScan(inputs, options));
  } catch {
    // The import itself reports errors of the files.
    return undefined;
  }
}

/** In constant time, for files of any size; undefined if the ends are not enough. */
async function estimateByEnds(
  inputs: readonly Input[],
  options: EstimateOptions,
): Promise<Estimate | undefined> {
  if (options.maxWaitMs !== undefined || options.limit !== undefined) return undefined;
  const timeline = new Timeline(options);
  for (const { name, size = 0 } of inputs) {
    if (size === 0) continue;
    const ends = await readEnds(name, size);
    const times = ends?.map((events) => timesOf(events, options));
    // Without events at its start or end, a file may begin earlier or end later than it seems.
    if (!times?.every(({ length }) => length > 0)) return undefined;
    for (const at of times.flat()) timeline.place(at);
  }
  return { ms: timeline.lengthMs, isExact: false };
}

async function estimateByScan(
  inputs: readonly Input[],
  options: EstimateOptions,
): Promise<Estimate | undefined> {
  if (totalSize(inputs) > maxScannedBytes) return undefined;
  const { signal, limit = Infinity } = options;
  const timeline = new Timeline(options);
  let left = limit;
  let bytes = 0;
  // The events of a truncated input are sent, so they count.
  const reading = { onBroken: () => undefined, ...(signal && { signal }) };
  for await (const batch of readBatches(inputs, reading)) {
    for (const item of batch) {
      bytes += item.origin.length;
      if (isProblem(item) || options.isSelected?.(item) === false) continue;
      const at = eventTimeMs(item);
      if (at !== undefined) timeline.place(at);
      if (--left <= 0) return { ms: timeline.lengthMs, isExact: true };
    }
    if (bytes > maxInflatedBytes) return undefined;
  }
  return signal?.aborted ? undefined : { ms: timeline.lengthMs, isExact: true };
}

function timesOf(events: readonly Event[], { isSelected }: EstimateOptions): number[] {
  const selected = isSelected ? events.filter((event) => isSelected(event)) : events;
  return selected.map(eventTimeMs).filter((at) => at !== undefined);
}

function totalSize(inputs: readonly Input[]): number {
  return inputs.reduce((sum, { size = 0 }) => sum + size, 0);
}
