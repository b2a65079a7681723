import { describeResult } from '../../delivery/describe.js';
import type { AttemptResult } from '../../delivery/outcome.js';
import { msText } from '../../output/numbers.js';
import { printable } from '../../output/printable.js';
import { firstLineOf, responseLines } from '../../output/response-text.js';

/**
 * One attempt, for `--verbose`, with the first line of what a failed one was told. `about` names the
 * event: its place in a file, its messageId.
 */
export function attemptLine(result: AttemptResult, ...about: readonly string[]): string {
  const event = about.map(printable).join(' ');
  const line = firstLineOf(result.response);
  const summary = `${event}: ${summaryOf(result)}`;
  return line === undefined ? summary : `${summary}: ${line}`;
}

/** One attempt of the only event, with all that is known of the response, each line indented. */
export function attemptLines(result: AttemptResult): string {
  const response = result.response ? responseLines(result.response) : [];
  return [summaryOf(result), ...response.map((line) => `  ${line}`)].join('\n');
}

function summaryOf(result: AttemptResult): string {
  const { attempt, url, durationMs } = result;
  return `attempt ${attempt}: ${url}: ${describeResult(result)} (${msText(durationMs)})`;
}
