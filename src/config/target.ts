import { UsageError } from '../errors.js';
import type { Endpoint } from '../webhook/endpoint.js';
import { checkHeaders } from '../webhook/settings.js';
import { MissingTargetError } from './missing-target.js';
import type { Profile } from './file.js';

/** The flags that select a target, as they were typed. */
export interface TargetChoice {
  readonly url?: readonly string[];
  readonly header?: readonly string[];
  readonly allUrls?: boolean;
  readonly body?: string;
  readonly secret?: readonly string[];
  readonly secretFile?: readonly string[];
  readonly scheme?: string;
  readonly alsoScheme?: string;
  readonly alsoSecretFile?: string;
  readonly writeKey?: string;
  readonly endpoint?: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** The target of events, by kind. */
export type TargetContext =
  | { readonly kind: 'webhooks'; readonly endpoints: readonly Endpoint[]; readonly where: string }
  | {
      readonly kind: 'collector';
      readonly writeKey: string;
      readonly endpoint: string;
      /** URL of an HTTP proxy. Default: none. */
      readonly proxy?: string | undefined;
      readonly where: string;
    };

/**
 * Chooses the target: a flag overrides the environment, which overrides the profile (`besideNamedProfile`
 * removes what a profile on the command line replaces). With a flag for one
 * kind of target, the environment of the other kind is ignored.
 *
 * @throws UsageError when both kinds are requested, or neither, or a part is missing.
 */
export function chooseTarget(
  flags: TargetChoice,
  env: Environment,
  profile: Profile | undefined,
): TargetContext {
  return chooseKind(flags, env, profile) === 'webhooks'
    ? webhooks(flags, env, profile)
    : collector(flags, env, profile);
}

type Kind = TargetContext['kind'];

function chooseKind(flags: TargetChoice, env: Environment, profile: Profile | undefined): Kind {
  return kindOfFlags(flags) ?? kindOfEnvironment(env) ?? kindOfProfile(profile) ?? nothing();
}

function kindOfFlags(flags: TargetChoice): Kind | undefined {
  const forWebhooks = firstGiven(flags, webhookFlags);
  const forCollector = firstGiven(flags, collectorFlags);
  if (forWebhooks && forCollector) {
    throw new UsageError(
      `${forWebhooks} is for webhooks and ${forCollector} for a collector; use the flags of one target`,
    );
  }
  if (forWebhooks) return 'webhooks';
  return forCollector ? 'collector' : undefined;
}

const webhookFlags = {
  url: '--url',
  header: '--header',
  allUrls: '--all-urls',
  body: '--body',
  secret: '--secret',
  secretFile: '--secret-file',
  scheme: '--scheme',
  alsoScheme: '--also-scheme',
  alsoSecretFile: '--also-secret-file',
} as const;

const collectorFlags = { writeKey: '--write-key', endpoint: '--endpoint' } as const;

function firstGiven(
  flags: TargetChoice,
  names: Partial<Record<keyof TargetChoice, string>>,
): string | undefined {
  const given = Object.keys(names) as (keyof TargetChoice)[];
  const first = given.find((name) => flags[name] !== undefined);
  return first && names[first];
}

function kindOfEnvironment(env: Environment): Kind | undefined {
  if (env.EVFWD_URL && env.EVFWD_WRITE_KEY) {
    throw new UsageError(
      'EVFWD_URL and EVFWD_WRITE_KEY are both set; use --url or --write-key, or unset one of them',
    );
  }
  if (env.EVFWD_URL) return 'webhooks';
  return env.EVFWD_WRITE_KEY ? 'collector' : undefined;
}

function kindOfProfile(profile: Profile | undefined): Kind | undefined {
  if (profile?.webhooks && profile.collector) {
    throw new UsageError(
      `${profile.location} has webhooks and a collector; split it into two profiles`,
    );
  }
  if (profile?.webhooks) return 'webhooks';
  return profile?.collector ? 'collector' : undefined;
}

function nothing(): never {
  const flags = '--url <webhook URL>, or --write-key <key> with --endpoint <collector URL>';
  throw new MissingTargetError('target', flags);
}

function webhooks(
  flags: TargetChoice,
  env: Environment,
  profile: Profile | undefined,
): TargetContext {
  const headers = parseHeaders(flags.header ?? []);
  checkHeaders(headers, '--header');
  const urls = flags.url ?? splitUrls(env.EVFWD_URL);
  if (urls.length > 0) {
    const where = flags.url ? '--url' : 'EVFWD_URL';
    return { kind: 'webhooks', endpoints: urls.map((url) => ({ url, headers })), where };
  }
  const { endpoints } = profile?.webhooks ?? {};
  if (!endpoints) throw noWebhook(flags, profile);
  if (flags.header) {
    throw new UsageError('--header needs --url; set the headers of profile URLs in the profile');
  }
  return { kind: 'webhooks', endpoints, where: profile!.location };
}

/** A flag such as `--body` alone selects webhooks: says so where a collector may have been meant. */
function noWebhook(flags: TargetChoice, profile: Profile | undefined): UsageError {
  const flag = firstGiven(flags, webhookFlags);
  if (!flag || !profile?.collector) {
    return new MissingTargetError(
      'webhook URL',
      '--url or EVFWD_URL',
      flag && `${flag} is for webhooks`,
    );
  }
  return new UsageError(
    `${flag} is for webhooks, but ${profile.location} is a collector; leave it out, or use --url`,
  );
}

/** `EVFWD_URL` has its URLs separated by spaces. */
export function splitUrls(text = ''): string[] {
  return text.split(/\s+/).filter((url) => url !== '');
}

/** @throws UsageError, without the value, when a text is not `Name: value`. */
export function parseHeaders(
  texts: readonly string[],
  flag = '--header',
): readonly (readonly [string, string])[] {
  return texts.map((text) => {
    const colon = text.indexOf(':');
    if (colon < 1) throw new UsageError(`${flag}: must have the form 'Name: value'`);
    return [text.slice(0, colon), text.slice(colon + 1).trim()];
  });
}

function noWriteKey(flags: TargetChoice, profile: Profile | undefined): UsageError {
  if (!flags.endpoint || !profile?.webhooks) {
    return new MissingTargetError('write key', '--write-key or EVFWD_WRITE_KEY');
  }
  return new UsageError(
    `--endpoint is for a collector, but ${profile.location} has webhooks; leave it out, or use --write-key with it`,
  );
}

function collector(
  flags: TargetChoice,
  env: Environment,
  profile: Profile | undefined,
): TargetContext {
  const writeKey = flags.writeKey ?? (env.EVFWD_WRITE_KEY || profile?.collector?.writeKey);
  const endpoint = flags.endpoint ?? (env.EVFWD_ENDPOINT || profile?.collector?.endpoint);
  if (!writeKey) throw noWriteKey(flags, profile);
  if (!endpoint) throw new MissingTargetError('collector URL', '--endpoint or EVFWD_ENDPOINT');
  const where = flags.endpoint
    ? '--endpoint'
    : env.EVFWD_ENDPOINT
      ? 'EVFWD_ENDPOINT'
      : profile!.location;
  return { kind: 'collector', writeKey, endpoint, where };
}
