import { expect, it } from 'vitest';
import { keepHeader } from '../../src/http/excerpt-headers.js';

function keptOf(pairs: readonly (readonly [string, string])[]): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [name, value] of pairs) keepHeader(headers, name, value);
  return headers;
}

it('only headers that help to find a cause are kept, never a cookie', () => {
  expect(
    keptOf([
      ['Content-Type', 'text/plain'],
      ['X-Request-Id', 'r1'],
      ['Set-Cookie', 'session=1'],
      ['X-Secret-Of-Theirs', 'x'],
      ['__proto__', 'x'],
    ]),
  ).toEqual({ 'content-type': 'text/plain', 'x-request-id': 'r1' });
});

it('a repeated header is joined, and a long one is truncated', () => {
  expect(keptOf([['via', 'one'], ['Via', 'two']])).toEqual({ via: 'one, two' }); // prettier-ignore
  const { via } = keptOf(Array.from({ length: 1_000 }, () => ['via', 'x'.repeat(99)]));
  expect(via).toHaveLength(200);
});

it.each([
  ['https://user:pass@a.example/path?token=x#part', 'https://a.example/path'],
  ['//user@a.example/path?x', '//a.example/path'],
  ['/login?return=/hook?token=x', '/login'],
  ['?token=x', ''],
  ['/path#token', '/path'],
])('a location %s is kept without query, fragment and credentials', (value, shown) => {
  expect(keptOf([['location', value]])).toEqual({ location: shown });
});
