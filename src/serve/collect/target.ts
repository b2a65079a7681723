/** Where a request goes. */
export interface Target {
  /** Decoded, except for characters with a meaning in a URL. */
  readonly path: string;
  /** Without its `?`. */
  readonly query: string;
}

/**
 * The target of a request, in one form for all the ways in which clients write it: a base URL that
 * ends in a slash produces a double slash, clients of proxies send the host, too, and some escape
 * more than needed. Undefined for an escape that is not valid.
 */
export function targetOf(url: string): Target | undefined {
  const [, written = '', query = ''] = parts.exec(url)!;
  const decoded = withoutEscapes(written);
  if (decoded === undefined) return undefined;
  const path = decoded.replace(/\/{2,}/g, '/');
  return { path: path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path, query };
}

export function urlOf({ path, query }: Target): string {
  return query === '' ? path : `${path}?${query}`;
}

/** The value of a part of a path. */
export function parameterOf(part: string): string {
  return decodeURIComponent(part);
}

const parts = /^(?:https?:\/\/[^/?#]+)?([^?#]*)[?#]?(.*)$/is;

function withoutEscapes(path: string): string | undefined {
  try {
    // A `%` stays escaped: otherwise a parameter would be decoded twice.
    return decodeURI(path.replaceAll('%25', '%2525'));
  } catch {
    return undefined;
  }
}
