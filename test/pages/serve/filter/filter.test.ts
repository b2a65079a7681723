import { expect, it } from 'vitest';
import {
  isNarrowed,
  matcher,
  noFilter,
  searchText,
  type Filter,
} from '../../../../pages/serve/filter/filter.js';
import { outcome } from '../outcomes/samples.js';

const row = outcome({
  messageId: 'Ab-1',
  user: 'ada',
  code: 'status_422',
  message: 'answered 422',
});

it.each<[boolean, Partial<Filter>]>([
  [true, {}],
  [true, { search: 'AB-1' }],
  [true, { search: 'order' }],
  [true, { search: 'ada' }],
  [true, { search: '422' }],
  [false, { search: 'ada2' }],
  [true, { source: 'web', destination: 'crm', state: 'delivered', type: 'track' }],
  [false, { source: 'mobile' }],
  [false, { destination: 'other' }],
  [false, { state: 'failed' }],
  [false, { type: 'page' }],
])('lets an outcome through: %s, for %j', (isThrough, change) => {
  expect(matcher({ ...noFilter, ...change })(row)).toBe(isThrough);
});

it.each([
  [' m1 ', 'm1'],
  ['"m1"', 'm1'],
  ["'m1'", 'm1'],
  ['"m1",', 'm1'],
  ['it"s', 'it"s'],
])('looks, for %j, for what was meant', (search, text) => {
  expect(searchText({ ...noFilter, search })).toBe(text);
});

it('knows whether it narrows anything', () => {
  expect(isNarrowed(noFilter)).toBe(false);
  expect(isNarrowed({ ...noFilter, type: 'page' })).toBe(true);
});
