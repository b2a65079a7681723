import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';

const parameter = 'bodySHA256';

/** What Twilio signs of a request. */
export interface TwilioRequest {
  readonly url: string;
  readonly body: Uint8Array;
  /** The whole value of the header; undefined without one. */
  readonly contentType?: string | undefined;
}

/**
 * The text to be signed, and the URL to send to: of a form, the URL followed by the fields; of any other
 * body, the URL with the digest of the body in its query. A form has no digest, since receivers take a
 * request with one for JSON.
 */
export function twilioSigned({ url, body, contentType }: TwilioRequest): {
  readonly text: string;
  readonly url: string;
} {
  if (!isForm(contentType)) {
    const withDigest = urlWithBodyDigest(url, body);
    return { text: withDigest, url: withDigest };
  }
  const bare = bodyDigest(url) === undefined ? url : withDigestPairs(url, []);
  return { text: bare + formText(body), url: bare };
}

/**
 * The texts of which one has to be signed: the URL as it is, and without its port or with the default
 * one, each followed by the fields of a form. None if the URL has the digest of another body, or the form
 * is not UTF-8, or `lacksDigest`.
 */
export function twilioContents(request: TwilioRequest): string[] {
  const { url, body } = request;
  const digest = bodyDigest(url);
  if (digest !== undefined) return digest === hexDigest(body) ? urlForms(url) : [];
  if (!mayBeForm(request) || !isUtf8Form(body)) return [];
  const fields = formText(body);
  return urlForms(url).map((form) => form + fields);
}

/**
 * Whether nothing binds the body to the URL: it is no form, and the URL has no digest. If its bytes were
 * read as the fields of a form all the same, the signature of a form would be valid for JSON.
 */
export function lacksDigest(request: TwilioRequest): boolean {
  return bodyDigest(request.url) === undefined && !mayBeForm(request);
}

/** The URL with the digest of the body in its query, in place of one that is there. */
export function urlWithBodyDigest(url: string, body: Uint8Array): string {
  return withDigestPairs(url, [`${parameter}=${hexDigest(body)}`]);
}

/** @param pairs in place of the one that is there */
function withDigestPairs(url: string, pairs: readonly string[]): string {
  const [, bare = url, fragment = ''] = /^([^#]*)(#.*)?$/s.exec(url) ?? [];
  const [path, ...rest] = bare.split('?');
  const all = rest.join('?').split('&');
  const others = all.filter((pair) => pair !== '' && !pair.startsWith(`${parameter}=`));
  const query = [...others, ...pairs].join('&');
  return `${path!}${query === '' ? '' : `?${query}`}${fragment}`;
}

function bodyDigest(url: string): string | undefined {
  return /[?&]bodySHA256=([^&#]*)/.exec(url)?.[1]?.toLowerCase();
}

function hexDigest(body: Uint8Array): string {
  return createHash('sha256').update(body).digest('hex');
}

/** By the media type alone. With a comma there are two, since libraries join headers so. */
function isForm(contentType: string | undefined): boolean {
  return /^[ \t]*application\/x-www-form-urlencoded[ \t]*(?:;[^,]*)?$/i.test(contentType ?? '');
}

/** Of a received request: without a Content-Type any body is a form, unless it begins as JSON. */
function mayBeForm({ body, contentType }: TwilioRequest): boolean {
  if (contentType !== undefined) return isForm(contentType);
  return !/^\s*[{[]/.test(Buffer.from(body).toString());
}

/** Bytes that are not UTF-8, escaped or not, would all be read as the same character. */
function isUtf8Form(body: Uint8Array): boolean {
  const text = Buffer.from(body).toString('latin1');
  const unescaped = text.replace(/%([\da-f]{2})/gi, (_, digits: string) =>
    String.fromCharCode(parseInt(digits, 16)),
  );
  return isUtf8(body) && isUtf8(Buffer.from(unescaped, 'latin1'));
}

/** Names and values of a form, joined with nothing: sorted by name, each value once. */
function formText(body: Uint8Array): string {
  // A question mark at its beginning would be left out: it belongs to the first name.
  const form = new URLSearchParams(`&${Buffer.from(body).toString()}`);
  const names = [...new Set(form.keys())].sort();
  return names
    .flatMap((name) => [...new Set(form.getAll(name))].sort().map((value) => name + value))
    .join('');
}

/** Senders differ in whether they sign a port: the URL without the one it has, or with the default one. */
function urlForms(url: string): string[] {
  const form = /^(https?:)(\/\/(?:[^/?#@]*@)?(?:\[[^\]]*\]|[^/?#:@]*))(:\d*)?([/?#].*)?$/is;
  const match = form.exec(url);
  if (!match) return [url];
  const [, scheme = '', host = '', port, rest = ''] = match;
  const defaultPort = scheme.toLowerCase() === 'https:' ? ':443' : ':80';
  return [url, `${scheme}${host}${port === undefined ? defaultPort : ''}${rest}`];
}
