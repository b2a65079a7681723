import { once } from 'node:events';
import type { Command } from 'commander';
import { exitCodes, UsageError } from '../errors.js';
import type { CaptureCounts, CaptureProblem } from '../sign/check-capture.js';
import type { BodyCheck } from '../sign/check-body.js';
import type { Io } from './command.js';
import { addExamples, addOutputFlags, print, say, type OutputFlags } from './flags.js';
import { addSecretFlags, requireSecret, secretSource, type SecretFlags } from './secret-flags.js';

interface Flags extends OutputFlags, SecretFlags {
  signature?: string;
  header?: string;
  requests?: string;
  explain?: boolean;
}

export function define(command: Command, io: Io): void {
  command
    .description('checks an X-Signature value: exit 0 valid, 1 not valid, 2 could not check')
    .argument('[body]', 'file with the body as it was sent, or - for standard input')
    .option('--signature <hex>', 'the value of the X-Signature header')
    .option('--header <line>', "the whole header, 'X-Signature: <hex>'")
    .option('--requests <capture>', 'check every request of a capture file, - for standard input')
    .option('--explain', 'try the usual accidents and name the one that fits');
  addSecretFlags(command);
  addOutputFlags(command);
  addExamples(command, [
    [
      'Check one body',
      'evfwd verify-sig body.json --signature "$SIGNATURE" --secret-file secret.txt',
    ],
    [
      'Find out why it does not fit',
      'evfwd verify-sig body.json --signature "$SIGNATURE" --explain',
    ],
    ['Check every request of a capture', 'evfwd verify-sig --requests got.ndjson'],
  ]);
  command.action((body: string | undefined, flags: Flags) =>
    flags.requests === undefined
      ? checkOne(body, flags, io)
      : checkRequests(body, flags.requests, flags, io),
  );
}

async function checkOne(path: string | undefined, flags: Flags, io: Io): Promise<void> {
  const { givenSignature } = await import('../sign/given-signature.js');
  const { printable } = await import('../output/printable.js');
  const { openInput } = await import('../sign/body.js');
  const { checkBody } = await import('../sign/check-body.js');
  const signature = givenSignature(flags);
  const secret = await requireSecret(flags, io);
  const input = openInput(path, { ...io, show: printable });
  const options = { signature, secret, explain: flags.explain === true };
  const result = await checkBody(input.chunks, options);
  detail(`${input.name}: ${result.bytes} bytes`, flags, io);
  print(io, flags.json ? jsonOf(result) : await lineOf(result, flags, io));
  io.exit(result.valid ? exitCodes.ok : exitCodes.negative);
}

function jsonOf({ valid, reason, hint }: BodyCheck): string {
  return JSON.stringify({ valid, reason, hint });
}

async function lineOf({ valid, hint }: BodyCheck, flags: Flags, io: Io): Promise<string> {
  const { colours } = await import('../output/text.js');
  const colour = await colours(io.stdout, io.env, flags.color);
  return valid ? colour.green('valid') : `${colour.red('not valid')}: ${hint ?? ''}`;
}

async function checkRequests(
  body: string | undefined,
  path: string,
  flags: Flags,
  io: Io,
): Promise<void> {
  refuseBesideRequests(body, flags);
  const { printable } = await import('../output/printable.js');
  const { openInput } = await import('../sign/body.js');
  const { checkCapture, noCounts } = await import('../sign/check-capture.js');
  const secret = await requireSecret(flags, io);
  const input = openInput(path, { ...io, show: printable });
  const counts = noCounts();
  const lineOfProblem = flags.json ? problemJson : await problemText(flags, io);
  const options = { secret, explain: flags.explain === true };
  for await (const problems of checkCapture(input.chunks, options, counts)) {
    await write(io, problems.map((problem) => `${lineOfProblem(problem)}\n`).join(''));
  }
  detail(`${input.name}: ${counts.read} requests`, flags, io);
  print(io, flags.json ? summaryJson(counts) : summaryText(counts));
  finish(counts, input.name, io);
}

function refuseBesideRequests(body: string | undefined, flags: Flags): void {
  const beside = [
    body !== undefined && 'a body',
    flags.signature !== undefined && '--signature',
    flags.header !== undefined && '--header',
  ].find(Boolean);
  if (!beside) return;
  throw new UsageError(
    `--requests takes bodies and signatures of the capture; leave out ${beside}`,
  );
}

function problemJson({ line, request, reason, hint }: CaptureProblem): string {
  return JSON.stringify({ type: 'problem', line, ...request, valid: false, reason, hint });
}

async function problemText(flags: Flags, io: Io): Promise<(problem: CaptureProblem) => string> {
  const { colours } = await import('../output/text.js');
  const { printable } = await import('../output/printable.js');
  const colour = await colours(io.stdout, io.env, flags.color);
  return ({ line, request, reason, hint }) => {
    const who = request ? ` ${printable(`${request.id} ${request.method} ${request.path}`)}` : '';
    return `line ${line}:${who} ${colour.red(reason)}: ${hint}`;
  };
}

/** Waits while the reader of a pipe is slower than we are. */
async function write(io: Io, text: string): Promise<void> {
  if (!io.stdout.write(text)) await once(io.stdout, 'drain');
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
    const message = `${name} holds no request, so nothing was checked; give a capture file`;
    throw new UsageError(message, 'no_requests');
  }
  if (invalid > 0) io.exit(exitCodes.negative);
  else io.exit(unreadable > 0 ? exitCodes.usage : exitCodes.ok);
}

function detail(text: string, flags: Flags, io: Io): void {
  if (flags.verbose && !flags.quiet) say(io, `${text}, secret of ${secretSource(flags)}`);
}
