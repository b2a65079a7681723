import type { Hypothesis } from './hypothesis.js';

/** A URL as another side may have seen it. */
export interface UrlVariant {
  readonly url: string;
  readonly hypothesis: Hypothesis;
}

const step = 'judge by the URL that the sender calls (--url)';

const changes: readonly (readonly [fact: string, change: (url: string) => string])[] = [
  ['the signed URL begins with https', (url) => url.replace(/^http:/i, 'https:')],
  ['the signed URL begins with http', (url) => url.replace(/^https:/i, 'http:')],
  ['the signed URL has no query', (url) => url.replace(/\?.*$/s, '')],
  ['the signed URL has no slash at its end', (url) => url.replace(/\/(?=\?|$)/, '')],
  ['the signed URL has a slash at its end', (url) => url.replace(/(?<!\/)(?=\?|$)/, '/')],
  ['the signed URL is only the path and the query', (url) => url.replace(/^\w+:\/\/[^/]*/, '')],
];

/** The URLs that a signer may have signed instead; none is shown, since a query may hold a secret. */
export function urlVariants(url: string): UrlVariant[] {
  return changes
    .map(([fact, change]) => ({ url: change(url), hypothesis: { fact, step } }))
    .filter((variant) => variant.url !== url);
}
