import type { Environment } from './environment.js';
import type { Profile } from './file.js';
import type { TargetChoice } from './target.js';

/** The environment that still counts beside a profile which was named on the command line. */
export interface Remaining {
  readonly env: Environment;
  /** The variables that the profile replaces, in the order in which they are documented. */
  readonly setAside: readonly string[];
}

/**
 * A profile that is named by a flag overrides the environment: whoever types its name means its target.
 * Variables for what the profile does not have still count, as does what a flag replaces anyway.
 */
export function besideNamedProfile(
  flags: TargetChoice,
  env: Environment,
  { webhooks, collector }: Profile,
): Remaining {
  const { url, writeKey, endpoint, secret, secretFile, scheme } = flags;
  const isForWebhooks = writeKey === undefined && endpoint === undefined && webhooks !== undefined;
  const isForCollector = url === undefined && collector !== undefined;
  const hasTarget = isForWebhooks || isForCollector;
  const hasSecretFlag = secret !== undefined || secretFile !== undefined;
  const replaced = [
    hasTarget && url === undefined && 'EVFWD_URL',
    isForWebhooks && webhooks.sharedSecret !== undefined && !hasSecretFlag && 'EVFWD_SECRET',
    isForWebhooks && webhooks.scheme !== undefined && scheme === undefined && 'EVFWD_SCHEME',
    hasTarget && writeKey === undefined && 'EVFWD_WRITE_KEY',
    hasTarget && endpoint === undefined && 'EVFWD_ENDPOINT',
  ].filter((name) => name !== false);
  const setAside = replaced.filter((name) => env[name]);
  const remaining = Object.entries(env).filter(([name]) => !setAside.includes(name));
  return { env: Object.fromEntries(remaining), setAside };
}
