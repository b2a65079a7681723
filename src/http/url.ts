import { UsageError } from '../errors.js';

/** The URL for display: without query, fragment and credentials, which may contain secrets. */
export function withoutQuery(url: URL | string): string {
  const parsed = typeof url === 'string' ? new URL(url) : url;
  return parsed.origin + parsed.pathname;
}

/** The URL as a request has it: percent-encoded, without a fragment. */
export function sentUrl(text: string): string {
  const { origin, pathname, search } = new URL(text);
  return origin + pathname + search;
}

/** The host of a URL as sockets take it, without the brackets of IPv6. */
export function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '');
}

/** The port of a URL, also where it is the usual one and left out. */
export function portOf({ protocol, port }: URL): number {
  if (port !== '') return Number(port);
  return protocol === 'https:' ? 443 : 80;
}

const useHeader = "for a webhook use -H 'Authorization: Basic …' instead";

/**
 * Checks the URL of a target; error messages begin with `where`, such as `--url`.
 *
 * @param instead what to do in place of credentials in the URL
 * @throws UsageError when `text` is not an absolute http or https URL without credentials.
 */
export function checkUrl(text: string, where: string, instead = useHeader): void {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:\/\//i.test(text)) {
    throw new UsageError(`${where}: not a valid http:// or https:// URL${hint(text)}`);
  }
  if (url.username || url.password) {
    throw new UsageError(`${where}: must not contain a user name or password; ${instead}`);
  }
}

/** `localhost:3000/hook` and `3000` are the usual mistakes; anything else may contain a secret and is not repeated. */
function hint(text: string): string {
  if (/^\d{1,5}$/.test(text)) return `; did you mean http://localhost:${text}?`;
  const bare = /^[\w.-]+(:\d+)?(\/[\w./-]*)?$/.exec(text);
  return bare ? `; did you mean http://${text}?` : '';
}
