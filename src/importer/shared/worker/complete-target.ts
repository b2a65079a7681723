import type { TargetSettings } from '../../../config/open-target.js';
import { withoutQuery } from '../../../http/url.js';
import { printable } from '../../../output/printable.js';
import { withTokenProxy } from '../../../webhook/auth.js';
import type { Endpoint, EndpointTls } from '../../../webhook/endpoint.js';
import { headerPairs } from '../../../webhook/settings.js';
import { completeSigning } from './complete-signing.js';
import { Refusal } from './refusal.js';
import { checkValue, headersCheck, queryCheck } from '../check-value.js';
import type { PlannedCollector, PlannedEndpoint, PlannedTarget, PlannedWebhooks } from '../plan.js';
import type { OwnParts } from './own-parts.js';

/**
 * The target of a plan with the worker's own parts in it. Only what the plan names is used: no header, no
 * secret and no query beyond those that the planner had.
 *
 * @throws Refusal that names what is missing, and where it goes
 */
export function completeTarget(target: PlannedTarget, own: OwnParts): TargetSettings {
  const { timeoutMs, retryWindowMs, allUrls, ignoreIntegrations } = target;
  const common = { timeoutMs, retryWindowMs, allUrls, ignoreIntegrations, ...tlsOf(target, own) };
  const completed =
    target.kind === 'webhooks'
      ? { ...webhooks(target, own), ...common }
      : { ...collector(target, own), ...common };
  if (target.usesProxy) checkHasProxy(completed, own);
  return completed;
}

/** By `--proxy env`, this worker may do without one. */
function checkHasProxy(settings: TargetSettings, own: OwnParts): void {
  const users = settings.kind === 'collector' ? [settings] : settings.endpoints;
  if (own.proxyOf || users.some(({ proxy }) => proxy !== undefined)) return;
  throw new Refusal('needs a proxy; use --proxy, or --profile with one for its URL');
}

function tlsOf(
  target: PlannedTarget,
  { ca, clientCertificate }: OwnParts,
): Pick<TargetSettings, 'ca' | 'clientCertificate'> {
  if (target.usesCa && ca.length === 0) {
    throw new Refusal('needs additional CA certificates; use --ca');
  }
  if (!target.usesClientCertificate) return { ca };
  if (clientCertificate) return { ca, clientCertificate };
  throw new Refusal('needs a client certificate; use --cert and --key');
}

/** Where a target's settings are from, in messages. */
const where = 'the plan';

function webhooks({ endpoints, signing, body, batch }: PlannedWebhooks, own: OwnParts) {
  return {
    kind: 'webhooks' as const,
    endpoints: endpoints.map((endpoint) => completeEndpoint(endpoint, own)),
    where,
    body,
    ...(batch && { batch }),
    ...(signing.length > 0 && { signing: completeSigning(signing, own) }),
  };
}

function collector(
  { endpoint, queryCheck: check, writeKeyCheck }: PlannedCollector,
  own: OwnParts,
) {
  const { writeKey } = own;
  if (writeKey === undefined) {
    throw new Refusal('needs the write key; set EVFWD_WRITE_KEY, or use --write-key or --profile');
  }
  if (checkValue(writeKey) !== writeKeyCheck) {
    throw new Refusal(
      "its write key differs from this worker's; check EVFWD_WRITE_KEY, --write-key or the profile",
    );
  }
  const whole = wholeUrl(endpoint, check, own, '--endpoint, EVFWD_ENDPOINT');
  return {
    kind: 'collector' as const,
    writeKey,
    endpoint: whole,
    proxy: proxyFor(whole, own),
    where,
  };
}

function completeEndpoint(planned: PlannedEndpoint, own: OwnParts): Endpoint {
  const url = wholeUrl(planned.url, planned.queryCheck, own, '--url, EVFWD_URL');
  const proxy = proxyFor(url, own);
  const tls = planned.usesTls && certificatesFor(planned.url, url, own);
  const auth = planned.usesAuth ? authFor(url, own) : undefined;
  return {
    ...planned.settings,
    ...{ url, headers: headersFor(planned, url, own) },
    ...(proxy !== undefined && { proxy }),
    ...(auth && { auth }),
    ...(tls && { tls }),
  };
}

