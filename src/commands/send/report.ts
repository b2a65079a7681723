import { describeResult } from '../../delivery/describe.js';
import type { AttemptResult, Outcome } from '../../delivery/outcome.js';
import { exitCodes } from '../../errors.js';
import { firstLineOf } from '../../output/response-text.js';
import { msText } from '../../output/numbers.js';
import { colors } from '../../output/text.js';
import type { Outgoing } from '../../delivery/target.js';
import type { Io } from '../shared/command.js';
import type { OutputFlags } from '../flags/output.js';
import { print, say } from '../shared/output.js';

/** Prints how a sent event ended, and sets the exit code. */
export async function reportOutcome(
  outcome: Outcome,
  outgoing: Outgoing,
  flags: OutputFlags,
  io: Io,
): Promise<void> {
  io.exit(exitCodeOf(outcome));
  if (flags.json) {
    print(io, JSON.stringify(resultOf(outcome, outgoing)));
    return;
  }
  const paint = await colors(io.stdout, io.env, flags.color);
  const results = lastOfEachUrl(outcome.attempts);
  for (const result of results) {
    const mark =
      result.verdict === 'delivered' ? paint.green('delivered') : paint.red('not delivered');
    const response = result.status === null ? '' : `  ${result.status}`;
    const why = result.verdict === 'delivered' ? '' : `  ${reasonOf(result)}`;
    print(io, `${mark}  ${result.url}${response}  ${msText(result.durationMs)}${why}`);
  }
  const refused = results.filter(({ verdict }) => verdict !== 'delivered').length;
  if (outcome.verdict === 'delivered' && refused > 0 && !flags.quiet) {
    say(io, `delivered, since one URL is enough; use --all-urls to require all ${results.length}`);
  }
  if (outcome.attempts.length === 0) say(io, `evfwd: not sent: ${outcome.message ?? ''}`);
}

/** With the first line of what the endpoint said. */
function reasonOf(result: AttemptResult): string {
  const line = firstLineOf(result.response);
  return line === undefined ? describeResult(result) : `${describeResult(result)}: ${line}`;
}

export function resultOf(outcome: Outcome, { event, stamp }: Outgoing): object {
  const delivered = outcome.verdict === 'delivered';
  return {
    type: 'result',
    event: { type: event.type, messageId: stamp.messageId },
    delivered,
    ...(!delivered && { code: outcome.code, message: outcome.message }),
    attempts: outcome.attempts.map(({ url, status, error, durationMs, attempt, response }) => ({
      url,
      status,
      error,
      durationMs: Math.round(durationMs),
      attempt,
      response,
    })),
  };
}

/** Pairs by attempt number too: URLs that differ only in their query look the same here. */
export function lastOfEachUrl(attempts: readonly AttemptResult[]): AttemptResult[] {
  return attempts.filter(
    (one) => !attempts.some(({ url, attempt }) => url === one.url && attempt === one.attempt + 1),
  );
}

/** With several URLs, a retryable failure of one of them decides. */
function exitCodeOf({ verdict, attempts }: Outcome): number {
  if (verdict === 'delivered') return exitCodes.ok;
  if (verdict === 'rejected') return exitCodes.usage;
  if (attempts.length === 0) return exitCodes.negative;
  const isRetryable = lastOfEachUrl(attempts).some(({ verdict }) => verdict === 'retry');
  return isRetryable ? exitCodes.unavailable : exitCodes.refused;
}
