import { defaultDeadline, defaultRate, type CheckSettings } from '../../check/settings.js';
import { chosenSender, urlFor } from '../../check/senders/chosen.js';
import { MissingTargetError } from '../../config/missing-target.js';
import { chooseTarget, type TargetContext } from '../../config/target.js';
import { UsageError } from '../../errors.js';
import { shellArgument } from '../../output/shell.js';
import { requestSigner } from '../../sign/request-signer.js';
import { checkEndpoints, headerPairs } from '../../webhook/settings.js';
import { checkHeadersBeside } from '../../webhook/signing.js';
import type { Io } from '../shared/command.js';
import { say } from '../shared/flags.js';
import { resolveOneSigning } from '../shared/signing-flags.js';
import {
  certificates,
  environmentBeside,
  profileOf,
  signingOfProfile,
} from '../shared/target-flags.js';
import type { CheckFlags } from './command.js';
import { readSamples } from './samples.js';

/**
 * What is checked, and how.
 * @throws UsageError when flags, environment, profile or files are not valid
 */
export async function checkSettings(
  url: string | undefined,
  flags: CheckFlags,
  io: Io,
): Promise<CheckSettings> {
  const { body, ...targetFlags } = flags;
  const profile = await profileOf(targetFlags, io);
  const env = profile && flags.profile ? await environmentBeside(profile, targetFlags, io) : io.env;
  const choice = url === undefined ? targetFlags : { ...targetFlags, url: [url] };
  const target = targetOf(choice, env, profile);
  const [endpoint, second] = target.kind === 'webhooks' ? target.endpoints : [];
  if (!endpoint) throw new UsageError('check is for webhooks; pass the URL of one');
  if (second) throw new UsageError('check takes one URL, and there are several; pass one');
  checkEndpoints([endpoint], url === undefined ? target.where : 'the URL');
  const resolved = await resolveOneSigning(flags, io, env, signingOfProfile(profile));
  const signing = resolved?.settings;
  if (resolved) {
    const { settings, where } = resolved;
    // Each event is signed with one of them, also where the scheme carries no more.
    const each = settings.secrets.map((one) => ({ ...settings, secrets: [one] }));
    const signers = each.map((one) => requestSigner(one, where));
    checkHeadersBeside(each.slice(0, 1), [endpoint], '--header');
    if (!flags.quiet) {
      for (const text of new Set(signers.flatMap(({ warnings }) => warnings))) {
        say(io, `warning: ${text}`);
      }
    }
  }
  const { ca, clientCertificate } = await certificates(targetFlags);
  const given = new URL(endpoint.url);
  const sender = chosenSender({
    ...flags,
    samples: await readSamples(body ?? [], io.cwd),
    scheme: signing?.scheme,
    url: given,
  });
  return {
    url: urlFor(given, sender),
    headers: headerPairs(endpoint.headers),
    signing,
    sender,
    ca,
    clientCertificate,
    deadlineMs: flags.deadline ?? defaultDeadline(signing?.scheme.name),
    rate: flags.rate ?? defaultRate,
    probe: await probeOf(flags),
    handshake: handshakeOf(flags),
    curlFlags: curlFlags(flags),
    isStrict: flags.strict ?? false,
  };
}

/** @throws UsageError, in the words of this command if there is no URL */
function targetOf(...[choice, env, profile]: Parameters<typeof chooseTarget>): TargetContext {
  try {
    return chooseTarget(choice, env, profile);
  } catch (error) {
    if (!(error instanceof MissingTargetError)) throw error;
    throw new UsageError(
      'no endpoint; pass its URL: evfwd check http://localhost:3000/hook',
      'no_target',
    );
  }
}

async function probeOf({ probe }: CheckFlags): Promise<CheckSettings['probe']> {
  if (probe === undefined) return undefined;
  const { probeCommand } = await import('../../check/probe-command.js');
  return probeCommand(probe);
}

function handshakeOf({ handshake, handshakeToken }: CheckFlags): CheckSettings['handshake'] {
  return handshake && { vendor: handshake, token: handshakeToken };
}

/** What curl needs for the same connection. */
function curlFlags({ ca, cert, key }: CheckFlags): string[] {
  const files = { '--cacert': ca, '--cert': cert, '--key': key };
  return Object.entries(files).flatMap(([flag, path]) =>
    path === undefined ? [] : [`${flag} ${shellArgument(path)}`],
  );
}
