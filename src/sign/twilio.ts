import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';

const parameter = 'bodySHA256';

/** The URL with the digest of the body in its query, in place of one that is there. */
export function urlWithBodyDigest(url: string, body: Uint8Array): string {
  const [, bare = url, fragment = ''] = /^([^#]*)(#.*)?$/s.exec(url) ?? [];
  const [path, ...rest] = bare.split('?');
  const query = rest.join('?').split('&');
  const kept = query.filter((pair) => pair !== '' && !pair.startsWith(`${parameter}=`));
  return `${path!}?${[...kept, `${parameter}=${hexDigest(body)}`].join('&')}${fragment}`;
}

/**
 * The texts of which one has to be signed: the URL as it is, and without its port or with the default
 * one, each followed by the fields of a form. None if the URL has the digest of another body, or the form
 * is not UTF-8.
 */
export function twilioContents(url: string, body: Uint8Array): string[] {
  const digest = bodyDigest(url);
  if (digest !== undefined && digest !== hexDigest(body)) return [];
  if (digest === undefined && !isUtf8Form(body)) return [];
  const fields = digest === undefined ? formText(body) : '';
  return urlForms(url).map((form) => form + fields);
}

function bodyDigest(url: string): string | undefined {
  return /[?&]bodySHA256=([^&#]*)/.exec(url)?.[1]?.toLowerCase();
}

function hexDigest(body: Uint8Array): string {
  return createHash('sha256').update(body).digest('hex');
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
  const form = new URLSearchParams(Buffer.from(body).toString());
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
