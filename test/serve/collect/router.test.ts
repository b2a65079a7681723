import { describe, expect, it } from 'vitest';
import { settingsPath } from '../../../src/serve/collect/paths.js';
import { success } from '../../../src/serve/collect/reply.js';
import { Router, type Route } from '../../../src/serve/collect/router.js';

const batch: Route = { method: 'POST', handle: () => success };
const settings: Route = { method: 'GET', handle: () => success };

const router = new Router();
router.add('/v1/batch', batch);
router.add(settingsPath, settings);

describe('a router', () => {
  it.each([
    ['/v1/batch', ''],
    ['/v1/batch/', ''],
    ['//v1///batch//', ''],
    ['/v1/batch?', ''],
    ['/v1/batch/?a=%zz//b', 'a=%zz//b'],
    ['/v1/batch??a', '?a'],
    ['/v1/batch#f', 'f'],
    ['/%76%31/%62atch', ''],
    ['http://host/v1/batch?a', 'a'],
    ['HTTPS://user@host:1//v1/batch', ''],
  ])('finds %s', (url, query) => {
    expect(router.find(url)).toEqual({ path: '/v1/batch', route: batch, query, parameter: '' });
  });

  it.each([
    '',
    '*',
    '/',
    '/v1/batch/x',
    '/v1/batch%2f',
    '/v1%2fbatch',
    '/v1/%2562atch',
    '/v1/batch;x',
    '/V1/batch',
    'v1/batch',
    'http://',
    'http:///v1/batch',
    'ftp://host/v1/batch',
    '/v1/projects//settings',
    '/v1/projects/a/b/settings',
  ])('finds nothing at %s', (url) => {
    expect(router.find(url)).toMatchObject({ route: undefined });
  });

  it.each(['/%zz', '/v1/b%', '/v1/projects/%C3/settings', 'http://host/%'])(
    'takes %s for no URL',
    (url) => {
      expect(router.find(url)).toBeUndefined();
    },
  );

  it.each([
    ['key', 'key'],
    ['%6bey', 'key'],
    ['a%2fb%25c%3F', 'a/b%c?'],
    ['a%252fb', 'a%2fb'],
    ['%C3%A9', 'é'],
  ])('decodes the parameter %s once', (part, parameter) => {
    const found = router.find(`/v1/projects/${part}/settings/?x`);
    expect(found).toMatchObject({ route: settings, parameter, query: 'x' });
  });
});
