import { describe, expect, it } from 'vitest';
import type { RequestRow } from '../../../../src/api/listen.js';
import { matcher } from '../../../../pages/listen/filter/filter.js';
import {
  parseQuery,
  termText,
  withField,
  withoutTerm,
} from '../../../../pages/listen/filter/query.js';
import { row, sequencesOf } from '../rows.js';

const requests: RequestRow[] = [
  row(1, { name: 'Order Completed', user: 'ada', path: '/hook?x=1' }),
  row(2, { type: 'page', name: 'Pricing', user: 'Bo', signature: 'invalid', fault: 'delay=1s' }),
  row(3, { type: null, name: null, user: null, path: '/Upload', method: 'PUT' }),
  row(4, { response: { status: 503, delayMs: 0 }, fault: 'status=503', path: '/hook/2' }),
  row(5, { response: { status: null, delayMs: 0 }, fault: 'hang', signature: 'missing' }),
];

const app = { url: 'http://localhost:3000/', status: 200, durationMs: 1, error: null };

/** Of several senders, passed on to an app. */
const forwarded: RequestRow[] = [
  row(1, { scheme: 'stripe', forwarded: app }),
  row(2, { scheme: 'Acme', signature: 'invalid', reason: 'expired' }),
  row(3, { scheme: null, signature: 'missing', reason: 'missing', isDuplicate: true }),
  row(4, { forwarded: { ...app, status: 422 }, signature: 'invalid', reason: 'mismatch' }),
  row(5, { forwarded: { ...app, status: null, error: 'refused' } }),
  row(6, { forwarded: { ...app, status: 200, error: 'reset' } }),
];

/** As the receiver finds it. */
const hasText = (text: string, { sequence }: RequestRow): boolean =>
  text === 'odd' && sequence % 2 === 1;

describe('a query', () => {
  it.each([
    ['', [1, 2, 3, 4, 5]],
    ['odd', [1, 3, 5]],
    ['-odd', [2, 4]],
    ['type:PAGE', [2]],
    ['type:page,none', [2, 3]],
    ['-type:page', [1, 3, 4, 5]],
    ['name:pric', [2]],
    ['user:A', [1]],
    ['user:=ad', []],
    ['method:put', [3]],
    ['path:/hook', [1, 2, 4, 5]],
    ['path:=/hook', [1, 2, 5]],
    ['path:?x=1', [1]],
    ['-path:upload', [1, 2, 4, 5]],
    ['status:5xx', [4]],
    ['status:503', [4]],
    ['status:50x', [4]],
    ['status:xxx', []],
    ['status:none', [5]],
    ['-status:2xx', [4, 5]],
    ['signature:invalid,missing', [2, 5]],
    ['fault:any', [2, 4, 5]],
    ['fault:none', [1, 3]],
    ['fault:status', [4]],
    ['fault:any -status:5xx odd', [5]],
    ['type:', [1, 2, 3, 4, 5]],
    ['-', [1, 2, 3, 4, 5]],
  ])('%j lists %j', (query, found) => {
    expect(sequencesOf(requests.filter(matcher(parseQuery(query), hasText)))).toEqual(found);
  });

  it.each([
    ['scheme:stripe', [1]],
    ['scheme:stripe,acme', [1, 2]],
    ['scheme:str', []],
    ['scheme:none', [3]],
    ['-scheme:x-signature', [1, 2, 3]],
    ['reason:expired', [2]],
    ['reason:EXPIRED,missing', [2, 3]],
    ['reason:none', [1, 5, 6]],
    ['duplicate:yes', [3]],
    ['duplicate:no', [1, 2, 4, 5, 6]],
    ['-duplicate:yes', [1, 2, 4, 5, 6]],
    ['duplicate:', [1, 2, 3, 4, 5, 6]],
    ['forwarded:any', [1, 4, 5, 6]],
    ['forwarded:none', [2, 3]],
    ['-forwarded:any', [2, 3]],
    ['forwarded:200', [1, 6]],
    ['forwarded:4xx', [4]],
    ['forwarded:2xx,422', [1, 4, 6]],
    ['forwarded:error', [5, 6]],
    ['forwarded:refused', [5]],
    ['forwarded:2xx -forwarded:error', [1]],
    ['forwarded:none duplicate:yes', [3]],
  ])('%j lists %j of several senders', (query, found) => {
    expect(sequencesOf(forwarded.filter(matcher(parseQuery(query), hasText)))).toEqual(found);
  });

  it.each([
    ['"plan": "pro"', ['"plan":', 'pro']],
    ['"plan":"pro"', ['"plan":"pro"']],
    ['"two words" https://a/b -c', ['two words', 'https://a/b', 'c']],
    [String.raw`"a \"b\""`, ['a "b"']],
    ['"type:track"', ['type:track']],
  ])('%j searches for %j', (query, texts) => {
    const terms = parseQuery(query);
    expect(terms.map(({ field }) => field)).toEqual(texts.map(() => 'text'));
    expect(terms.map(({ value }) => value)).toEqual(texts);
  });

  it.each(['ada', 'a b', 'a "b"', String.raw`a\b`, '=x', 'x,y', '<img src=x>', '-'])(
    'can ask for the user %j',
    (user) => {
      const text = termText({ field: 'user', value: user });
      expect(parseQuery(text)).toMatchObject([{ field: 'user', value: user, isExact: false }]);
    },
  );

  it('is changed for one field, and keeps its other terms', () => {
    const query = 'word -path:/a type:page "two words"';
    expect(withField(query, 'type', [{ field: 'type', value: 'track', isNegated: true }])).toBe(
      'word -path:/a "two words" -type:track',
    );
    expect(withoutTerm(query, parseQuery(query)[1]!)).toBe('word type:page "two words"');
  });
});
