import type { ProbeResponse } from './exchange.js';

/** The values of a header, joined by commas; undefined if there is none. @param name in lower case */
export function headerOf({ headers }: ProbeResponse, name: string): string | undefined {
  const values = headers.filter((_, i) => i % 2 === 1 && headers[i - 1]!.toLowerCase() === name);
  return values.length === 0 ? undefined : values.join(', ');
}
