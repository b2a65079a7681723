import { durationInWords } from '../duration.js';
import type { Scheme } from './schemes/scheme.js';
import { fault, type VerifyFault } from './verify-reason.js';

/**
 * Whether a signature is too old, or too far ahead where the scheme looks at that.
 *
 * @param toleranceMs in place of that of the scheme; null: times are not judged
 */
export function timeFault(
  scheme: Scheme,
  timestampMs: number | undefined,
  nowMs: number,
  toleranceMs: number | null | undefined,
): VerifyFault | undefined {
  const tolerance = toleranceMs === undefined ? scheme.toleranceMs : toleranceMs;
  if (tolerance === undefined || tolerance === null || timestampMs === undefined) return undefined;
  // A time in seconds has lost its fraction: receivers compare whole seconds.
  const isSeconds = scheme.timestamp?.format === 'seconds';
  const now = isSeconds ? Math.floor(nowMs / 1000) * 1000 : nowMs;
  const age = now - timestampMs;
  if (age > tolerance) {
    return fault('expired', `the signature is ${longer(age, tolerance)} old, ${above(tolerance)}`);
  }
  if (!scheme.judgesFuture || -age <= tolerance) return undefined;
  return fault(
    'future',
    `the time of the signature is ${longer(-age, tolerance)} ahead of this clock, ${above(tolerance)}`,
  );
}

function above(tolerance: number): string {
  return `above the tolerance of ${durationInWords(tolerance)}; compare both clocks, or raise the tolerance`;
}

/** In a unit small enough that the number differs from that of the tolerance. */
function longer(ms: number, tolerance: number): string {
  const text = durationInWords(ms);
  return text === durationInWords(tolerance) ? durationInWords(ms, 5) : text;
}
