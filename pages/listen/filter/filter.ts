import type { RequestRow, SignatureVerdict } from '../../../src/api/listen.js';
import { differs } from '../../shared/view/narrowed.js';
import { statusClass, type StatusClass } from './status-class.js';

/** What requests must match to be listed; undefined matches all. */
export interface Filter {
  /** Found anywhere in name, user, path or messageId, in any case. */
  readonly text: string;
  /** Null: requests without a recognized type. */
  readonly type: string | null | undefined;
  /** Found anywhere in the user, in any case. */
  readonly user: string;
  readonly signature: SignatureVerdict | undefined;
  /** `fault`: requests to which a fault was applied. */
  readonly response: StatusClass | 'fault' | undefined;
}

export const noFilter: Filter = {
  text: '',
  type: undefined,
  user: '',
  signature: undefined,
  response: undefined,
};

export function isNarrowed(filter: Filter): boolean {
  return differs(filter, noFilter);
}

/** The test of a filter. */
export function matcher(filter: Filter): (row: RequestRow) => boolean {
  const text = filter.text.trim().toLowerCase();
  const user = filter.user.trim().toLowerCase();
  return (row) =>
    (filter.type === undefined || row.type === filter.type) &&
    (filter.signature === undefined || row.signature === filter.signature) &&
    (filter.response === undefined || hasResponse(row, filter.response)) &&
    (user === '' || holds(row.user, user)) &&
    (text === '' || [row.name, row.user, row.path, row.messageId].some((t) => holds(t, text)));
}

function hasResponse(row: RequestRow, response: StatusClass | 'fault'): boolean {
  return response === 'fault' ? row.fault !== null : statusClass(row) === response;
}

function holds(text: string | null, part: string): boolean {
  return text?.toLowerCase().includes(part) ?? false;
}
