import type { ShownSettings } from '../../../src/api/serve.js';
import { spanText } from '../outcomes/span.js';

/** What an endpoint has for itself, as in the configuration file; empty without anything. */
export function settingsText({ timeoutMs, rate, ...rest }: ShownSettings): string {
  const { types, events, where, retryStatus, concurrency, proxy, auth, tls } = rest;
  const texts: readonly (readonly [key: string, value: string | number | undefined])[] = [
    ['types', types?.join(', ')],
    ['events', events?.join(', ')],
    ['where', where?.join(', ')],
    ['retryStatus', retryStatus?.join(', ')],
    ['timeout', timeoutMs === undefined ? undefined : spanText(timeoutMs)],
    ['concurrency', concurrency],
    ['rate', rate === undefined ? undefined : `${rate}/s`],
    ['proxy', proxy],
    ['auth', auth],
    ['tls', tls?.join(', ')],
  ];
  return texts
    .filter(([, value]) => value !== undefined && value !== '')
    .map(([key, value]) => `${key}: ${value}`)
    .join(' · ');
}
