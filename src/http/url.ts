import { UsageError } from '../errors.js';

/** The URL as people may see it: without query, fragment and credentials, which may hold secrets. */
export function withoutQuery(url: URL | string): string {
  const parsed = typeof url === 'string' ? new URL(url) : url;
  return parsed.origin + parsed.pathname;
}

/**
 * Checks the URL of a target; `where` begins the error, like `--url`.
 * @throws UsageError when `text` is not an absolute http or https URL without credentials.
 */
export function checkUrl(text: string, where: string): void {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:\/\//i.test(text)) {
    throw new UsageError(`${where}: not a URL with its http:// or https:// protocol${hint(text)}`);
  }
  if (url.username || url.password) {
    throw new UsageError(
      `${where}: holds a user name or password, which a URL cannot send; take them out (a webhook takes -H 'Authorization: Basic …')`,
    );
  }
}

/** `localhost:3000/hook` is the usual slip; anything else may hold a secret and is not repeated. */
function hint(text: string): string {
  const bare = /^[\w.-]+(:\d+)?(\/[\w./-]*)?$/.exec(text);
  return bare ? `; did you mean http://${text}?` : '';
}
