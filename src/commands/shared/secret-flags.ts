import type { Command } from 'commander';
import { readSecret } from '../../config/secret.js';
import { UsageError } from '../../errors.js';
import type { Io } from './command.js';
import { say, type OutputFlags } from './flags.js';

export interface SecretFlags {
  secret?: string;
  secretFile?: string;
  quiet?: boolean;
}

export function addSecretFlags(command: Command): Command {
  return command
    .option('--secret <secret>', 'shared secret, visible to other users of this machine')
    .option('--secret-file <path>', 'file with the shared secret (env: EVFWD_SECRET)');
}

/**
 * The shared secret of flags and environment, or undefined without one. Warns if it is on the
 * command line, unless `--quiet`. Call it once per run.
 *
 * @throws UsageError when it is empty, set by both flags, or its file cannot be read
 */
export function resolveSecret(
  flags: SecretFlags,
  io: Io,
  env = io.env,
): string | Buffer | undefined {
  const { secret: text, secretFile, quiet } = flags;
  const environment = env.EVFWD_SECRET;
  const secret = readSecret({ secret: text, secretFile, environment, cwd: io.cwd });
  if (text !== undefined && !quiet) say(io, warning);
  return secret;
}

/** As `resolveSecret`, for commands that require one. */
export function requireSecret(flags: SecretFlags, io: Io): string | Buffer {
  const secret = resolveSecret(flags, io);
  if (secret !== undefined) return secret;
  throw new UsageError('no secret; use --secret-file, --secret or EVFWD_SECRET', 'no_secret');
}

/** With `--verbose`, prints what was done and the source of the secret. */
export function detail(text: string, flags: SecretFlags & OutputFlags, io: Io): void {
  if (flags.verbose && !flags.quiet) say(io, `${text}, secret from ${secretSource(flags)}`);
}

function secretSource(flags: SecretFlags): string {
  if (flags.secret !== undefined) return '--secret';
  return flags.secretFile === undefined ? 'EVFWD_SECRET' : '--secret-file';
}

const warning =
  'warning: other users of this machine can see --secret in the process list; use --secret-file or EVFWD_SECRET';
