import { connectionHeaders, isHeaderName } from '../http/header-rules.js';
import type { SchemeSection } from './schema.js';

/** Reports a problem of a part of a scheme. */
export type Refuse = (path: readonly string[], problem: string) => never;

/** Headers of requests that HTTP or evfwd gives a meaning. */
const taken = new Set([
  ...connectionHeaders,
  'accept',
  'accept-encoding',
  'content-encoding',
  'content-type',
  'cookie',
  'date',
  'host',
  'origin',
  'referer',
  'trailers',
  'user-agent',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
]);

/** Checks the names of the headers of a scheme, which must be free and differ. */
export function checkSchemeHeaders(section: SchemeSection, refuse: Refuse): void {
  const names: [path: string[], name: string | undefined][] = [
    [['header'], section.header],
    [['timestamp', 'header'], section.timestamp?.header],
    [['id', 'header'], section.id?.header],
  ];
  const seen = new Set<string>();
  for (const [path, name] of names) {
    if (name === undefined) continue;
    const lower = name.toLowerCase();
    if (!isHeaderName(name)) {
      refuse(path, 'is not a name of a header; use letters, digits and dashes');
    }
    if (taken.has(lower)) refuse(path, 'is a header of HTTP or of evfwd; choose another');
    if (seen.has(lower)) refuse(path, 'is used twice in this scheme; choose another');
    seen.add(lower);
  }
}
