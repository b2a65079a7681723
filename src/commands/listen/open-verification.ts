import { resolve } from 'node:path';
import { readSecretFile } from '../../config/secret.js';
import { UsageError } from '../../errors.js';
import { parseVerifyRule, type VerifyRuleText } from '../../receive/rules/verify-rule.js';
import { Verification, type VerifyRule } from '../../receive/verification.js';
import { presets } from '../../sign/schemes/index.js';
import type { Scheme } from '../../sign/schemes/scheme.js';
import type { Io } from '../shared/command.js';
import { say } from '../shared/output.js';
import { resolveSecrets, secretSource, warnOfVisibleSecret } from '../shared/secret-flags.js';
import {
  checkOwnSchemes,
  findOwnSchemes,
  findScheme,
  resolveScheme,
} from '../shared/signing-flags.js';
import type { ListenFlags } from './command.js';

type Flags = Pick<
  ListenFlags,
  'scheme' | 'secret' | 'secretFile' | 'verify' | 'enforce' | 'quiet' | 'config'
>;

/**
 * How signatures are verified: the rules of `--verify`, then `--scheme` and `--secret` for all other paths.
 *
 * @throws UsageError for a rule, scheme or secret that is wrong, and for `--enforce` without any secret
 */
export async function openVerification(flags: Flags, io: Io): Promise<Verification> {
  const scheme = await schemeOfFlags(flags, io);
  const secrets = resolveSecrets(flags, io);
  const texts = (flags.verify ?? []).map(parseVerifyRule);
  const rules = await Promise.all(texts.map((text) => ruleOf(text, scheme, flags, io)));
  if (secrets.length > 0) {
    rules.push({ scheme, secrets, where: secretSource(flags), secretFile: fileOf(flags, io) });
  }
  if (flags.enforce && rules.length === 0) {
    throw new UsageError(
      '--enforce needs a secret; use --secret-file, --secret, EVFWD_SECRET or --verify',
      'no_secret',
    );
  }
  const isAuto = rules.some((rule) => rule.scheme === 'auto');
  if (!isAuto) await checkOwnSchemes(flags, io);
  const own = isAuto ? await findOwnSchemes(flags, io) : [];
  const unverified = scheme === 'auto' ? undefined : scheme;
  return new Verification(rules, { own, unverified, judgesFuture: flags.enforce });
}

async function schemeOfFlags(flags: Flags, io: Io): Promise<Scheme | 'auto'> {
  if ((flags.scheme ?? io.env.EVFWD_SCHEME) === 'auto') return 'auto';
  return (await resolveScheme(flags, io)) ?? presets.get('x-signature')!;
}

async function ruleOf(
  { path, scheme: name, secrets }: VerifyRuleText,
  usual: Scheme | 'auto',
  flags: Flags,
  io: Io,
): Promise<VerifyRule> {
  const named = name === undefined ? usual : await schemeOfRule(name, flags, io);
  const [newest] = secrets;
  return {
    path,
    scheme: named,
    secrets: secrets.map((secret) =>
      'file' in secret ? readSecretFile(secret.file, io.cwd, '--verify secret-file') : secret.text,
    ),
    secretFile: newest && 'file' in newest ? resolve(io.cwd, newest.file) : undefined,
  };
}

function schemeOfRule(name: string, flags: Flags, io: Io): 'auto' | Promise<Scheme> {
  return name === 'auto' ? name : findScheme(name, '--verify', flags, io);
}

function fileOf({ secretFile: [newest] = [] }: Flags, { cwd }: Io): string | undefined {
  return newest === undefined ? undefined : resolve(cwd, newest);
}

/** Warns of secrets on the command line, unless `--quiet`, once nothing can be wrong with it any more. */
export function warnOfVisibleSecrets(flags: Flags, io: Io): void {
  warnOfVisibleSecret(flags, io);
  const rules = (flags.verify ?? []).map(parseVerifyRule);
  const isVisible = rules.some(({ secrets }) => secrets.some((secret) => 'text' in secret));
  if (isVisible && !flags.quiet) say(io, warning);
}

const warning =
  'warning: other users of this machine can see secret= of --verify in the process list; use secret-file=';
