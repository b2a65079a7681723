import { readSecrets } from '../../config/secret.js';
import { UsageError } from '../../errors.js';
import type { Io } from './command.js';
import type { OutputFlags } from '../flags/output.js';
import { say } from './output.js';

export interface SecretFlags {
  /** Newest first, as is `secretFile`. */
  secret?: string[];
  secretFile?: string[];
  quiet?: boolean;
}

/**
 * The shared secrets of flags and environment, newest first; none without one. A command that uses them
 * calls `warnOfVisibleSecret`, too.
 *
 * @throws UsageError when one is empty, both flags are set, or a file cannot be read
 */
export function resolveSecrets(flags: SecretFlags, io: Io, env = io.env): (string | Buffer)[] {
  const { secret, secretFile } = flags;
  const environment = env.EVFWD_SECRET;
  return readSecrets({ secret, secretFile, environment, cwd: io.cwd });
}

/**
 * Warns of secrets on the command line, unless `--quiet`. Call it once per run, when nothing can be wrong
 * with the command line any more: with an error, a warning would only be in the way.
 */
export function warnOfVisibleSecret({ secret, quiet }: SecretFlags, io: Io): void {
  if (secret !== undefined && !quiet) say(io, warning);
}

/** As `resolveSecrets`, for commands that require one. */
export function requireSecrets(flags: SecretFlags, io: Io): (string | Buffer)[] {
  const secrets = resolveSecrets(flags, io);
  if (secrets.length > 0) return secrets;
  throw noSecret();
}

/** As `resolveSecrets`, for commands that take a single one; undefined without one. */
export function resolveSecret(flags: SecretFlags, io: Io): string | Buffer | undefined {
  const [secret, second] = resolveSecrets(flags, io);
  if (second === undefined) return secret;
  throw new UsageError(`${secretSource(flags)}: used twice; use it once`);
}

/** As `resolveSecret`, for commands that require one. */
export function requireSecret(flags: SecretFlags, io: Io): string | Buffer {
  const secret = resolveSecret(flags, io);
  if (secret !== undefined) return secret;
  throw noSecret();
}

function noSecret(): UsageError {
  return new UsageError('no secret; use --secret-file, --secret or EVFWD_SECRET', 'no_secret');
}

/** With `--verbose`, prints what was done and the source of the secret. */
export function detail(text: string, flags: SecretFlags & OutputFlags, io: Io): void {
  if (flags.verbose && !flags.quiet) say(io, `${text}, secret from ${secretSource(flags)}`);
}

/** The flag or variable that the secrets are from, for messages. */
export function secretSource(flags: SecretFlags): string {
  if (flags.secret !== undefined) return '--secret';
  return flags.secretFile === undefined ? 'EVFWD_SECRET' : '--secret-file';
}

const warning =
  'warning: other users of this machine can see --secret in the process list; use --secret-file or EVFWD_SECRET';
