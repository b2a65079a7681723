import { describe, expect, it } from 'vitest';
import { StateError } from '../../../src/errors.js';
import { basic, outcome, send, startCollecting, textOf } from './collecting.js';

const call = '{"type":"track","userId":"u","event":"e"}';
const batch = `{"batch":[${call}]}`;

describe('a batch', () => {
  it.each([
    '/v1/batch',
    '/v1/import',
    '/v1/import/',
    '/v1/b',
    '//v1/batch',
    '/v1//batch//',
    '/v1/batch?x=1',
    '/beacon/v1/batch',
    '/api/public/apps/batch',
  ])('is taken at %s', async (path) => {
    const api = await startCollecting();
    const response = await send(api, { path, body: batch });
    expect([response.status, response.body.toString()]).toEqual([200, '{"success":true}']);
    expect(response.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(api.accepted.map(textOf)).toEqual([call]);
  });

  it.each([
    'application/json; charset=UTF-8',
    'text/plain;charset=UTF-8',
    'application/x-www-form-urlencoded',
    'multipart/form-data',
    'nonsense',
    '/;;',
  ])('is taken as %j', async (contentType) => {
    const api = await startCollecting();
    const headers = { ...basic, 'content-type': contentType };
    expect(outcome(await send(api, { headers, body: batch }))).toBe('200 success');
    expect(api.accepted.map(textOf)).toEqual([call]);
  });

  it('is accepted in chunks, and after a byte order mark', async () => {
    const api = await startCollecting();
    const headers = { ...basic, 'transfer-encoding': 'chunked' };
    expect(outcome(await send(api, { headers, body: `\ufeff ${batch}\n` }))).toBe('200 success');
    expect(api.accepted.map(textOf)).toEqual([call]);
  });
});

describe('a single call', () => {
  it.each([
    ['t', 'track'],
    ['i', 'identify'],
    ['p', 'page'],
    ['s', 'screen'],
    ['g', 'group'],
    ['a', 'alias'],
  ])('has the type of its path: %s, %s', async (deadLetter, type) => {
    const body = '{"userId":"u","event":"e","groupId":"g","previousId":"p"}';
    const api = await startCollecting();
    for (const path of [
      `/v1/${deadLetter}`,
      `/v1/${type}/`,
      `/api/s/${type}`,
      `/api/s/s2s/${type}`,
    ]) {
      expect(outcome(await send(api, { path, body }))).toBe('200 success');
    }
    expect(api.accepted.map(({ event }) => event.value.type)).toEqual([type, type, type, type]);
  });

  it('has the type of its path, whatever its own type', async () => {
    const api = await startCollecting();
    await send(api, { path: '/v1/t', body: '{"type":"page","event":"e","userId":"u"}' });
    expect(api.accepted.map(textOf)).toEqual(['{"type":"track","event":"e","userId":"u"}']);
  });
});

describe('a refused request', () => {
  it.each([
    ['nothing', '', '400 invalid_json'],
    ['no JSON', '{"batch":[', '400 invalid_json'],
    ['a batch of nothing between commas', '{"batch":[ , , ]}', '400 invalid_json'],
    ['an array', '[]', '400 invalid_json'],
    ['null', 'null', '400 invalid_json'],
    ['a text', '"x"', '400 invalid_json'],
    ['no UTF-8', Buffer.from([0x22, 0xff, 0x22]), '400 invalid_json'],
    ['brackets alone', '['.repeat(500_000), '400 invalid_json'],
    ['an object without a batch', '{}', '400 missing_batch'],
    ['a batch that is an object', '{"batch":{}}', '400 missing_batch'],
    ['an empty batch', '{"batch":[ ]}', '400 empty_batch'],
    ['more than 2,500 events', `{"batch":[${'1,'.repeat(2_500)}1]}`, '400 too_many_events'],
  ])('has %s in it', async (_title, body, expected) => {
    const api = await startCollecting();
    expect(outcome(await send(api, { body }))).toBe(expected);
    expect(outcome(await send(api, { body: batch }))).toBe('200 success');
    expect(api.batches.length).toBe(1);
    expect(api.refusals.length).toBe(1);
  });

  it('gets 503 when it cannot be stored and 500 for a bug, without details', async () => {
    const errors = [new StateError('cannot write /secret/place'), new Error('at /secret/place')];
    const api = await startCollecting({ accept: () => Promise.reject(errors.shift()!) });
    const responses = [await send(api, { body: batch }), await send(api, { body: batch })];
    expect(responses.map(outcome)).toEqual(['503 state_not_written', '500 unexpected']);
    expect(responses.map(({ headers }) => headers['retry-after'])).toEqual(['5', undefined]);
    expect(responses.some(({ body }) => body.includes('secret'))).toBe(false);
    expect(api.refusals.map(({ cause }) => (cause as Error).message)).toEqual([
      'cannot write /secret/place',
      'at /secret/place',
    ]);
  });

  it.each([
    ['POST', '/', '404 not_found'],
    ['POST', '/v1', '404 not_found'],
    ['POST', '/v1/x', '404 not_found'],
    ['POST', '/V1/batch', '404 not_found'],
    ['POST', '/v1/delete/x', '404 not_found'],
    ['GET', `/v1/projects/${'x'.repeat(200)}/other`, '404 not_found'],
    ['GET', '/v1/batch', '405 method_not_allowed'],
    ['PUT', '//v1/batch/', '405 method_not_allowed'],
    ['DELETE', '/v1/t?x', '405 method_not_allowed'],
    ['GET', '/v1/%62atch', '405 method_not_allowed'],
    ['GET', 'http://127.0.0.1/v1/batch?x', '405 method_not_allowed'],
    ['GET', '/v1/batch%2f', '404 not_found'],
    ['PROPFIND', '/v1/import', '405 method_not_allowed'],
    ['POST', '/health', '405 method_not_allowed'],
    ['POST', '/v1/projects/k1/settings', '405 method_not_allowed'],
    ['GET', '/v1/%zz', '400 bad_url'],
    ['POST', 'http:///v1/batch', '404 not_found'],
  ])('is %s %s', async (method, path, expected) => {
    const api = await startCollecting();
    const response = await send(api, { method, path });
    expect(outcome(response)).toBe(expected);
    expect(response.headers['access-control-allow-origin']).toBe('*');
    expect('allow' in response.headers).toBe(expected.startsWith('405'));
  });
});

describe('a request for the operations', () => {
  it.each([
    ['/_evfwd', '/_evfwd'],
    ['/_evfwd/', '/_evfwd'],
    ['//_evfwd//api/overview/?a=/b//c', '/_evfwd/api/overview?a=/b//c'],
    ['/%5Fevfwd/api/a%2fb%2525', '/_evfwd/api/a%2fb%2525'],
    ['http://127.0.0.1/_evfwd/health', '/_evfwd/health'],
  ])('to %s is handed on as %s', async (path, url) => {
    const api = await startCollecting();
    for (const method of ['GET', 'PROPFIND']) {
      const response = await send(api, { method, path });
      expect(response.body.toString()).toBe(`operations: ${url}`);
      expect('access-control-allow-origin' in response.headers).toBe(false);
    }
  });

  it('has exactly that name', async () => {
    const api = await startCollecting();
    const response = await send(api, { method: 'GET', path: '/_evfwdx/health' });
    expect(outcome(response)).toBe('404 not_found');
  });
});

describe('small paths', () => {
  it.each(['/health', '/sourceConfig?writeKey=k1', '/v1/projects/k1/settings'])(
    'respond to HEAD as to GET, without the body: %s',
    async (path) => {
      const api = await startCollecting();
      const [head, get] = [
        await send(api, { method: 'HEAD', path }),
        await send(api, { method: 'GET', path }),
      ];
      expect([head.status, head.body.length]).toEqual([200, 0]);
      expect(head.headers['content-length']).toBe(String(get.body.length));
    },
  );

  it('responds to /health', async () => {
    const response = await send(await startCollecting(), { method: 'GET', path: '/health' });
    expect([response.status, response.body.toString()]).toEqual([200, '{"status":"ok"}']);
  });

  it('accepts the metrics of clients and drops them', async () => {
    const api = await startCollecting();
    const response = await send(api, { path: '/v1/m', headers: {}, body: '{"series":[' });
    expect(outcome(response)).toBe('200 success');
    expect(api.batches).toEqual([]);
  });

  it('serves settings to browser clients', async () => {
    const api = await startCollecting();
    const path = '/v1/projects/k1/settings';
    const settings = JSON.parse((await send(api, { method: 'GET', path })).body.toString());
    expect(settings.integrations['Segment.io']).toMatchObject({
      apiKey: 'k1',
      apiHost: `127.0.0.1:${api.port}/v1`,
      protocol: 'http',
    });
    const unknown = await send(api, { method: 'GET', path: '/v1/projects/zzz/settings' });
    expect(outcome(unknown)).toBe('404 invalid_write_key');
    expect(unknown.body.includes('zzz')).toBe(false);
    const long = `/v1/projects/${'z'.repeat(1000)}/settings`;
    expect(outcome(await send(api, { method: 'GET', path: long }))).toBe('404 invalid_write_key');
  });

  it.each([
    ['k1', true],
    ['off', false],
  ])("tell RudderStack's client for browsers about the source of %s", async (key, enabled) => {
    const api = await startCollecting();
    const headers = { authorization: `Basic ${btoa(`${key}:`)}` };
    const path = `/sourceConfig/?p=npm&v=3.34.1&writeKey=${key}`;
    for (const given of [{ headers }, { headers: {} }]) {
      const response = await send(api, { method: 'GET', path, ...given });
      expect(response.status).toBe(200);
      expect(JSON.parse(response.body.toString()).source).toMatchObject({
        writeKey: key,
        enabled,
        destinations: [],
      });
    }
    const unknown = await send(api, {
      method: 'GET',
      path: '/sourceConfig?writeKey=zzz',
      headers: {},
    });
    expect(outcome(unknown)).toBe('401 invalid_write_key');
  });
});

describe('a page of another site', () => {
  const origin = 'https://shop.example';

  it.each(['/v1/t', '/sourceConfig/?writeKey=k1'])('may ask before %s', async (path) => {
    const api = await startCollecting();
    const response = await send(api, {
      method: 'OPTIONS',
      path,
      headers: {
        origin,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization,x-own',
      },
    });
    expect(response.status).toBe(204);
    expect(response.headers['access-control-allow-origin']).toBe(origin);
    expect(response.headers['access-control-allow-methods']).toContain('POST');
    expect(Number(response.headers['access-control-max-age'])).toBeGreaterThan(0);
    for (const name of ['authorization', 'content-type', 'x-retry-count', 'x-own']) {
      expect(response.headers['access-control-allow-headers']).toContain(name);
    }
  });

  it.each(['/v1//b/', '/v1/%62atch', 'http://127.0.0.1/v1/import'])(
    'may ask, however the path is written: %s',
    async (path) => {
      const headers = { origin, 'access-control-request-method': 'POST' };
      const api = await startCollecting();
      expect((await send(api, { method: 'OPTIONS', path, headers })).status).toBe(204);
      expect(outcome(await send(api, { path, body: batch }))).toBe('200 success');
    },
  );

  it.each([
    [200, { path: '/v1/batch', body: batch }],
    [400, { path: '/v1/batch', body: '{' }],
    [401, { path: '/v1/batch', body: batch, headers: { authorization: 'Basic eHg6' } }],
    [404, { path: '/nothing' }],
    [405, { path: '/v1/batch', method: 'GET' }],
    [404, { path: '/nothing', method: 'OPTIONS' }],
  ])('may read an answer of %i', async (status, given) => {
    const headers = { origin, ...basic, ...('headers' in given && given.headers) };
    const response = await send(await startCollecting(), { ...given, headers });
    expect(response.status).toBe(status);
    expect(response.headers['access-control-allow-origin']).toBe(origin);
    expect(response.headers.vary).toContain('Origin');
  });
});
