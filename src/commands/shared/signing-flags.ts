import { readSecretFile } from '../../config/secret.js';
import { UsageError } from '../../errors.js';
import type { RequestSigner, SigningSettings } from '../../sign/request-signer.js';
import type { Scheme, Secret } from '../../sign/schemes/scheme.js';
import type { Io } from './command.js';
import { say } from './output.js';
import { resolveSecrets, secretSource, type SecretFlags } from './secret-flags.js';

/** Flags of every command that signs or verifies, as commander parses them. */
export interface SchemeFlags extends SecretFlags {
  scheme?: string;
  config?: string;
}

/** Flags of every command that signs what it sends. */
export interface SigningFlags extends SchemeFlags {
  alsoScheme?: string;
  alsoSecretFile?: string;
}

/** What a profile says about signing. */
export interface ProfileSigning {
  /** Of the profile, for messages: `file:line: profiles.name`. */
  readonly location: string;
  readonly scheme?: string | undefined;
  /** Newest first. */
  readonly secrets: readonly Secret[];
}

/**
 * How requests are signed: not at all, in one way, or in two. A flag overrides the environment, which
 * overrides the profile. Call it once per run.
 *
 * @param env what of the environment counts beside a profile of the command line
 * @throws UsageError for an unknown scheme, a scheme without a secret, secrets that do not fit their
 *   scheme, and two schemes that share a header
 */
export async function resolveSigning(
  flags: SigningFlags,
  io: Io,
  env: Io['env'] = io.env,
  profile?: ProfileSigning,
): Promise<SigningSettings[]> {
  const first = await resolveOneSigning(flags, io, env, profile);
  if (!first) return [];
  const { requestSigner } = await import('../../sign/request-signer.js');
  const signer = requestSigner(first.settings, first.where);
  warn(signer, flags, io);
  if (flags.alsoScheme === undefined) return [first.settings];
  const also = await alsoSigning(flags, io, first.settings.secrets);
  const alsoSigner = requestSigner(also, `--also-scheme ${also.scheme.name}`);
  checkHeaders(signer.headerNames, alsoSigner);
  if (flags.alsoSecretFile !== undefined) warn(alsoSigner, flags, io);
  return [first.settings, also];
}

/** One way to sign, and the source of its secrets for messages. */
export interface ResolvedSigning {
  readonly settings: SigningSettings;
  readonly where: string;
}

/**
 * The scheme and its secrets, not yet compared with each other; undefined without a secret.
 * @throws UsageError for an unknown scheme, and for a scheme without a secret
 */
export async function resolveOneSigning(
  flags: SigningFlags,
  io: Io,
  env: Io['env'],
  profile?: ProfileSigning,
): Promise<ResolvedSigning | undefined> {
  const given = resolveSecrets(flags, io, env);
  const secrets = given.length > 0 ? given : (profile?.secrets ?? []);
  const named = namedScheme(flags, env, profile);
  if (secrets.length === 0) {
    checkNothingNamed(flags, named);
    return undefined;
  }
  const where = given.length > 0 ? secretSource(flags) : (profile?.location ?? '');
  const scheme = named
    ? await findScheme(named.name, named.where, flags, io)
    : await defaultScheme();
  return { settings: { scheme, secrets }, where };
}

function warn({ warnings }: RequestSigner, { quiet }: SigningFlags, io: Io): void {
  if (!quiet) for (const warning of warnings) say(io, `warning: ${warning}`);
}

async function defaultScheme(): Promise<Scheme> {
  const { presets } = await import('../../sign/schemes/index.js');
  return presets.get('x-signature')!;
}

/** The scheme that was asked for by flag or environment; undefined without one. */
export async function resolveScheme(
  flags: SchemeFlags,
  io: Io,
  env: Io['env'] = io.env,
): Promise<Scheme | undefined> {
  const named = namedScheme(flags, env);
  return named && findScheme(named.name, named.where, flags, io);
}

/** A preset, or a scheme of the configuration file, whose schemes are checked in either case. */
export async function findScheme(
  name: string,
  where: string,
  flags: Pick<SchemeFlags, 'config'>,
  io: Io,
): Promise<Scheme> {
  const { findScheme: findIn } = await import('../../config/own-schemes.js');
  return findIn(name, await configContext(flags, io), where);
}

/** The schemes of the configuration file; none without a file. */
export async function findOwnSchemes(
  flags: Pick<SchemeFlags, 'config'>,
  io: Io,
): Promise<readonly Scheme[]> {
  const { ownSchemes } = await import('../../config/own-schemes.js');
  return ownSchemes(await configContext(flags, io));
}

/**
 * Checks the schemes of the configuration file where a scheme or a file was named, for the quick ways that
 * need none of them.
 *
 * @throws UsageError as `findOwnSchemes`
 */
export async function checkOwnSchemes(
  flags: Pick<SchemeFlags, 'scheme' | 'config'>,
  io: Io,
): Promise<void> {
  const { EVFWD_SCHEME, EVFWD_CONFIG } = io.env;
  if ((flags.scheme ?? flags.config ?? EVFWD_SCHEME ?? EVFWD_CONFIG) === undefined) return;
  await findOwnSchemes(flags, io);
}

async function configContext({ config }: Pick<SchemeFlags, 'config'>, io: Io) {
  const { homedir } = await import('node:os');
  return { path: config, cwd: io.cwd, home: homedir(), env: io.env };
}

interface NamedScheme {
  readonly name: string;
  /** What names it, for messages. */
  readonly where: string;
}

/** The name of a scheme and what it is from; a flag overrides the environment, which overrides a profile. */
function namedScheme(
  flags: SchemeFlags,
  env: Io['env'],
  profile?: ProfileSigning,
): NamedScheme | undefined {
  if (flags.scheme !== undefined) return { name: flags.scheme, where: '--scheme' };
  if (env.EVFWD_SCHEME) return { name: env.EVFWD_SCHEME, where: 'EVFWD_SCHEME' };
  if (profile?.scheme === undefined) return undefined;
  return { name: profile.scheme, where: `${profile.location}.webhooks.scheme` };
}

/** A request without a signature is not what was asked for. */
function checkNothingNamed({ alsoScheme }: SigningFlags, named: NamedScheme | undefined): void {
  const where = named?.where ?? (alsoScheme === undefined ? undefined : '--also-scheme');
  if (where === undefined) return;
  throw new UsageError(
    `${where} needs a secret; use --secret-file, --secret or EVFWD_SECRET`,
    'no_secret',
  );
}

async function alsoSigning(
  flags: SigningFlags,
  io: Io,
  secrets: readonly Secret[],
): Promise<SigningSettings> {
  const { alsoScheme = '', alsoSecretFile } = flags;
  const scheme = await findScheme(alsoScheme, '--also-scheme', flags, io);
  if (alsoSecretFile === undefined) return { scheme, secrets };
  return { scheme, secrets: [readSecretFile(alsoSecretFile, io.cwd, '--also-secret-file')] };
}

/** @param names in lower case: the headers of the first scheme */
function checkHeaders(names: readonly string[], { scheme, headerNames }: RequestSigner): void {
  const shared = headerNames.find((name) => names.includes(name));
  if (shared === undefined) return;
  throw new UsageError(
    `--also-scheme ${scheme.name}: the first scheme sends the header ${shared}, too; use schemes without a header in common`,
  );
}
