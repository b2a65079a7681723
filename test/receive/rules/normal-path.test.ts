import { expect, it } from 'vitest';
import { normalPath, originForm } from '../../../src/receive/rules/normal-path.js';

it.each([
  ['/stripe', '/stripe'],
  ['/stripe/?a=/b', '/stripe'],
  ['//stripe', '/stripe'],
  ['/%73tripe', '/stripe'],
  ['/stripe;a=b', '/stripe'],
  ['/a/..;x/stripe', '/stripe'],
  ['/%2e%2e/a/./b/../stripe', '/a/stripe'],
  ['http://host/stripe?x', '/stripe'],
  ['HTTP://host', '/'],
  ['/stripe#/b', '/stripe'],
  ['/a%ff%', '/a\ufffd%'],
  ['*', '/*'],
])('an app may take %s for %s', (target, path) => {
  expect(normalPath(target)).toBe(path);
});

it.each([
  ['http://host:1/a?b', '/a?b'],
  ['http://host?b', '/?b'],
  ['/a?u=http://b/', '/a?u=http://b/'],
  ['*', '*'],
])('the origin form of %s is %s', (target, path) => {
  expect(originForm(target)).toBe(path);
});
