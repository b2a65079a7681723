import { systemClock } from '../../clock.js';
import { withProxy } from '../../config/proxy.js';
import { UsageError } from '../../errors.js';
import { headerSecrets } from '../../delivery/redaction.js';
import { connectorTo } from '../../http/open-connector.js';
import { checkUrl, hostOf, withoutQuery } from '../../http/url.js';
import type { Composition } from '../../replay/compose.js';
import { HandlerClient, noAnswerText } from '../../replay/candidate/client.js';
import type { Version } from '../../replay/candidate/comparison.js';
import { baseUrl, type BaseUrl } from '../../replay/path.js';
import type { Endpoint } from '../../webhook/endpoint.js';
import { checkEndpoints } from '../../webhook/settings.js';
import { authorizationOf } from '../../webhook/tokens.js';
import type { CandidateCall } from './parts.js';
import type { Prepared } from './prepare.js';

/** One of the two versions before it is connected to. */
interface Address {
  /** What names it: a flag, a profile. */
  readonly where: string;
  readonly url: URL;
  /** Without its query; without a path where each request keeps its own. */
  readonly shown: string;
  /** Without its query; undefined where each request keeps its own. */
  readonly path: string | undefined;
}

export interface Versions {
  readonly baseline: Address;
  readonly candidate: Address;
  /** Of the first one: what holds for both. */
  readonly endpoint: Endpoint;
  /** Values of added headers, which responses must not show. */
  readonly secrets: readonly string[];
  /** @param signal closes all connections */
  open(signal: AbortSignal): { readonly baseline: Version; readonly candidate: Version };
}

/**
 * The two versions: the candidate gets the same headers, certificates and credentials as the first.
 * @throws UsageError when there is not one URL for each, or both are the same
 */
export function versionsOf({ candidate, flags, io }: CandidateCall, prepared: Prepared): Versions {
  const { settings, compositions } = prepared;
  const [endpoint, second] = settings.endpoints;
  if (!endpoint || second) {
    throw new UsageError(
      `--candidate is compared with one URL, and ${settings.where} has ${settings.endpoints.length}; use one`,
    );
  }
  checkUrl(candidate, '--candidate');
  const moved = { ...endpoint, url: candidate };
  const other = flags.proxy === undefined ? moved : withProxy(moved, flags.proxy, io.env);
  checkEndpoints([other], '--candidate');
  const composition = uncompressed(compositions[0]!);
  const bases = { baseline: composition.base, candidate: baseUrl(candidate) };
  checkDistinct(bases.baseline, bases.candidate);
  const open = (base: BaseUrl, proxy: string | undefined, signal: AbortSignal): Version => ({
    composition: { ...composition, base, proxy },
    client: clientOf({ base, proxy, composition }, endpoint, prepared, signal),
  });
  return {
    baseline: addressOf(bases.baseline, settings.where),
    candidate: addressOf(bases.candidate, '--candidate'),
    endpoint,
    secrets: composition.added.flatMap(([name, value]) =>
      name === acceptEncoding ? [] : headerSecrets(value),
    ),
    open: (signal) => ({
      baseline: open(bases.baseline, composition.proxy, signal),
      candidate: open(bases.candidate, other.proxy, signal),
    }),
  };
}

/**
 * Opens a connection to each version, before anything takes effect at one of them.
 * @throws UsageError that says which cannot be reached, and why
 */
export async function checkReachable(
  { baseline, candidate }: Versions,
  opened: ReturnType<Versions['open']>,
): Promise<void> {
  const [one, other] = [opened.baseline.client.reach(), opened.candidate.client.reach()];
  const results = [
    { version: baseline, why: await one },
    { version: candidate, why: await other },
  ];
  const missing = results.filter(({ why }) => why && why.error !== 'aborted');
  if (missing.length === 0) return;
  const texts = missing.map(
    ({ version, why }) => `${version.shown} cannot be reached: ${noAnswerText(why!)}`,
  );
  const all = texts.join('; ');
  // What is known of a certificate or a proxy says what to do.
  if (!missing.some(({ why }) => mayBeStarted.has(why!.error))) {
    throw new UsageError(all, 'not_reached');
  }
  const places = missing.map(({ version }) => version.where).join(' and ');
  throw new UsageError(
    `no request was sent: ${all}; start ${missing.length > 1 ? 'both' : 'it'}, or check ${places}`,
    'not_reached',
  );
}

const mayBeStarted: ReadonlySet<string> = new Set(['refused', 'timeout', 'dns', 'reset']);

function addressOf({ url, origin, path }: BaseUrl, where: string): Address {
  if (path === undefined) return { where, url, shown: origin, path };
  return { where, url, shown: withoutQuery(url), path: url.pathname };
}

const acceptEncoding = 'Accept-Encoding';

/** So that bodies can be compared as they are; unless the user asks for something else. */
function uncompressed(composition: Composition): Composition {
  const { added } = composition;
  if (added.some(([name]) => name.toLowerCase() === 'accept-encoding')) return composition;
  return { ...composition, added: [...added, [acceptEncoding, 'identity']] };
}

function clientOf(
  { base, proxy, composition }: Pick<Composition, 'base' | 'proxy'> & { composition: Composition },
  endpoint: Endpoint,
  { settings }: Prepared,
  signal: AbortSignal,
): HandlerClient {
  const { auth, tls } = composition;
  const clientCertificate = settings.clientCertificate ?? tls?.clientCertificate;
  const ca = [...settings.ca, ...(tls?.ca ?? [])];
  return new HandlerClient({
    connector: connectorTo(base.url, {
      tls: { rejectUnauthorized: true, ca, clientCertificate },
      clock: systemClock,
      proxy,
    }),
    isTls: base.url.protocol === 'https:',
    sendsCertificate: clientCertificate !== undefined,
    timeoutMs: endpoint.timeoutMs ?? settings.timeoutMs,
    clock: systemClock,
    authorization: authorizationOf({ auth, proxy, tls }, { ca: settings.ca, clock: systemClock }),
    signal,
  });
}

/** @throws UsageError for the same address, also by another name of this machine */
function checkDistinct(baseline: BaseUrl, candidate: BaseUrl): void {
  if (identityOf(baseline) !== identityOf(candidate)) return;
  throw new UsageError(
    `--candidate: is the same address as --url, ${addressOf(candidate, '--candidate').shown}; start the other version on another port and use its URL`,
    'same_address',
  );
}

const thisMachine = new Set(['localhost', '127.0.0.1', '::1']);

function identityOf({ url, path }: BaseUrl): string {
  const host = hostOf(url);
  return [url.protocol, thisMachine.has(host) ? 'localhost' : host, url.port, path ?? ''].join(' ');
}
