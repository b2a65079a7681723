import { isUtf8 } from 'node:buffer';
import { isAbsolute, relative } from 'node:path';
import { durationInWords } from '../../duration.js';
import { bodilessMethods } from '../../http/header-rules.js';
import { proxyInUse } from '../../http/open-connector.js';
import { shownProxy } from '../../http/proxy/proxy-url.js';
import { sentUrl, withoutQuery } from '../../http/url.js';
import { countOf } from '../../output/numbers.js';
import { curlHeader, shellArgument, shellWord } from '../../output/shell.js';
import { decoded, safeWord } from '../../output/shell-text.js';
import type { SigningSettings } from '../../sign/request-signer.js';
import { shownAuthorization } from '../../webhook/auth.js';
import type { EndpointAuth, EndpointTlsFiles } from '../../webhook/endpoint.js';
import type { Io } from '../shared/command.js';
import { print, say } from '../shared/output.js';
import type { TargetFlags } from '../shared/target-flags.js';

/** A header of a request that is shown. */
export interface PreviewedHeader {
  readonly name: string;
  readonly value: string;
  /** Shown as `***`: a header of the user may be a secret. */
  readonly isSecret: boolean;
  /** Whether its value names a variable, which the shell expands. */
  readonly isExpanded?: true;
}

/** A request that is shown instead of sent. */
export interface PreviewedRequest {
  /** Default POST. */
  readonly method?: string;
  readonly url: string;
  readonly headers: readonly PreviewedHeader[];
  readonly body: Buffer;
  /** The file that has the body, for curl; absent: the command has it. */
  readonly bodyFile?: string | undefined;
  /** URL of the HTTP proxy that it goes through; curl gets user and password from the environment. */
  readonly proxy?: string | undefined;
  /** Certificates of its endpoint; those of flags come first. */
  readonly tls?: EndpointTlsFiles | undefined;
  /** The write key of a collector, which curl gets from the environment. */
  readonly needsWriteKey?: boolean;
}

export interface PreviewFlags extends Pick<TargetFlags, 'ca' | 'cert' | 'key' | 'quiet'> {
  curl?: boolean;
  json?: boolean;
}

/** Prints what `send` would send: `--dry-run` as text or JSON, `--curl` as a command. */
export function showRequests(
  requests: readonly PreviewedRequest[],
  signing: readonly SigningSettings[],
  flags: PreviewFlags,
  io: Io,
): void {
  const curl = (request: PreviewedRequest) => asCurl(request, flags, io.cwd);
  const show = flags.curl ? curl : flags.json ? asJson : asText;
  for (const request of requests) print(io, show(request));
  if (!flags.curl || flags.quiet) return;
  noteTime(signing, io);
  if (flags.ca !== undefined && requests.some(({ tls }) => tls?.ca !== undefined))
    say(io, 'curl trusts one file: for --ca, too, put its certificates into that of tls.ca');
}

export function plainHeader([name, value]: readonly [string, string]): PreviewedHeader {
  return { name, value, isSecret: false };
}

export function secretHeader([name, value]: readonly [string, string]): PreviewedHeader {
  return { name, value, isSecret: true };
}

/** curl gets the token from the environment. */
export function authorizationHeader(auth: EndpointAuth): PreviewedHeader {
  const value = shownAuthorization(auth);
  return { name: 'Authorization', value, isSecret: true, isExpanded: true };
}

/** A command is run later than it is printed, and a receiver may refuse an old signature. */
function noteTime(signing: readonly SigningSettings[], io: Io): void {
  for (const { scheme } of signing) {
    if (!scheme.timestamp || scheme.toleranceMs === undefined) continue;
    say(
      io,
      `valid for ${durationInWords(scheme.toleranceMs)}: ${scheme.name} signs the time; after that, print the command again`,
    );
  }
}

/** The URL with its query replaced by `***`. */
function shownUrl(url: string): string {
  return withoutQuery(url) + (new URL(url).search ? '?***' : '');
}

function shownHeaders({ headers, needsWriteKey }: PreviewedRequest): [string, string][] {
  const shown = headers.map(({ name, value, isSecret }): [string, string] => [
    name,
    isSecret ? '***' : value,
  ]);
  return needsWriteKey ? [...shown, ['Authorization', '***']] : shown;
}

