import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { systemClock } from '../../clock.js';
import { EvfwdError, exitCodes, StateError, UsageError } from '../../errors.js';
import { checkUrl, withoutQuery } from '../../http/url.js';
import { isLoopback } from '../../web/address.js';
import { Expectations } from '../../listen/expectations.js';
import { Faults } from '../../listen/fault-plan.js';
import { Journal } from '../../listen/journal.js';
import { junitXml } from '../../listen/junit.js';
import { startListener } from '../../listen/listener.js';
import { maxPendingBytes, uploadTimeoutMs } from '../../listen/limits.js';
import { MemoryLimiter } from '../../listen/memory-limiter.js';
import { Recorder } from '../../listen/recorder.js';
import { assertWritable } from '../../listen/writable-file.js';
import type { Io } from '../shared/command.js';
import { limitHeapGrowth, limitYoungGeneration } from '../../memory-limits.js';
import { Interruption } from '../shared/interruption.js';
import type { ListenFlags } from './command.js';
import { openResponses } from './open-responses.js';
import { openVerification, warnOfVisibleSecrets } from './open-verification.js';
import { ListenReport } from './report.js';

/** Listens until the expectations are met, time is up, or a signal arrives. */
export async function listen(flags: ListenFlags, io: Io): Promise<void> {
  checkForward(flags);
  limitHeapGrowth();
  limitYoungGeneration();
  const ending = new AbortController();
  const expectations = new Expectations(flags.expect ?? [], () => ending.abort());
  const faults = new Faults({ faults: flags.fault ?? [], seed: flags.seed ?? randomInt(2 ** 32) });
  const verification = await openVerification(flags, io);
  const respond = openResponses(flags.respond, io.cwd);
  const memory = new MemoryLimiter({ bytes: maxPendingBytes, uploadTimeoutMs: uploadTimeoutMs });
  const report = await ListenReport.open(flags, io, memory);
  const journal = new Journal();
  journal.watch(report.watcher);
  journal.watch(report.explainer(verification));
  journal.watch(expectations);
  const listener = await startListener({
    host: flags.host,
    port: flags.port,
    verification,
    faults,
    isEnforced: flags.enforce,
    isDeduped: flags.dedupe,
    respond,
    forward: forwardOf(flags),
    journal,
    memory,
    recorder: openRecorder(flags, io, ending),
    recordsTo: flags.record,
    onNote: (text) => report.note(text),
  });
  const startedAt = performance.now();
  // Before the ready line: its reader may send a signal at once.
  const interruption = new Interruption(() => ending.abort());
  warnOfVisibleSecrets(flags, io);
  announce(flags, { faults, hasSecret: verification.hasSecret, report, url: listener.url });
  await untilEnded(ending, flags, io);
  await listener.close();
  report.conclude(journal.stats, expectations.results);
  await writeJunit(flags, io, expectations, (performance.now() - startedAt) / 1000);
  interruption.end();
  throwFailure(ending.signal);
  io.exit(expectations.areMet ? exitCodes.ok : exitCodes.negative);
}

const noCredentials = 'leave them out; the app gets the Authorization header of the sender';

function checkForward({ forward, forwardTimeout }: ListenFlags): void {
  if (forward !== undefined) checkUrl(forward, '--forward', noCredentials);
  if (forwardTimeout === 0) throw new UsageError('--forward-timeout 0s: must be more than 0');
}

function forwardOf({ forward, forwardTimeout }: ListenFlags) {
  if (forward === undefined) return undefined;
  return { url: forward, ...(forwardTimeout !== undefined && { timeoutMs: forwardTimeout }) };
}

/** Checks that files are writable before requests are accepted. */
function openRecorder({ record, junit }: ListenFlags, io: Io, ending: AbortController) {
  if (junit !== undefined) assertWritable(resolve(io.cwd, junit), '--junit');
  if (record === undefined) return undefined;
  const path = resolve(io.cwd, record);
  assertWritable(path, '--record');
  return new Recorder(path, (error) => ending.abort(error));
}

interface Start {
  readonly faults: Faults;
  readonly hasSecret: boolean;
  readonly report: ListenReport;
  readonly url: string;
}

function announce(flags: ListenFlags, { faults, hasSecret, report, url }: Start): void {
  const { host, record, seed, forward } = flags;
  if (!isLoopback(host)) {
    report.note(
      `warning: --host ${host}: others on the network can reach this receiver and see its requests in the inspector`,
    );
  }
  if (!hasSecret) report.note('no secret: signatures will not be verified (use --secret-file)');
  if (record !== undefined) report.note(`recording to ${record}`);
  if (forward !== undefined) report.note(`forwarding to ${withoutQuery(forward)}`);
  const { plan } = faults;
  if (seed === undefined && plan.faults.some((text) => text.includes('rate'))) {
    report.note(`random faults: use --seed ${plan.seed} to repeat them`);
  }
  report.ready(url);
}

/** Resolves when all expectations are met, at a signal, when time is up, or when standard output is closed. */
async function untilEnded(
  ending: AbortController,
  { within }: ListenFlags,
  { stdout }: Io,
): Promise<void> {
  const end = (): void => ending.abort();
  stdout.once('error', end);
  const cancel = within === undefined ? undefined : systemClock.after(within, end);
  if (!ending.signal.aborted) await once(ending.signal, 'abort');
  cancel?.();
}

async function writeJunit(
  { junit }: ListenFlags,
  io: Io,
  { results }: Expectations,
  seconds: number,
): Promise<void> {
  if (junit === undefined) return;
  await writeFile(resolve(io.cwd, junit), junitXml(results, seconds)).catch((cause: unknown) => {
    const { code = 'unknown error' } = cause as NodeJS.ErrnoException;
    throw new StateError(`--junit ${junit}: cannot be written (${code}); free disk space`, {
      cause,
    });
  });
}

/** A failed recording ends the run with its error. */
function throwFailure({ reason }: AbortSignal): void {
  if (reason instanceof EvfwdError) throw reason;
}
