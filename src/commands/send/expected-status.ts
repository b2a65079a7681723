import { describeResult } from '../../delivery/describe.js';
import type { AttemptResult, Outcome } from '../../delivery/outcome.js';
import type { Outgoing } from '../../delivery/target.js';
import { exitCodes } from '../../errors.js';
import { msText } from '../../output/numbers.js';
import { colors } from '../../output/text.js';
import type { Io } from '../shared/command.js';
import type { OutputFlags } from '../flags/output.js';
import { print, say } from '../shared/output.js';
import type { ExpectedStatus } from './expect-status-flag.js';
import { lastOfEachUrl, resultOf } from './report.js';

interface Sent {
  readonly outcome: Outcome;
  readonly outgoing: Outgoing;
}

/**
 * Prints whether the last response of each URL has the expected status: exit 0 if every one has, else 1.
 * No response at all is not the expected one.
 */
export async function reportExpectation(
  expected: ExpectedStatus,
  { outcome, outgoing }: Sent,
  flags: OutputFlags,
  io: Io,
): Promise<void> {
  const results = lastOfEachUrl(outcome.attempts);
  const isMet = ({ status }: AttemptResult) => expected.isMetBy(status);
  const met = results.length > 0 && results.every(isMet);
  io.exit(met ? exitCodes.ok : exitCodes.negative);
  if (flags.json) {
    const expectation = { expectedStatus: expected.text, met };
    print(io, JSON.stringify({ ...resultOf(outcome, outgoing), ...expectation }));
    return;
  }
  const paint = await colors(io.stdout, io.env, flags.color);
  for (const result of results) {
    const mark = isMet(result) ? paint.green('as expected') : paint.red('not as expected');
    const line = `${mark}  ${result.url}  ${responseText(result)}  ${msText(result.durationMs)}`;
    print(io, isMet(result) ? line : `${line}  expected ${expected.text}`);
  }
  if (results.length === 0) say(io, `evfwd: not sent: ${outcome.message ?? ''}`);
}

function responseText(result: AttemptResult): string {
  return result.status === null ? describeResult(result) : String(result.status);
}
