import type { Outgoing } from '../../delivery/target.js';
import { eventBatch } from '../../collector/batch.js';
import { collectorUrl } from '../../collector/endpoint.js';
import { sentUrl, withoutQuery } from '../../http/url.js';
import { durationInWords } from '../../duration.js';
import { version } from '../../version.js';
import { bodyOf } from '../../webhook/body.js';
import { fixedHeaders } from '../../webhook/request.js';
import { Signing } from '../../webhook/signing.js';
import { checkEndpoints, headerPairs } from '../../webhook/settings.js';
import { curlHeader, shellWord } from '../../output/shell.js';
import type { Io } from '../shared/command.js';
import { print, say } from '../shared/flags.js';
import type { TargetFlags } from '../shared/target-flags.js';
import type { TargetSettings } from '../../config/open-target.js';

interface Header {
  readonly name: string;
  readonly value: string;
  /** Shown as `***`: a header of the user may be a secret. */
  readonly isSecret: boolean;
}

interface Request {
  readonly url: string;
  readonly headers: readonly Header[];
  readonly body: Buffer;
  /** The write key of a collector, which curl gets from the environment. */
  readonly needsWriteKey: boolean;
}

interface PreviewFlags extends Pick<TargetFlags, 'ca' | 'cert' | 'key' | 'quiet'> {
  curl?: boolean;
  json?: boolean;
}

/** Prints what `send` would send: `--dry-run` as text or JSON, `--curl` as a command. */
export function previewRequests(
  settings: TargetSettings,
  outgoing: Outgoing,
  flags: PreviewFlags,
  io: Io,
): void {
  const curl = (request: Request) => asCurl(request, flags);
  const show = flags.curl ? curl : flags.json ? asJson : asText;
  for (const request of requestsTo(settings, outgoing)) print(io, show(request));
  if (flags.curl && !flags.quiet) noteTime(settings, io);
}

/** A command is run later than it is printed, and a receiver may refuse an old signature. */
function noteTime(settings: TargetSettings, io: Io): void {
  const signing = settings.kind === 'webhooks' ? (settings.signing ?? []) : [];
  for (const { scheme } of signing) {
    if (!scheme.timestamp || scheme.toleranceMs === undefined) continue;
    say(
      io,
      `valid for ${durationInWords(scheme.toleranceMs)}: ${scheme.name} signs the time; after that, print the command again`,
    );
  }
}

function requestsTo(settings: TargetSettings, { event, stamp }: Outgoing): Request[] {
  if (settings.kind === 'collector') {
    const body = eventBatch(event, stamp, Date.now());
    const headers = [
      plain('User-Agent', `evfwd/${version}`),
      plain('Content-Type', 'application/json'),
    ];
    return [
      { url: collectorUrl(settings.endpoint, settings.where), headers, body, needsWriteKey: true },
    ];
  }
  checkEndpoints(settings.endpoints, settings.where);
  const body = bodyOf(settings.body ?? 'webhook', event, stamp);
  const { endpoints, where } = settings;
  const signing = new Signing(
    { settings: settings.signing ?? [], endpoints, now: Date.now },
    where,
  );
  return endpoints.map((endpoint, index) => {
    const given = headerPairs(endpoint.headers).map(([name, value]) => secret(name, value));
    const own = fixedHeaders({ url: endpoint.url }).map((pair) => plain(...pair));
    const signed = signing.request(body, stamp.messageId, index);
    const headers = [...own, ...given, ...signed.headers.map((pair) => plain(...pair))];
    return { url: signed.url ?? endpoint.url, headers, body, needsWriteKey: false };
  });
}

function plain(name: string, value: string): Header {
  return { name, value, isSecret: false };
}

function secret(name: string, value: string): Header {
  return { name, value, isSecret: true };
}

/** The URL with its query replaced by `***`. */
function shownUrl(url: string): string {
  return withoutQuery(url) + (new URL(url).search ? '?***' : '');
}

function shownHeaders(request: Request): [string, string][] {
  const headers = request.headers.map(({ name, value, isSecret }): [string, string] => [
    name,
    isSecret ? '***' : value,
  ]);
  return request.needsWriteKey ? [...headers, ['Authorization', '***']] : headers;
}

function asText(request: Request): string {
  const headers = shownHeaders(request).map(([name, value]) => `${name}: ${value}`);
  return [`POST ${shownUrl(request.url)}`, ...headers, '', request.body.toString('utf8')].join(
    '\n',
  );
}

function asJson(request: Request): string {
  return JSON.stringify({
    type: 'request',
    method: 'POST',
    url: shownUrl(request.url),
    headers: Object.fromEntries(shownHeaders(request)),
    body: request.body.toString('utf8'),
  });
}

function asCurl({ url, headers, body, needsWriteKey }: Request, flags: PreviewFlags): string {
  // -g: brackets and braces of a URL are literal, not patterns of curl.
  const words = ['curl -g -X POST', shellWord(sentUrl(url))];
  words.push(...certificateFlags(flags));
  for (const { name, value } of headers) words.push(`-H ${curlHeader(name, value)}`);
  if (needsWriteKey) words.push('-u "$EVFWD_WRITE_KEY:"');
  words.push(`--data-binary ${shellWord(body.toString('utf8'))}`);
  return words.join(' ');
}

/** With `--cacert`, curl trusts this file instead of its own list. */
function certificateFlags({ ca, cert, key }: PreviewFlags): string[] {
  const files = { '--cacert': ca, '--cert': cert, '--key': key };
  return Object.entries(files).flatMap(([name, path]) =>
    path === undefined ? [] : [`${name} ${shellWord(path)}`],
  );
}
