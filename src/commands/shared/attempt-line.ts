import { describeResult } from '../../delivery/describe.js';
import type { AttemptResult } from '../../delivery/outcome.js';

/** One attempt, for `--verbose`. */
export function attemptLine(result: AttemptResult): string {
  const { attempt, url, durationMs } = result;
  const response =
    result.verdict === 'delivered' ? `HTTP ${result.status ?? ''}` : describeResult(result);
  return `attempt ${attempt}: ${url}: ${response} (${Math.round(durationMs)} ms)`;
}
