import { UsageError } from '../errors.js';
import { sizeAdvice, sizeInBytes } from '../size.js';
import { defaultBatch, largestBatch, type BatchSettings } from '../webhook/batch-settings.js';
import { durationHint, durationMs } from './duration.js';
import type { Where } from './environment.js';
import type { BatchSection } from './schema.js';

/**
 * The batches of a target in the file.
 *
 * @param path the key path of the section, whose values are expanded
 * @throws UsageError with file, line and key path
 */
export function batchOf(
  { size, maxBytes, wait }: BatchSection,
  path: readonly PropertyKey[],
  where: Where,
): BatchSettings {
  return {
    size: size === undefined ? defaultBatch.size : sizeOf(size),
    maxBytes: maxBytes === undefined ? defaultBatch.maxBytes : bytesOf(maxBytes),
    waitMs: wait === undefined ? defaultBatch.waitMs : milliseconds(wait),
  };

  function sizeOf(events: number): number {
    if (events <= largestBatch.size) return events;
    throw new UsageError(`${where([...path, 'size'])} must be at most ${largestBatch.size} events`);
  }

  function bytesOf(text: string): number {
    const bytes = sizeInBytes(text);
    if (bytes === undefined || bytes < 1)
      throw new UsageError(`${where([...path, 'maxBytes'])} must be a size; ${sizeAdvice(text)}`);
    if (bytes <= largestBatch.maxBytes) return bytes;
    throw new UsageError(`${where([...path, 'maxBytes'])} must be at most 16MB`);
  }

  function milliseconds(text: string): number {
    const ms = durationMs(text);
    if (ms === undefined)
      throw new UsageError(`${where([...path, 'wait'])} must be a duration; ${durationHint}`);
    if (ms <= largestBatch.waitMs) return ms;
    throw new UsageError(`${where([...path, 'wait'])} must be at most 1h`);
  }
}
