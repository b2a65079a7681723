import { UsageError } from '../errors.js';
import { checkHeaders, type Endpoint } from '../webhook/settings.js';
import type { Profile } from './file.js';

/** The flags that select a target, as they were typed. */
export interface TargetChoice {
  readonly url?: readonly string[];
  readonly header?: readonly string[];
  readonly allUrls?: boolean;
  readonly secret?: string;
  readonly secretFile?: string;
  readonly writeKey?: string;
  readonly endpoint?: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** The target of events, by kind. */
export type TargetContext =
  | { readonly kind: 'webhooks'; readonly endpoints: readonly Endpoint[]; readonly where: string }
  | { readonly kind: 'collector'; readonly writeKey: string; readonly endpoint: string };

/**
 * Chooses the target: a flag overrides the environment, which overrides the profile. With a flag for one
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
  secret: '--secret',
  secretFile: '--secret-file',
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
  throw new UsageError(
    'no target; use --url <webhook URL>, or --write-key <key> with --endpoint <collector URL>',
    'no_target',
  );
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
  if (!endpoints) throw new UsageError('no webhook URL; use --url or EVFWD_URL', 'no_target');
  if (flags.header) {
    throw new UsageError('--header needs --url; set the headers of profile URLs in the profile');
  }
  return { kind: 'webhooks', endpoints, where: profile!.location };
}

function splitUrls(text = ''): string[] {
  return text.split(/\s+/).filter((url) => url !== '');
}

/** @throws UsageError, without the value, when a text is not `Name: value`. */
function parseHeaders(texts: readonly string[]): readonly (readonly [string, string])[] {
  return texts.map((text) => {
    const colon = text.indexOf(':');
    if (colon < 1) throw new UsageError(`--header: must have the form 'Name: value'`);
    return [text.slice(0, colon), text.slice(colon + 1).trim()];
  });
}

function collector(
  flags: TargetChoice,
  env: Environment,
  profile: Profile | undefined,
): TargetContext {
  const writeKey = flags.writeKey ?? env.EVFWD_WRITE_KEY ?? profile?.collector?.writeKey;
  const endpoint = flags.endpoint ?? env.EVFWD_ENDPOINT ?? profile?.collector?.endpoint;
  if (!writeKey)
    throw new UsageError('no write key; use --write-key or EVFWD_WRITE_KEY', 'no_target');
  if (!endpoint) {
    throw new UsageError('no collector URL; use --endpoint or EVFWD_ENDPOINT', 'no_target');
  }
  return { kind: 'collector', writeKey, endpoint };
}
