import { UsageError } from '../../errors.js';

const encodingHint =
  'write special characters of a password percent-encoded (@ as %40, / as %2F, # as %23, ? as %3F)';

/**
 * Checks the URL of an HTTP proxy; error messages begin with `where`, and never show the value.
 *
 * @throws UsageError unless it is `http://` or `https://`, with perhaps a user and a password, and nothing behind the port
 */
export function checkProxyUrl(text: string, where: string): void {
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(text)?.[1]?.toLowerCase();
  if (scheme?.startsWith('socks')) {
    throw new UsageError(
      `${where}: SOCKS proxies are not supported; use an http:// or https:// proxy`,
    );
  }
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || (scheme !== 'http' && scheme !== 'https')) {
    throw new UsageError(`${where}: not a valid http:// or https:// URL of a proxy${hint(text)}`);
  }
  if (url.pathname !== '/' || url.search || url.hash) {
    throw new UsageError(
      `${where}: a proxy is only scheme, host and port, such as http://proxy.local:3128; ${encodingHint}`,
    );
  }
  if (credentialsOf(url) === undefined) {
    throw new UsageError(
      `${where}: user or password are not valid percent-encoding; write % as %25`,
    );
  }
}

/** `proxy.local:3128` and a raw `/` in a password are the usual mistakes; what may have a password is not repeated. */
function hint(text: string): string {
  if (/^https?:\/\/.*@/i.test(text)) return `; ${encodingHint}`;
  if (!/^[\w.-]+:\d{1,5}\/?$/.test(text)) return '';
  return `; did you mean http://${text}?`;
}

/** The proxy for display, without user and password: `http://proxy.local:3128`. */
export function shownProxy(text: string): string {
  return new URL(text).origin;
}

/** The value of `Proxy-Authorization`, of a URL that was checked; undefined without user and password. */
export function proxyAuthorization(url: URL): string | undefined {
  if (url.username === '' && url.password === '') return undefined;
  return `Basic ${Buffer.from(credentialsOf(url)!).toString('base64')}`;
}

/** `user:password`, decoded; undefined if that is not possible. */
function credentialsOf({ username, password }: URL): string | undefined {
  try {
    return `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  } catch {
    return undefined;
  }
}

/** The options of undici's `ProxyAgent`. @param tls of both connections */
export function tunnelsThrough<Tls extends object>(proxy: string, tls: Tls) {
  const token = proxyAuthorization(new URL(proxy));
  const uri = shownProxy(proxy);
  return { uri, ...(token !== undefined && { token }), requestTls: tls, proxyTls: tls };
}
