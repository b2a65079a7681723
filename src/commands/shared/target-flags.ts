import type { Profile } from '../../config/file.js';
import type { TargetSettings } from '../../config/open-target.js';
import type { TargetContext } from '../../config/target.js';
import { defaults } from '../../defaults.js';
import { UsageError } from '../../errors.js';
import { printable } from '../../output/printable.js';
import type { BodyForm } from '../../webhook/body-form.js';
import type { Endpoint } from '../../webhook/endpoint.js';
import type { Io } from './command.js';
import { say } from './output.js';
import { resolveSigning, type ProfileSigning, type SigningFlags } from './signing-flags.js';

/** Flags of every command that sends, as commander parses them. */
export interface TargetFlags extends SigningFlags {
  url?: string[];
  header?: string[];
  writeKey?: string;
  endpoint?: string;
  timeout?: number;
  retryWindow?: number;
  ca?: string;
  cert?: string;
  key?: string;
  /** `env`, or the URL of a proxy. */
  proxy?: string;
  allUrls?: boolean;
  body?: BodyForm;
  profile?: string;
  ignoreIntegrations?: boolean;
}

/** @throws UsageError when flags, environment, profile or files are not valid. */
export async function resolveTarget(
  flags: TargetFlags,
  io: Io,
  retryWindowMs: number,
): Promise<TargetSettings> {
  const { chooseTarget } = await import('../../config/target.js');
  const profile = await profileOf(flags, io);
  const env = profile && flags.profile ? await environmentBeside(profile, flags, io) : io.env;
  const target = await throughProxy(chooseTarget(flags, env, profile), flags.proxy, io.env);
  const shared = {
    timeoutMs: flags.timeout ?? profile?.timeoutMs ?? defaults.timeoutMs,
    retryWindowMs: flags.retryWindow ?? profile?.retryWindowMs ?? retryWindowMs,
    allUrls: flags.allUrls ?? profile?.allUrls ?? false,
    ignoreIntegrations: flags.ignoreIntegrations ?? false,
    ...(await certificates(flags)),
  };
  if (target.kind === 'collector') return { ...target, ...shared };
  const signing = await resolveSigning(flags, io, env, signingOfProfile(profile));
  if (flags.header && signing.length > 0) {
    const { checkHeadersBeside } = await import('../../webhook/signing.js');
    checkHeadersBeside(signing, target.endpoints, '--header');
  }
  const body = flags.body ?? profile?.webhooks?.body;
  const batch = profile?.webhooks?.batch;
  // As of all settings, a flag comes before the file.
  const endpoints =
    flags.timeout === undefined ? target.endpoints : target.endpoints.map(withoutTimeout);
  return {
    ...{ ...target, endpoints, ...shared },
    ...(signing.length > 0 && { signing }),
    ...(body && { body }),
    ...(batch && { batch }),
  };
}

/** `--proxy` wins over the proxies of the profile. */
async function throughProxy(
  target: TargetContext,
  proxy: string | undefined,
  env: Io['env'],
): Promise<TargetContext> {
  if (proxy === undefined) return target;
  const { proxyOf, withProxy } = await import('../../config/proxy.js');
  if (target.kind === 'collector')
    return { ...target, proxy: proxyOf(target.endpoint, proxy, env) };
  return { ...target, endpoints: target.endpoints.map((one) => withProxy(one, proxy, env)) };
}

function withoutTimeout(endpoint: Endpoint): Endpoint {
  const all = { ...endpoint };
  delete all.timeoutMs;
  return all;
}

/** What a profile says about signing; undefined if it has no webhooks. */
export function signingOfProfile(profile: Profile | undefined): ProfileSigning | undefined {
  if (!profile?.webhooks) return undefined;
  const { scheme, sharedSecret = [] } = profile.webhooks;
  return { location: profile.location, scheme, secrets: [sharedSecret].flat() };
}

/** The environment without what the profile of `--profile` replaces, with one line that says so. */
export async function environmentBeside(
  profile: Profile,
  flags: TargetFlags,
  io: Io,
): Promise<Io['env']> {
  const { besideNamedProfile } = await import('../../config/set-aside.js');
  const { env, setAside } = besideNamedProfile(flags, io.env, profile);
  if (setAside.length > 0 && !flags.quiet) {
    say(
      io,
      `--profile ${printable(profile.name)} replaces ${setAside.join(', ')} of the environment`,
    );
  }
  return env;
}

/** The profile of flags and environment, if there is one. @throws UsageError when it cannot be used */
export async function profileOf(flags: TargetFlags, io: Io): Promise<Profile | undefined> {
  const name = flags.profile ?? io.env.EVFWD_PROFILE;
  const path = flags.config ?? io.env.EVFWD_CONFIG;
  if (!name) {
    // A configuration file may also be there for its schemes.
    const isForScheme = (flags.scheme ?? flags.alsoScheme ?? io.env.EVFWD_SCHEME) !== undefined;
    if (flags.config === undefined || isForScheme) return undefined;
    throw new UsageError('--config needs --profile, the name of a profile in that file; use both');
  }
  const { loadProfile } = await import('../../config/file.js');
  const { homedir } = await import('node:os');
  return loadProfile({
    profile: name,
    ...(flags.profile === undefined && { variable: 'EVFWD_PROFILE' }),
    cwd: io.cwd,
    home: homedir(),
    env: io.env,
    ...(path && { path }),
  });
}

/** Imported late: most runs have none. */
export async function certificates(
  flags: TargetFlags,
): Promise<Pick<TargetSettings, 'ca' | 'clientCertificate'>> {
  const { ca, cert, key } = flags;
  if ((ca ?? cert ?? key) === undefined) return { ca: [] };
  const { readAuthorities, readClientCertificate } =
    await import('../../config/certificate-files.js');
  return {
    ca: ca === undefined ? [] : [await readAuthorities(ca)],
    clientCertificate: await readClientCertificate({ cert, key }),
  };
}
