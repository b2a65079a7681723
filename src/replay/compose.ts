import { fixedAuthorization } from '../webhook/auth.js';
import type { EndpointAuth } from '../webhook/endpoint.js';
import type { EndpointTls } from '../webhook/endpoint.js';
import { headerValues, isHeaderName, isHeaderValue, isHopByHop } from '../http/header-rules.js';
import { requestPath, type BaseUrl, type UnsendableRequest } from './path.js';
import type { RecordedRequest } from './recorded-request.js';

type Pair = readonly [name: string, value: string];

/** What is made of every recorded request for one URL. */
export interface Composition {
  readonly base: BaseUrl;
  /** URL of the HTTP proxy in front of it. Default: none. */
  readonly proxy?: string | undefined;
  /** Of its requests, in place of a recorded one. Default: none. */
  readonly auth?: EndpointAuth | undefined;
  /** Headers that are added, or replace recorded ones of the same name. */
  readonly added: readonly Pair[];
  /** Names, in lower case, of recorded headers that are left out. */
  readonly dropped: ReadonlySet<string>;
  /** Certificates of this URL alone. */
  readonly tls?: EndpointTls;
}

/** With the `Authorization` of an endpoint in place of a recorded one, unless a header is added in its place. */
export function withAuth(
  composition: Omit<Composition, 'auth'>,
  auth: EndpointAuth | undefined,
): Composition {
  const { added, dropped } = composition;
  if (!auth || added.some(([name]) => name.toLowerCase() === authorization)) return composition;
  const value = fixedAuthorization(auth);
  return value === undefined
    ? { ...composition, auth, dropped: new Set([...dropped, authorization]) }
    : { ...composition, auth, added: [...added, ['Authorization', value]] };
}

const authorization = 'authorization';

/** A request to one URL as it is sent, but for its signature. */
export interface ComposedRequest {
  readonly method: string;
  /** Path and query of the request line. */
  readonly path: string;
  readonly host: string;
  /** Without Host, Content-Length and those of the connection. */
  readonly headers: readonly Pair[];
}

/** What is sent of a recorded request, or why HTTP cannot carry it. */
export function compose(
  { method, path, headers }: RecordedRequest,
  { base, added, dropped }: Composition,
): ComposedRequest | UnsendableRequest {
  if (!isHeaderName(method)) return badMethod('its method has characters that HTTP cannot carry');
  if (method.toUpperCase() === 'CONNECT') return badMethod('CONNECT asks a proxy for a tunnel');
  const target = base.path ?? requestPath(method, path);
  if (typeof target !== 'string') return target;
  const names = new Set(added.map(([name]) => name.toLowerCase()));
  const kept: Pair[] = [];
  for (let i = 0; i < headers.length; i += 2) {
    const [name, value] = [headers[i]!, headers[i + 1]!];
    const lower = name.toLowerCase();
    if (dropped.has(lower) || names.has(lower) || isHopByHop(name, headers)) continue;
    if (!isHeaderName(name) || !isHeaderValue(value)) return badHeader;
    kept.push([name, value]);
  }
  const host = added.find(isHost)?.[1] ?? base.url.host;
  return {
    ...{ method, path: target, host },
    headers: [...kept, ...added.filter((pair) => !isHost(pair))],
  };
}

/** Whether recorded credentials would go to another host than they were recorded at. */
export function sendsCredentialsToOtherHost(
  { headers }: RecordedRequest,
  { base, added, dropped }: Composition,
): boolean {
  const isReplaced = (name: string): boolean =>
    dropped.has(name) || added.some((pair) => pair[0].toLowerCase() === name);
  const goAlong = credentialHeaders.some(
    (name) => !isReplaced(name) && headerValues(headers, name).length > 0,
  );
  if (!goAlong) return false;
  return hostOf(headerValues(headers, 'host')[0] ?? '', base) !== base.url.host;
}

/** A recorded host without the default port of the protocol, to be compared. */
function hostOf(recorded: string, { url }: BaseUrl): string {
  const text = `${url.protocol}//${recorded}`;
  return URL.canParse(text) ? new URL(text).host : recorded;
}

/** What the warning is about. */
const credentialHeaders = ['authorization', 'cookie'];
const credentialForm =
  /auth|cookie|token|secret|signature|passw|key|jwt|assertion|hmac|credential|session|^(?:sig|code)$/i;

/** Values of a request that must not be shown where a response repeats them. */
export function requestSecrets({ headers, path }: ComposedRequest): string[] {
  const values = headers.filter(([name]) => credentialForm.test(name)).map(([, value]) => value);
  const query = path.includes('?') ? path.slice(path.indexOf('?') + 1) : '';
  return [...values, ...query.split('&').flatMap(secretOf)].filter((value) => value !== '');
}

/** Shorter values occur in any text; they are secrets only under the name of one. */
const minQueryLength = 6;

/** The value of a part of a query; one without a name is a value itself. */
function secretOf(part: string): string[] {
  const sign = part.indexOf('=');
  const value = part.slice(sign + 1);
  const isNamed = credentialForm.test(part.slice(0, Math.max(sign, 0)));
  return isNamed || value.length >= minQueryLength ? [value] : [];
}

export function isHost([name]: Pair): boolean {
  return name.toLowerCase() === 'host';
}

function badMethod(message: string): UnsendableRequest {
  return { code: 'bad_method', message };
}

const badHeader: UnsendableRequest = {
  code: 'bad_header',
  message: 'a header has characters that HTTP cannot carry; --drop-header leaves it out',
};
