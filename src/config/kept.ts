import { durationMs } from './duration.js';
import { sizeAdvice, sizeHint, sizeInBytes } from '../size.js';

/** What is wrong with another `retention`. */
export const retentionMessage =
  'must be a duration, or 0 to keep nothing; use a unit, e.g. 7d or 36h';

/** Milliseconds; undefined for what is no `retention`. A bare 0 needs no unit. */
export function retentionMs(value: unknown): number | undefined {
  if (value === 0 || value === '0') return 0;
  return typeof value === 'string' ? durationMs(value) : undefined;
}

/** What is wrong with a `maxDisk`. */
export function diskSizeMessage(value: unknown): string {
  if (isZero(value)) return 'must be a size such as 10GB; to keep nothing, use retention: 0';
  return `must be a size; ${typeof value === 'string' ? sizeAdvice(value) : sizeHint}`;
}

function isZero(value: unknown): boolean {
  if (typeof value !== 'string') return value === 0;
  return Number(value) === 0 || sizeInBytes(value) === 0;
}
