import { UsageError } from '../errors.js';

/** What is wrong with a request that HTTP cannot carry. */
export interface UnsendableRequest {
  readonly code: 'bad_method' | 'bad_path' | 'bad_header';
  /** One sentence without values. */
  readonly message: string;
}

/** Where requests go: a server, and the path and query if one is used for all. */
export interface BaseUrl {
  readonly url: URL;
  /** `http://host:port`, without credentials. */
  readonly origin: string;
  /** Undefined: each request keeps its own. */
  readonly path: string | undefined;
}

/**
 * @param use `own`: the URL's path is used for all also if it is `/`. Default: then each request keeps its own.
 * @throws UsageError when the URL has characters that HTTP cannot carry
 */
export function baseUrl(text: string, use: 'own' | 'recorded' = 'recorded'): BaseUrl {
  const url = new URL(text);
  const path = url.pathname + url.search;
  if (!pathForm.test(path)) throw new UsageError('a URL has characters that HTTP cannot carry');
  return { url, origin: url.origin, path: path === '/' && use === 'recorded' ? undefined : path };
}

const pathForm = /^[\x21-\x7e]+$/;
/** The absolute form, which is for proxies: sent as it is, it could lead to another host. */
const authority = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i;

/**
 * The path and query of a request line, byte for byte: `..`, `//`, `\` and escapes stay as they are, since
 * it never becomes part of a URL that is parsed.
 */
export function requestPath(method: string, recorded: string): string | UnsendableRequest {
  const path = recorded.replace(authority, '') || '/';
  if (path === '*' && method === 'OPTIONS') return path;
  const rooted = path.startsWith('?') ? `/${path}` : path;
  if (!rooted.startsWith('/')) return uncarried('its path does not begin with /');
  if (!pathForm.test(rooted)) {
    return uncarried('its path has characters that HTTP cannot carry (spaces, or outside ASCII)');
  }
  return rooted;
}

function uncarried(message: string): UnsendableRequest {
  return { code: 'bad_path', message };
}

/** A path for display: without query and fragment, which may hold secrets. */
export function shownPath(path: string): string {
  return path.replace(/[?#].*/s, '');
}
