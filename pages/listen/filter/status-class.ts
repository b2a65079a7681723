import type { RequestRow } from '../../../src/api/listen.js';

/** The class of a status; `none` where a fault reset the connection or left it hanging. */
export type StatusClass = '1xx' | '2xx' | '3xx' | '4xx' | '5xx' | 'none';

export function statusClass({ response: { status } }: RequestRow): StatusClass {
  return status === null ? 'none' : (`${Math.floor(status / 100)}xx` as StatusClass);
}

/** The status, or `none`. */
export function statusText({ response: { status } }: RequestRow): string {
  return String(status ?? 'none');
}
