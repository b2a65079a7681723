import type { Command } from 'commander';
import type { Io } from './command.js';
import { say } from './flags.js';

export interface SecretFlags {
  secret?: string;
  secretFile?: string;
  quiet?: boolean;
}

export function addSecretFlags(command: Command): Command {
  return command
    .option('--secret <secret>', 'shared secret; other users can see it, prefer --secret-file')
    .option('--secret-file <path>', 'file with the shared secret (environment: EVFWD_SECRET)');
}

/**
 * The shared secret of flags and environment, or undefined without one. Warns when it stands on
 * the command line, unless `--quiet`. Call it once a run.
 *
 * @throws UsageError when it is empty, given by both flags, or its file cannot be read
 */
export async function resolveSecret(
  flags: SecretFlags,
  io: Io,
): Promise<string | Buffer | undefined> {
  const { readSecret } = await import('../config/secret.js');
  const { secret: text, secretFile, quiet } = flags;
  const environment = io.env.EVFWD_SECRET;
  const secret = await readSecret({ secret: text, secretFile, environment, cwd: io.cwd });
  if (text !== undefined && !quiet) say(io, warning);
  return secret;
}

/** As `resolveSecret`, for commands that can do nothing without one. */
export async function requireSecret(flags: SecretFlags, io: Io): Promise<string | Buffer> {
  const secret = await resolveSecret(flags, io);
  if (secret !== undefined) return secret;
  const { UsageError } = await import('../errors.js');
  throw new UsageError('no secret; give --secret-file, --secret or EVFWD_SECRET', 'no_secret');
}

/** Where the secret comes from, for `--verbose`. */
export function secretSource(flags: SecretFlags): string {
  if (flags.secret !== undefined) return '--secret';
  return flags.secretFile === undefined ? 'EVFWD_SECRET' : '--secret-file';
}

const warning =
  'warning: other users of this machine can see --secret in the process list; use --secret-file or EVFWD_SECRET';
