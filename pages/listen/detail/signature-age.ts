import { countText, durationText } from '../../shared/text/format.js';

const dayMs = 86_400_000;

/**
 * How old a signature was when it was received: `0.83 s before it was received`, `3 days before …`.
 *
 * @param ageMs negative for a time ahead of the receiver's clock
 */
export function signatureAgeText(ageMs: number): string {
  const span = spanText(Math.abs(ageMs));
  return ageMs < 0 ? `${span} ahead of the receiver’s clock` : `${span} before it was received`;
}

/** From two days on, hours do not matter. */
function spanText(ms: number): string {
  if (ms >= 2 * dayMs) return `${countText(Math.floor(ms / dayMs))} days`;
  // Whole seconds are passed ones, as in the explanation of the verdict.
  return durationText(ms < 60_000 ? ms : Math.floor(ms / 1000) * 1000);
}
