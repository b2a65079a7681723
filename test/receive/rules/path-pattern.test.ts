import { expect, it } from 'vitest';
import { pathPattern, pathProblem } from '../../../src/receive/rules/path-pattern.js';

it.each([
  ['/hook', '/hook', true],
  ['/hook', '/hook?a=1', true],
  ['/hook', '/hook/', false],
  ['/hook', '/hooks', false],
  ['/hook/*', '/hook/a/b?c', true],
  ['/hook/*', '/hook/', true],
  ['/hook/*', '/hook', false],
  ['/hook/*', '/hooks/a', false],
  ['/*', '/', true],
  ['/*', '*', false],
])('path=%s and the request %s: %s', (pattern, path, fits) => {
  expect(pathProblem(pattern)).toBeUndefined();
  expect(pathPattern(pattern)(path)).toBe(fits);
});

it.each(['', 'hook', '/a?b', '/a*', '/*/b', '/a/**', '*'])('refuses path=%s', (pattern) => {
  expect(pathProblem(pattern)).toMatch(
    /^path (?:must begin with \/|may have a \* only at its end)/,
  );
});
