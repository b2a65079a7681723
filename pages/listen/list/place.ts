import type { RequestRow } from '../../../src/api/listen.js';
import type { RequestLog } from '../receive/request-log.js';
import type { Rows } from '../../shared/list/rows.js';
import type { Inspector } from '../view/inspector.js';

/** The requests that the filter lets through, in the order of the list. */
export function listed(log: RequestLog, order: Inspector['order']['value']): Rows<RequestRow> {
  const { length } = log.matching;
  const turned = (index: number): number => (order === 'newest-first' ? length - 1 - index : index);
  return {
    length,
    at: (place) => log.matching.at(turned(place)),
    placeOf: ({ sequence }) =>
      length === 0 ? undefined : turned(Math.min(log.indexOf(sequence), length - 1)),
  };
}
