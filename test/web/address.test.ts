import { expect, it } from 'vitest';
import { isLoopback, urlOf } from '../../src/web/address.js';

it.each([
  ['127.0.0.1', 'http://127.0.0.1:4400', true],
  ['127.1.2.3', 'http://127.1.2.3:4400', true],
  ['localhost', 'http://localhost:4400', true],
  ['::1', 'http://[::1]:4400', true],
  ['0.0.0.0', 'http://127.0.0.1:4400', false],
  ['::', 'http://[::1]:4400', false],
  ['192.0.2.1', 'http://192.0.2.1:4400', false],
  ['127.0.0.1.example.com', 'http://127.0.0.1.example.com:4400', false],
])('--host %s is reached at %s, by this machine alone: %s', (host, url, alone) => {
  expect(urlOf(host, 4400)).toBe(url);
  expect(isLoopback(host)).toBe(alone);
});
