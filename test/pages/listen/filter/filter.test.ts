import { describe, expect, it } from 'vitest';
import type { RequestRow } from '../../../../src/api/listen.js';
import {
  isNarrowed,
  matcher,
  noFilter,
  type Filter,
} from '../../../../pages/listen/filter/filter.js';
import { row, sequencesOf } from '../rows.js';

const requests: RequestRow[] = [
  row(1, { name: 'Order Completed', user: 'ada', path: '/hook?x=1' }),
  row(2, { type: 'page', name: 'Pricing', user: 'Bo', signature: 'invalid', fault: 'delay=1s' }),
  row(3, { type: null, name: null, user: null, messageId: null, path: '/Upload' }),
  row(4, { response: { status: 503, delayMs: 0 }, fault: 'status=503' }),
  row(5, { response: { status: null, delayMs: 0 }, fault: 'hang', signature: 'missing' }),
];

describe('matcher', () => {
  it.each<[string, Partial<Filter>, number[]]>([
    ['everything', {}, [1, 2, 3, 4, 5]],
    ['a name', { text: 'pric' }, [2]],
    ['a user', { text: 'ADA' }, [1]],
    ['a path', { text: 'upload' }, [3]],
    ['a query', { text: '?x=1' }, [1]],
    ['a messageId', { text: 'm4' }, [4]],
    ['a text with space around it', { text: '  order ' }, [1, 4, 5]],
    ['a type', { type: 'page' }, [2]],
    ['no type', { type: null }, [3]],
    ['part of a user', { user: 'b' }, [2]],
    ['a verdict', { signature: 'invalid' }, [2]],
    ['an answer', { response: '5xx' }, [4]],
    ['no answer', { response: 'none' }, [5]],
    ['any fault', { response: 'fault' }, [2, 4, 5]],
    ['several at once', { response: 'fault', signature: 'valid' }, [4]],
    ['what no request is', { type: 'page', signature: 'valid' }, []],
  ])('finds %s', (_, filter, found) => {
    expect(sequencesOf(requests.filter(matcher({ ...noFilter, ...filter })))).toEqual(found);
  });
});

it.each<[Partial<Filter>, boolean]>([
  [{}, false],
  [{ text: 'a' }, true],
  [{ type: null }, true],
  [{ response: 'fault' }, true],
])('knows whether %j narrows a list', (filter, expected) => {
  expect(isNarrowed({ ...noFilter, ...filter })).toBe(expected);
});
