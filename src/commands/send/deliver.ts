import type { OpenTargetOptions } from '../../config/open-target.js';
import type { Outgoing, Target } from '../../delivery/target.js';
import type { Io } from '../shared/command.js';
import type { OutputFlags } from '../flags/output.js';
import { say } from '../shared/output.js';
import { warnOfVisibleSecret, type SecretFlags } from '../shared/secret-flags.js';
import type { ExpectedStatus } from './expect-status-flag.js';

export interface DeliverFlags extends OutputFlags, SecretFlags {
  expectStatus?: ExpectedStatus;
}

/** Sends one request to the target that is opened, and reports how it ended. */
export async function deliver(
  open: (options: Pick<OpenTargetOptions, 'concurrency' | 'onAttempt'>) => Promise<Target>,
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
