import type { Occurring } from '../receive/occurring.js';
import type { Choices } from './filter-select.js';
import type { Field } from './query.js';
import { isTelling } from './reason.js';

/** A filter that is offered when the requests differ in what it asks for. */
export interface OptionalFilter {
  readonly name: string;
  readonly field: Field;
  readonly isOffered: (occurring: Occurring) => boolean;
  readonly choices: (occurring: Occurring) => Choices;
  readonly isExact?: boolean;
}

/** Of more paths, the first ones are listed. */
const mostPaths = 50;

/** In the order of the toolbar. */
export const optionalFilters: readonly OptionalFilter[] = [
  {
    name: 'Scheme',
    field: 'scheme',
    isOffered: ({ schemes }) => schemes.size > 1,
    choices: ({ schemes }) => [...pairs(schemes.values().sort()), ['none', 'no scheme']],
  },
  {
    name: 'Reason',
    field: 'reason',
    isOffered: ({ reasons }) => reasons.values().some(isTelling),
    choices: ({ reasons }) => pairs(reasons.values().sort()),
  },
  {
    name: 'Duplicate',
    field: 'duplicate',
    isOffered: ({ duplicates }) => duplicates.size > 0,
    choices: () => [['yes', 'duplicate']],
  },
  {
    name: 'App',
    field: 'forwarded',
    isOffered: ({ forwarded }) => forwarded.size > 0,
    choices: () => [
      ['any', 'forwarded'],
      ...pairs(['2xx', '3xx', '4xx', '5xx']),
      ['error', 'no whole response'],
    ],
  },
  {
    name: 'Method',
    field: 'method',
    isOffered: ({ methods }) => methods.size > 1,
    choices: ({ methods }) => pairs(methods.values().sort()),
  },
  {
    name: 'Path',
    field: 'path',
    isOffered: ({ paths }) => paths.size > 1,
    choices: ({ paths }) => pairs(paths.values().slice(0, mostPaths).sort()),
    isExact: true,
  },
  {
    name: 'Fault',
    field: 'fault',
    isOffered: ({ faults }) => faults.size > 0,
    choices: () => [['any', 'any fault']],
  },
];

/** Values that are their own labels. */
export function pairs(values: readonly string[]): Choices {
  return values.map((value) => [value, value]);
}
