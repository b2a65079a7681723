import fc from 'fast-check';
import { expect, it } from 'vitest';
import { nearest, similar } from '../src/nearest.js';

it.each([
  ['timeuot', ['endpoint', 'timeout'], 'timeout'],
  ['sharedsecret', ['endpoints', 'sharedSecret'], 'sharedSecret'],
  ['header', ['url', 'headers'], 'headers'],
  ['trak', ['page', 'track', 'group'], 'track'],
  ['', ['page', 'id'], 'id'],
  ['x', [], undefined],
])('finds for %j of %j: %s', (text, names, expected) => {
  expect(nearest(text, names)).toBe(expected);
});

it('finds a name itself, and a name with two letters swapped', () => {
  const names = ['identify', 'track', 'page', 'screen', 'group', 'alias', 'delete'];
  fc.assert(
    fc.property(fc.constantFrom(...names), fc.nat(3), (name, at) => {
      expect(nearest(name, names)).toBe(name);
      const swapped =
        name.slice(0, at) +
        name
          .slice(at, at + 2)
          .split('')
          .reverse()
          .join('') +
        name.slice(at + 2);
      expect(nearest(swapped, names)).toBe(name);
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