function asText(request: PreviewedRequest): string {
  const { method = 'POST', url, body } = request;
  const headers = shownHeaders(request).map(([name, value]) => `${name}: ${value}`);
  const text = isUtf8(body)
    ? body.toString('utf8')
    : `(${countOf(body.length, 'byte')}, not text in UTF-8)`;
  return [`${method} ${shownUrl(url)}`, ...headers, '', text].join('\n');
}

function asJson(request: PreviewedRequest): string {
  const { method = 'POST', url, body } = request;
  return JSON.stringify({
    type: 'request',
    method,
    url: shownUrl(url),
    headers: Object.fromEntries(shownHeaders(request)),
    ...(isUtf8(body) ? { body: body.toString('utf8') } : { bodyBase64: body.toString('base64') }),
  });
}

function asCurl(request: PreviewedRequest, flags: PreviewFlags, cwd: string): string {
  const { url, headers, needsWriteKey } = request;
  const files = filesFor(request, flags, cwd);
  // -g: brackets and braces of a URL are literal, not patterns of curl.
  const words = [`curl -g ${methodWord(request)}`, shellWord(sentUrl(url))];
  words.push(...certificateFlags(files), ...proxyFlags(request, files));
  for (const { name, value, isExpanded } of headers)
    words.push(`-H ${isExpanded ? `"${name}: ${value}"` : curlHeader(name, value)}`);
  if (needsWriteKey) words.push('-u "$EVFWD_WRITE_KEY:"');
  return withBody(words, request);
}

/** After `-X HEAD` curl would wait for a body. */
function methodWord({ method = 'POST', body }: PreviewedRequest): string {
  return method === 'HEAD' && body.length === 0 ? '--head' : `-X ${shellArgument(method)}`;
}

function withBody(words: readonly string[], request: PreviewedRequest): string {
  const { method = 'POST', body, bodyFile } = request;
  if (body.length === 0 && bodilessMethods.has(method.toUpperCase())) return words.join(' ');
  // A text that begins with @ would be the name of a file.
  const word = body[0] === at ? undefined : safeWord(body);
  const data = bodyFile === undefined ? word : shellWord(`@${bodyFile}`);
  if (data !== undefined) return [...words, `--data-binary ${data}`].join(' ');
  return `${decoded(body)} | ${[...words, '--data-binary @-'].join(' ')}`;
}

const at = 0x40;

/** curl makes a tunnel to an `https:` URL only, unless it is told to. */
function proxyFlags({ url, proxy: set }: PreviewedRequest, { ca }: EndpointTlsFiles): string[] {
  const target = new URL(url);
  const proxy = proxyInUse(target, set);
  if (proxy === undefined) return [];
  const { username, password, protocol } = new URL(proxy);
  const words = [`--proxy ${shellWord(shownProxy(proxy))}`];
  if (target.protocol === 'http:') words.push('--proxytunnel');
  if (username !== '' || password !== '') words.push('--proxy-user "$PROXY_USER"');
  if (protocol === 'https:' && ca !== undefined) words.push(`--proxy-cacert ${shellWord(ca)}`);
  return words;
}

/** A pair of `--cert` and `--key` is sent in place of that of the endpoint; of authorities, curl takes one file. */
function filesFor(
  { tls = {} }: PreviewedRequest,
  flags: PreviewFlags,
  cwd: string,
): EndpointTlsFiles {
  const ca = tls.ca === undefined ? flags.ca : pathFrom(cwd, tls.ca);
  const authority = ca !== undefined && { ca };
  if (flags.cert !== undefined && flags.key !== undefined)
    return { ...authority, cert: flags.cert, key: flags.key };
  const { cert, key, isKeyEncrypted } = tls;
  if (cert === undefined || key === undefined) return { ...authority };
  const pair = { cert: pathFrom(cwd, cert), key: pathFrom(cwd, key) };
  return { ...authority, ...pair, ...(isKeyEncrypted && { isKeyEncrypted }) };
}

/** Relative within the folder. */
function pathFrom(folder: string, path: string): string {
  const inside = relative(folder, path);
  return inside.startsWith('..') || isAbsolute(inside) ? path : inside;
}

/** With `--cacert`, curl trusts this file instead of its own list. */
function certificateFlags({ ca, cert, key, isKeyEncrypted }: EndpointTlsFiles): string[] {
  const files = { '--cacert': ca, '--cert': cert, '--key': key };
  const words = Object.entries(files).flatMap(([name, path]) =>
    path === undefined ? [] : [`${name} ${shellWord(path)}`],
  );
  return isKeyEncrypted ? [...words, '--pass "$KEY_PASSPHRASE"'] : words;
}
