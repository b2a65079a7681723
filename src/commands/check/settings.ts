import { readFile } from 'node:fs/promises';
import { parse, resolve } from 'node:path';
import { checkSigning, runSettings } from '../../check/run-settings.js';
import type { SampleText } from '../../check/senders/parse-sample.js';
import type { CheckSettings } from '../../check/settings.js';
import { systemClock } from '../../clock.js';
import { MissingTargetError } from '../../config/missing-target.js';
import { chooseTarget, type TargetContext } from '../../config/target.js';
import { UsageError } from '../../errors.js';
import { proxyInUse } from '../../http/open-connector.js';
import { printable } from '../../output/printable.js';
import { shellArgument } from '../../output/shell.js';
import { defaultBatch } from '../../webhook/batch-settings.js';
import type { Endpoint } from '../../webhook/endpoint.js';
import { checkEndpoints, headerPairs } from '../../webhook/settings.js';
import type { Io } from '../shared/command.js';
import { say } from '../shared/output.js';
import { resolveOneSigning } from '../shared/signing-flags.js';
import {
  certificates,
  environmentBeside,
  profileOf,
  signingOfProfile,
} from '../shared/target-flags.js';
import type { CheckFlags } from './command.js';

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
  const proxy = proxyInUse(new URL(endpoint.url), endpoint.proxy);
  if (proxy !== undefined && !flags.quiet) say(io, proxyNotUsed);
  const resolved = await resolveOneSigning(flags, io, env, signingOfProfile(profile));
  if (resolved) {
    const where = { secret: resolved.where, header: '--header' };
    const warnings = checkSigning(resolved.settings, endpoint, where);
    if (!flags.quiet) for (const text of warnings) say(io, `warning: ${text}`);
  }
  const { ca, clientCertificate } = await certificates(targetFlags);
  const { idPath, idHeader, deadline, rate, strict } = flags;
  const trusted = [...ca, ...(endpoint.tls?.ca ?? [])];
  return runSettings({
    endpoint: await withAuthorization(endpoint, trusted),
    ...{ idPath, idHeader, rate },
    ca: trusted,
    clientCertificate: clientCertificate ?? endpoint.tls?.clientCertificate,
    signing: resolved?.settings,
    batch: profile?.webhooks?.batch ?? (flags.batch ? defaultBatch : undefined),
    samples: await readSamples(body ?? [], io.cwd),
    deadlineMs: deadline,
    probe: await probeOf(flags),
    handshake: handshakeOf(flags),
    curlFlags: curlFlags(flags),
    isStrict: strict,
  });
}

/** The `auth` of a profile as a header, fetched once. @throws UsageError when there is no token */
async function withAuthorization(endpoint: Endpoint, ca: readonly string[]): Promise<Endpoint> {
  if (!endpoint.auth) return endpoint;
  const { authorizationValue } = await import('../../webhook/tokens.js');
  const value = await authorizationValue(endpoint, { ca, clock: systemClock });
  const headers = headerPairs(endpoint.headers);
  return value === undefined
    ? endpoint
    : { ...endpoint, headers: [...headers, ['Authorization', value]] };
}

const proxyNotUsed = 'the proxy of the profile is not used: check connects to the endpoint itself';

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

/** The files of `--body`. @throws UsageError for one that cannot be read */
function readSamples(paths: readonly string[], cwd: string): Promise<SampleText[]> {
  return Promise.all(paths.map((path) => readSample(path, cwd)));
}

async function readSample(path: string, cwd: string): Promise<SampleText> {
  const where = `--body ${printable(path)}`;
  try {
    const text = await readFile(resolve(cwd, path), 'utf8');
    return { name: parse(path).name, text, where };
  } catch (cause) {
    const { code = 'unknown error' } = cause as NodeJS.ErrnoException;
    throw new UsageError(`${where}: cannot be read (${code}); check the path`, 'bad_body', {
      cause,
    });
  }
}
