import fc from 'fast-check';
import { expect, it } from 'vitest';
import { similar, suggestion } from '../src/nearest.js';

it.each([
  ['timeuot', ['endpoint', 'timeout'], 'did you mean timeout? (one of endpoint, timeout)'],
  [
    'sharedsecret',
    ['url', 'sharedSecret'],
    'did you mean sharedSecret? (one of url, sharedSecret)',
  ],
  ['foo', ['track', '*'], 'use one of track, *'],
  ['', ['page', 'id'], 'use one of page, id'],
])('suggests for %j of %j: %s', (text, names, expected) => {
  expect(suggestion(text, names)).toBe(expected);
});

it('finds a name itself, and a name with two letters swapped', () => {
  const names = ['identify', 'track', 'page', 'screen', 'group', 'alias', 'delete'];
  fc.assert(
    fc.property(fc.constantFrom(...names), fc.nat(3), (name, at) => {
      expect(similar(name, names)).toBe(name);
      const swapped =
        name.slice(0, at) +
        name
          .slice(at, at + 2)
          .split('')
          .reverse()
          .join('') +
        name.slice(at + 2);
      expect(similar(swapped, names)).toBe(name);
    }),
  );
});

it.each([
  ['--sercet', ['--url', '--secret'], '--secret'],
  ['improt', ['send', 'import'], 'import'],
  ['sned', ['import', 'send'], 'send'],
  ['key', ['--url', '--write-key'], undefined],
  ['-' + 'x'.repeat(10_000), ['--url'], undefined],
  ['hunter2', ['send', 'import', 'listen'], undefined],
  ['-x', ['--url', '--help'], undefined],
  ['x', [], undefined],
])('treats %j of %j as a typo of %s', (text, names, expected) => {
  expect(similar(text, names)).toBe(expected);
});
