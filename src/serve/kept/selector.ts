import { selector, type Selection } from '../../events/select.js';
import { RawFilters } from '../raw/filters.js';
import { isRaw, rawOf } from '../raw/raw-request.js';
import type { KeptEvent } from './block.js';

/** Selects kept events. All conditions must hold; an absent one always does. */
export interface KeptSelection extends Pick<Selection, 'types' | 'events' | 'users' | 'where'> {
  /** Of arrival: inclusive, milliseconds since 1970. */
  readonly since?: number;
  /** Of arrival: exclusive, milliseconds since 1970. */
  readonly until?: number;
  /** Names. */
  readonly sources?: readonly string[];
}

/**
 * One test for a whole selection. A request of a raw source has neither type, name nor user; `where` sees it as the
 * filters of its destinations do. @throws UsageError for a condition that cannot be read
 */
export function keptSelector(selection: KeptSelection): (event: KeptEvent) => boolean {
  const { since = -Infinity, until = Infinity, sources, types, events, users, where } = selection;
  const ofEvents = { types, events, users, where };
  const isSelected = selector(
    Object.fromEntries(Object.entries(ofEvents).filter(([, value]) => value !== undefined)),
  );
  const isForEvents = [types, events, users].some((one) => one !== undefined);
  const filters = where && RawFilters.of([{ where }]);
  const isRawSelected = (kept: KeptEvent): boolean =>
    !isForEvents && (!filters || filters.wantedBy(rawOf(kept.event)) > 0);
  return (kept) => {
    const { receivedAt, source, event } = kept;
    if (receivedAt < since || receivedAt >= until) return false;
    if (sources && !sources.includes(source)) return false;
    return isRaw(event) ? isRawSelected(kept) : isSelected(event);
  };
}
