import { proxyOf, tokenProxyOf } from '../../config/proxy.js';
import { readSecretFile } from '../../config/secret.js';
import { parseHeaders, splitUrls } from '../../config/target.js';
import { UsageError } from '../../errors.js';
import { checkUrl } from '../../http/url.js';
import type { OwnParts } from '../../importer/shared/worker/own-parts.js';
import type { Endpoint } from '../../webhook/endpoint.js';
import type { Profile } from '../../config/file.js';
import type { Io } from '../shared/command.js';
import { hashKeyOf } from '../shared/changes.js';
import { resolveSecrets } from '../shared/secret-flags.js';
import { remoteOptions } from '../shared/source-options.js';
import { certificates, environmentBeside, profileOf } from '../shared/target-flags.js';
import type { WorkerFlags } from './flags.js';

/**
 * What this worker has for the targets of runs: a flag beats the environment, which beats the profile, unless
 * the profile is named by a flag.
 *
 * @throws UsageError when flags, environment, profile or files are not valid
 */
export async function ownPartsOf(flags: WorkerFlags, io: Io): Promise<OwnParts> {
  const { checkHeaders } = await import('../../webhook/settings.js');
  const headers = parseHeaders(flags.header ?? []);
  checkHeaders(headers, '--header');
  const profile = await profileOf(flags, io);
  const env = profile && flags.profile ? await environmentBeside(profile, flags, io) : io.env;
  const urls = flags.url ?? splitUrls(env.EVFWD_URL);
  for (const url of urls) checkUrl(url, flags.url ? '--url' : 'EVFWD_URL');
  const { ca, clientCertificate } = await certificates(flags);
  return {
    ...ownSecrets(flags, io, env, profile),
    headers,
    endpoints: [
      ...urls.map((url) => ({ url })),
      ...collectorUrls(flags, env),
      ...endpointsOf(profile),
    ],
    writeKey: writeKeyOf(flags, env) ?? profile?.collector?.writeKey,
    ...{ ca, clientCertificate },
    sources: { ...(await remoteOptions(flags, io)), urls: sourceUrls(flags, env) },
    ...(flags.proxy !== undefined && {
      proxyOf: (url) => proxyOf(url, flags.proxy, io.env),
      tokenProxyOf: (url) => tokenProxyOf(url, flags.proxy, io.env),
    }),
    hashKey: flags.hashKeyFile === undefined ? undefined : hashKeyOf(flags.hashKeyFile, io.cwd),
  };
}

function ownSecrets(
  flags: WorkerFlags,
  io: Io,
  env: Io['env'],
  profile: Profile | undefined,
): Pick<OwnParts, 'secrets' | 'alsoSecret'> {
  const given = resolveSecrets(flags, io, env);
  const secrets = given.length > 0 ? given : [profile?.webhooks?.sharedSecret ?? []].flat();
  const path = flags.alsoSecretFile;
  if (path === undefined) return { secrets };
  return { secrets, alsoSecret: readSecretFile(path, io.cwd, '--also-secret-file') };
}

/** User and password are allowed in them. */
function sourceUrls({ sourceUrl }: WorkerFlags, env: Io['env']): string[] {
  const urls = sourceUrl ?? splitUrls(env.EVFWD_SOURCE_URL);
  for (const url of urls) {
    if (URL.canParse(url) && /^https?:/i.test(url)) continue;
    throw new UsageError(
      `${sourceUrl ? '--source-url' : 'EVFWD_SOURCE_URL'}: not a valid http:// or https:// URL`,
    );
  }
  return urls.map((url) => new URL(url).href.replace(/#.*$/, ''));
}

function collectorUrls({ endpoint }: WorkerFlags, env: Io['env']): Endpoint[] {
  const url = endpoint ?? env.EVFWD_ENDPOINT;
  if (url === undefined || (url === '' && endpoint === undefined)) return [];
  checkUrl(url, endpoint === undefined ? 'EVFWD_ENDPOINT' : '--endpoint');
  return [{ url }];
}

function endpointsOf(profile: Profile | undefined): Endpoint[] {
  const { webhooks, collector } = profile ?? {};
  return [...(webhooks?.endpoints ?? []), ...(collector ? [{ url: collector.endpoint }] : [])];
}

function writeKeyOf({ writeKey }: WorkerFlags, env: Io['env']): string | undefined {
  if (writeKey === '') throw new UsageError('--write-key is empty; pass a key, or leave it out');
  return writeKey ?? (env.EVFWD_WRITE_KEY || undefined);
}
