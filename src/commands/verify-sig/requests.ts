import { exitCodes, UsageError } from '../../errors.js';
import { asLines } from '../../sources/formats/refuse.js';
import { printable } from '../../output/printable.js';
import { colors } from '../../output/text.js';
import { writeSlowly } from '../../output/write-slowly.js';
import { harAsLines } from '../../sources/formats/har-lines.js';
import { openInput } from '../../sign/body.js';
import {
  checkCapture,
  noCounts,
  type CaptureCounts,
  type CaptureProblem,
} from '../../sign/check-capture.js';
import type { Io } from '../shared/command.js';
import { print } from '../shared/output.js';
import {
  detail,
  requireSecrets,
  secretSource,
  warnOfVisibleSecret,
} from '../shared/secret-flags.js';
import type { VerifyFlags } from './command.js';
import { verifySettings } from './settings.js';

/**
 * Verifies every request of a capture file and prints a line for each invalid one, then the counts.
 *
 * @throws UsageError when there is no secret, no readable capture, or no request in it
 */
export async function checkRequests(
  body: string | undefined,
  path: string,
  flags: VerifyFlags,
  io: Io,
): Promise<void> {
  refuseBesideRequests(body, flags);
  const { scheme, toleranceMs, atMs, own } = await verifySettings(flags, io);
  const secrets = requireSecrets(flags, io);
  const input = openInput(path, io, printable);
  const counts = noCounts();
  let unit: Unit = 'line';
  const lineOfProblem = flags.json ? problemJson : await problemText(flags, io);
  const where = secretSource(flags);
  const settings = { scheme, secrets, where, own, toleranceMs, atMs, nowMs: Date.now() };
  const options = { ...settings, explain: flags.explain === true };
  // `checkCapture` refuses gzip itself.
  const check = {
    ...{ name: path, isCompressed: false, access: undefined },
    ...{ accepts: ['gzip', 'har'] as const, decodes: false, onFormat: () => undefined },
  };
  const chunks = harAsLines(asLines(input.chunks, check), input.name, {
    onHar: () => (unit = 'entry'),
  });
  for await (const problems of checkCapture(chunks, options, counts)) {
    await writeSlowly(
      io.stdout,
      problems.map((problem) => `${lineOfProblem(problem, unit)}\n`).join(''),
    );
  }
  warnOfVisibleSecret(flags, io);
  detail(`${input.name}: ${counts.read} requests`, flags, io);
  print(io, flags.json ? summaryJson(counts) : summaryText(counts));
  finish(counts, input.name, io);
}

function refuseBesideRequests(body: string | undefined, flags: VerifyFlags): void {
  const beside = [
    body !== undefined && 'a body',
    flags.signature !== undefined && '--signature',
    flags.header !== undefined && '--header',
    flags.url !== undefined && '--url',
    flags.method !== undefined && '--method',
  ].find(Boolean);
  if (!beside) return;
  throw new UsageError(`--requests reads whole requests from the capture; leave out ${beside}`);
}

/** What `line` counts: lines of a capture, or entries of a HAR file. */
type Unit = 'line' | 'entry';

function problemJson({ line, request, scheme, reason, hint }: CaptureProblem): string {
  return JSON.stringify({ type: 'problem', line, ...request, scheme, valid: false, reason, hint });
}

async function problemText(
  flags: VerifyFlags,
  io: Io,
): Promise<(problem: CaptureProblem, unit: Unit) => string> {
  const color = await colors(io.stdout, io.env, flags.color);
  return ({ line, request, scheme, reason, hint }, unit) => {
    const who = request ? ` ${printable(`${request.id} ${request.method} ${request.path}`)}` : '';
    const by = scheme && scheme !== 'x-signature' ? ` (${scheme})` : '';
    return `${unit} ${line}:${who} ${color.red(reason)}${by}: ${printable(hint)}`;
  };
}

function summaryJson({ read, valid, invalid, unreadable }: CaptureCounts): string {
  const unchecked = unreadable > 0 ? { unreadable } : {};
  return JSON.stringify({ type: 'summary', read, valid, invalid, ...unchecked });
}

function summaryText({ read, valid, invalid, unreadable }: CaptureCounts): string {
  const unchecked = unreadable > 0 ? `, ${unreadable} could not be checked` : '';
  return `${read} read: ${valid} valid, ${invalid} not valid${unchecked}`;
}

function finish({ read, invalid, unreadable }: CaptureCounts, name: string, io: Io): void {
  if (read === 0) {
    const message = `${name} has no requests, so nothing was checked; use a capture file`;
    throw new UsageError(message, 'no_requests');
  }
  if (invalid > 0) io.exit(exitCodes.negative);
  else io.exit(unreadable > 0 ? exitCodes.usage : exitCodes.ok);
}
