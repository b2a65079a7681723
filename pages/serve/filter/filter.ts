import type { EventAtDestination, EventState } from '../../../src/api/serve.js';

/** What outcomes must match to be listed; undefined matches all. */
export interface Filter {
  /** Found anywhere in messageId, user, name, type, code or message, in any case. */
  readonly search: string;
  readonly source: string | undefined;
  readonly destination: string | undefined;
  readonly state: EventState | undefined;
  readonly type: string | undefined;
}

export const noFilter: Filter = {
  search: '',
  source: undefined,
  destination: undefined,
  state: undefined,
  type: undefined,
};

export function isNarrowed(filter: Filter): boolean {
  return (Object.keys(noFilter) as (keyof Filter)[]).some((key) => filter[key] !== noFilter[key]);
}

/** The searched text, without the quotes and spaces of a copied id. */
export function searchText({ search }: Filter): string {
  return search.trim().replace(/^["']|["'],?$/g, '');
}

/** The test of a filter. */
export function matcher(filter: Filter): (outcome: EventAtDestination) => boolean {
  const text = searchText(filter).toLowerCase();
  const { source, destination, state, type } = filter;
  return (outcome) =>
    (source === undefined || outcome.source === source) &&
    (destination === undefined || outcome.destination === destination) &&
    (state === undefined || outcome.state === state) &&
    (type === undefined || outcome.type === type) &&
    (text === '' || searched(outcome).some((part) => part?.toLowerCase().includes(text)));
}

function searched(outcome: EventAtDestination): (string | null | undefined)[] {
  const { messageId, user, name, type, code, message, text } = outcome;
  return [messageId, user, name, type, code, message, text];
}
