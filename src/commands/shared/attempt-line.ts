import { describeResult } from '../../delivery/describe.js';
import type { AttemptResult } from '../../delivery/outcome.js';

/** One attempt, for `--verbose`. */
export function attemptLine(result: AttemptResult): string {
  const { attempt, url, durationMs } = result;
  return `attempt ${attempt}: ${url}: ${describeResult(result)} (${Math.round(durationMs)} ms)`;
}
