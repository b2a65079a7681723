import type { RequestDetail } from '../../../src/api/listen.js';

/** The value of the header; undefined without one. */
export function contentTypeOf({ headers }: Pick<RequestDetail, 'headers'>): string | undefined {
  return headers.find(([name]) => name.toLowerCase() === 'content-type')?.[1];
}
