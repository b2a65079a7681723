import type { OpenTargetOptions } from '../../config/open-target.js';
import { describeResult } from '../../delivery/describe.js';
import type { AttemptResult } from '../../delivery/outcome.js';
import type { Outgoing, Target } from '../../delivery/target.js';
import type { Io } from '../shared/command.js';
import type { OutputFlags } from '../flags/output.js';
import { durationText } from '../../output/numbers.js';
import { say } from '../shared/output.js';
import { warnOfVisibleSecret, type SecretFlags } from '../shared/secret-flags.js';
import type { ExpectedStatus } from './expect-status-flag.js';

export interface DeliverFlags extends OutputFlags, SecretFlags {
  expectStatus?: ExpectedStatus;
}

/** Opens a target, with the settings that what is said depends on. */
export interface Delivering {
  readonly retryWindowMs: number;
  readonly open: (options: Pick<OpenTargetOptions, 'concurrency' | 'onAttempt'>) => Promise<Target>;
}

/** Sends one request to the target that is opened, and reports how it ended. */
export async function deliver(
  { open, retryWindowMs }: Delivering,
  outgoing: Outgoing,
  flags: DeliverFlags,
  io: Io,
): Promise<void> {
  const { expectStatus } = flags;
  const { reportOutcome } = await import('./report.js');
  const { reportExpectation } = await import('./expected-status.js');
  const { attemptLines } = await import('../shared/attempt-line.js');
  const target = await open({
    concurrency: 1,
    onAttempt: (result) => {
      if (flags.verbose) say(io, attemptLines(result));
      const isWaiting = result.verdict === 'retry' && result.attempt === 1 && retryWindowMs > 0;
      if (isWaiting && !flags.quiet) say(io, retryText(result, retryWindowMs));
    },
  });
  warnOfVisibleSecret(flags, io);
  try {
    const done = new Promise<Parameters<typeof reportOutcome>[0]>((resolve) =>
      target.send(outgoing, resolve),
    );
    await target.drain();
    const outcome = await done;
    if (expectStatus) await reportExpectation(expectStatus, { outcome, outgoing }, flags, io);
    else await reportOutcome(outcome, outgoing, flags, io);
  } finally {
    await target.close();
  }
}

/** `http://localhost:3000/hook: connection refused; trying again for up to 1 h 0 min` */
function retryText(result: AttemptResult, retryWindowMs: number): string {
  const window = durationText(retryWindowMs / 1000);
  return `${result.url}: ${describeResult(result)}; trying again for up to ${window}`;
}
