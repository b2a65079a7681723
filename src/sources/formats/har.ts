import { UsageError } from '../../errors.js';
import { isBase64 } from '../../json/base64.js';
import { isObject } from '../../json/is-object.js';

type Fields = Readonly<Record<string, unknown>>;

/** Whether a file that begins so is a HAR file. */
export function isHar(beginning: Buffer): boolean {
  return /^(?:\xef\xbb\xbf)?\s*\{\s*"log"\s*:\s*\{/.test(beginning.toString('latin1'));
}

/** It is parsed as a whole. */
export const maxHarBytes = 256 * 1024 * 1024;

export function tooLargeHar(name: string): UsageError {
  return new UsageError(`${name}: is a HAR file above 256 MiB; export fewer entries`);
}

/** The entries of a HAR file. @throws UsageError when it is damaged */
export function parseHar(name: string, text: Buffer): readonly unknown[] {
  let file: unknown;
  try {
    file = JSON.parse(text.toString('utf8').replace(/^\uFEFF/, ''));
  } catch (cause) {
    const message = `${name}: is a HAR file that is damaged or cut off; ${exportAgain}`;
    throw new UsageError(message, 'bad_har', { cause });
  }
  const entries = harEntries(file);
  if (entries) return entries;
  throw new UsageError(
    `${name}: is a HAR file without requests (it has no list "log.entries"); ${exportAgain}`,
    'bad_har',
  );
}

/** The entries of a parsed HAR file; undefined if it is none. */
function harEntries(file: unknown): readonly unknown[] | undefined {
  const log = isObject(file) ? file.log : undefined;
  const entries = isObject(log) ? log.entries : undefined;
  return Array.isArray(entries) ? entries : undefined;
}

/** A capture, as an object to be encoded, or why the entry cannot be sent. */
export type HarCapture = { readonly capture: Fields } | { readonly unusable: string };

/** The code of an entry that is `unusable`. */
export const badHarEntry = 'bad_har_entry';

/** What to do where a file lacks something. */
export const exportAgain =
  'export it again with content: in the network tab of a browser, "Save all as HAR with content"';

/** @param number of the entry in its file, from 1; with its time it is the id of the capture */
export function captureOfEntry(entry: unknown, number: number): HarCapture {
  const { request, response, startedDateTime } = fieldsOf(entry);
  const { method, url, headers } = fieldsOf(request);
  const place = `entry ${number}`;
  if (typeof method !== 'string') {
    return { unusable: `${place}: has no request with a method; ${exportAgain}` };
  }
  const target = typeof url === 'string' ? splitUrl(url) : undefined;
  if (!target) {
    const why = 'its URL is not an http:// or https:// URL; leave it out';
    return { unusable: `${place}, ${shown(method)}: ${why}` };
  }
  const body = requestBody(fieldsOf(request));
  if ('unusable' in body) {
    const { scheme, host, path } = target;
    const sent = `${shown(method)} ${shown(`${scheme}${host}${path.replace(/\?.*/s, '')}`)}`;
    return { unusable: `${place}, ${sent}: ${body.unusable}; ${exportAgain}` };
  }
  const capture = {
    type: 'request',
    id: `${typeof startedDateTime === 'string' ? startedDateTime : ''}#${number}`,
    receivedAt: startedDateTime,
    method,
    path: target.path,
    headers: { host: target.host, ...headersOf(headers) },
    ...body,
    ...responseOf(fieldsOf(response)),
  };
  return { capture };
}

function shown(text: string): string {
  return text.length <= maxShown ? text : `${text.slice(0, maxShown)}…`;
}

/** Characters of a method or URL in a message. */
const maxShown = 200;

function fieldsOf(value: unknown): Fields {
  return isObject(value) ? value : {};
}

/** By its text, since parsing a URL would change its path. A fragment is never sent. */
function splitUrl(url: string): { scheme: string; host: string; path: string } | undefined {
  const parts = /^(https?:\/\/)([^/?#]+)([^#]*)/i.exec(url);
  if (!parts) return undefined;
  const [, scheme = '', authority = '', rest = ''] = parts;
  const path = rest.startsWith('/') ? rest : `/${rest}`;
  return { scheme, host: authority.slice(authority.lastIndexOf('@') + 1), path };
}

/** Names as recorded; those of HTTP/2 that begin with a colon are no headers. */
function headersOf(headers: unknown): Record<string, string[]> {
  const found = Object.create(null) as Record<string, string[]>;
  for (const header of Array.isArray(headers) ? headers : []) {
    const { name, value } = fieldsOf(header);
    if (typeof name !== 'string' || typeof value !== 'string') continue;
    if (name.startsWith(':')) continue;
    (found[name.toLowerCase()] ??= []).push(value);
  }
  return found;
}

type Body = { readonly body: string } | { readonly bodyBase64: string };

function requestBody({ postData, bodySize }: Fields): Body | { readonly unusable: string } {
  const { text, encoding, params } = fieldsOf(postData);
  if (typeof text === 'string' && text !== '') return contentOf(text, encoding);
  const hasParams = Array.isArray(params) && params.length > 0;
  if (!hasParams && !(typeof bodySize === 'number' && bodySize > 0)) return { body: '' };
  return { unusable: 'the file does not have the body that was sent' };
}

function contentOf(text: string, encoding: unknown): Body | { readonly unusable: string } {
  if (encoding !== 'base64') return { body: text };
  if (isBase64(text)) return { bodyBase64: text };
  return { unusable: 'the body is not the base64 that its encoding says' };
}

/** Browsers write the status 0 where there was no response. */
function responseOf({ status, content }: Fields): { response?: Fields } {
  if (typeof status !== 'number' || status < 100) return {};
  const { text, encoding } = fieldsOf(content);
  const body = typeof text === 'string' ? contentOf(text, encoding) : {};
  return { response: { status, ...('unusable' in body ? {} : body) } };
}
