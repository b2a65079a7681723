import { isProblem, type Event } from '../events/event.js';
import { readEnds } from './file-ends.js';
import type { Input } from './input.js';
import { readBatches } from './read.js';
import { Timeline, type TimelineOptions } from './timeline.js';
import { timestampMs } from '../events/timestamp.js';

export interface EstimateOptions extends TimelineOptions {
  /** Which events are sent. Default: all. */
  readonly isSelected?: ((event: Event) => boolean) | undefined;
  /** No more than so many are sent. Default: all. */
  readonly limit?: number | undefined;
  /** Ends a long look; the estimate is unknown then. */
  readonly signal?: AbortSignal | undefined;
}

/** How long a replay takes at the events' own spacing. */
export interface Estimate {
  readonly ms: number;
  /** False when only the ends of the files were looked at, so that their order was taken on trust. */
  readonly isExact: boolean;
}

/** Files up to so many bytes together are read from end to end where nothing less will do. */
const maxScannedBytes = 64 * 1024 * 1024;
/** Small gzip files can hold anything: a look that finds more than this gives up. */
const maxInflatedBytes = 4 * maxScannedBytes;

/**
 * How long the replay of these inputs takes, for people, before it starts. Undefined when that
 * cannot be known in a second or two. Never throws, and never touches what can be read only once:
 * standard input and pipes.
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
    // Whatever is wrong with a file is for the import itself to say.
    return undefined;
  }
}

/** In constant time, for files of any size; undefined where the ends do not tell. */
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
    // A file whose first or last events cannot be seen may begin earlier or end later than it looks.
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
  // An input that breaks off is sent as far as it goes, so its events count as far as they go.
  const reading = { onBroken: () => undefined, ...(signal && { signal }) };
  for await (const batch of readBatches(inputs, reading)) {
    for (const item of batch) {
      bytes += item.origin.length;
      if (isProblem(item) || options.isSelected?.(item) === false) continue;
      const at = timestampMs(item.value.timestamp);
      if (at !== undefined) timeline.place(at);
      if (--left <= 0) return { ms: timeline.lengthMs, isExact: true };
    }
    if (bytes > maxInflatedBytes) return undefined;
  }
  return signal?.aborted ? undefined : { ms: timeline.lengthMs, isExact: true };
}

function timesOf(events: readonly Event[], { isSelected }: EstimateOptions): number[] {
  const selected = isSelected ? events.filter((event) => isSelected(event)) : events;
  return selected.map(({ value }) => timestampMs(value.timestamp)).filter((at) => at !== undefined);
}

function totalSize(inputs: readonly Input[]): number {
  return inputs.reduce((sum, { size = 0 }) => sum + size, 0);
}