/** This worker's own, whether the planner had one or not. */
function proxyFor(whole: string, own: OwnParts): string | undefined {
  if (own.proxyOf) return own.proxyOf(whole);
  return endpointsAt(whole, own).find(({ proxy }) => proxy !== undefined)?.proxy;
}

function authFor(whole: string, own: OwnParts): Endpoint['auth'] {
  const found = endpointsAt(whole, own).find(({ auth }) => auth !== undefined);
  if (found?.auth)
    return own.tokenProxyOf ? withTokenProxy(found.auth, own.tokenProxyOf) : found.auth;
  const shown = printable(withoutQuery(whole));
  throw new Refusal(`needs the auth of ${shown}; use --profile with that URL`);
}

/** Those of the profile, the one with the same query first. */
function endpointsAt(whole: string, { endpoints }: OwnParts): Endpoint[] {
  const planned = withoutQuery(whole);
  const here = endpoints.filter(({ url }) => isAt(url, planned));
  return [...here.filter(({ url }) => url === whole), ...here];
}

/** The files of a profile differ from machine to machine; a certificate of the worker itself will do, too. */
function certificatesFor(planned: string, whole: string, own: OwnParts): EndpointTls | undefined {
  const found = endpointsAt(whole, own).find(({ tls }) => tls !== undefined);
  if (found?.tls ?? own.clientCertificate) return found?.tls;
  throw new Refusal(
    `needs the certificates for ${printable(planned)}; use --profile with that URL and its tls`,
  );
}

/** The URL with its query, if it has one. */
function wholeUrl(url: string, check: string | null, own: OwnParts, sources: string): string {
  if (check === null) return url;
  const queried = own.endpoints.map((one) => one.url).filter((one) => isAt(one, url));
  const found = queried.find((one) => queryCheck(one) === check);
  if (found !== undefined) return found;
  const shown = printable(url);
  if (queried.some((one) => queryCheck(one) !== null)) {
    throw new Refusal(
      `the query of ${shown} differs from this worker's; check ${sources} or the profile`,
    );
  }
  throw new Refusal(`needs the query of ${shown}; pass the whole URL by ${sources} or a profile`);
}

type Pairs = readonly (readonly [name: string, value: string])[];

/** Those of the plan, by name; `--header` beats the URL's own in the profile. */
function headersFor(planned: PlannedEndpoint, whole: string, own: OwnParts): Pairs {
  const { url, headerNames } = planned;
  const named = [...new Set(headerNames)];
  const headers = named.flatMap((name) => {
    const pairs = ownHeaders(name, url, whole, own);
    const count = headerNames.filter((one) => one === name).length;
    if (pairs.length === count) return pairs;
    const shown = `${printable(name)} for ${printable(url)}`;
    const what =
      pairs.length === 0
        ? 'needs the header'
        : `needs ${count}, not ${pairs.length}, of the header`;
    throw new Refusal(`${what} ${shown}; use --header, or --profile with that URL`);
  });
  if (headersCheck(headers) === planned.headersCheck) return headers;
  const what =
    named.length === 1 ? 'the value of the header' : 'the value of at least one of the headers';
  throw new Refusal(
    `${what} ${named.map(printable).join(', ')} for ${printable(url)} differs from this worker's; check --header or the profile`,
  );
}

function ownHeaders(name: string, url: string, whole: string, own: OwnParts): Pairs {
  const isNamed = ([one]: Pairs[number]): boolean => one.toLowerCase() === name;
  const shared = own.headers.filter(isNamed);
  if (shared.length > 0) return shared;
  const here = own.endpoints.filter((one) => isAt(one.url, url));
  // Endpoints may differ in nothing but their queries.
  const exact = here.filter((one) => one.url === whole);
  const lists = [...exact, ...here].map(({ headers }) => headerPairs(headers).filter(isNamed));
  return lists.find((pairs) => pairs.length > 0) ?? [];
}

function isAt(url: string, planned: string): boolean {
  return URL.canParse(url) && withoutQuery(url) === planned;
}
