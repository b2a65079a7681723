import { describe, expect, it } from 'vitest';
import { send, startCollecting, textOf } from './collecting.js';

const event = '{"writeKey":"k1","event":"Öffnen >?","userId":"u"}';
const base64 = Buffer.from(event).toString('base64');

describe('a pixel', () => {
  it.each([
    ['base64', `track?data=${encodeURIComponent(base64)}`],
    ['base64 that was not escaped', `track?data=${base64}`],
    ['base64 for URLs', `t?data=${Buffer.from(event).toString('base64url')}`],
    ['JSON', `track?data=${encodeURIComponent(event)}`],
    [
      'JSON and the key beside it',
      `track/?writeKey=k1&data=${encodeURIComponent(event.replace('"writeKey":"k1",', ''))}`,
    ],
  ])('brings an event as %s', async (_title, path) => {
    const api = await startCollecting();
    const response = await send(api, { method: 'GET', path: `/v1/pixel/${path}`, headers: {} });
    expect([response.status, response.headers['content-type']]).toEqual([200, 'image/gif']);
    expect(response.headers['cache-control']).toBe('no-store');
    expect(response.body.subarray(0, 10)).toEqual(Buffer.from('GIF89a\x01\0\x01\0', 'latin1'));
    expect(api.accepted.map(textOf)).toEqual(['{"event":"Öffnen >?","userId":"u","type":"track"}']);
  });

  it.each([
    ['404 not_found', 'nothing?data={}'],
    ['400 invalid_json', 'track'],
    ['400 invalid_json', 'track?data=%7B'],
    ['400 invalid_json', 'track?data=a&data=b'],
    ['401 invalid_write_key', 'track?data={"writeKey":"zzz"}'],
  ])('is shown whatever happens: %s', async (expected, path) => {
    const api = await startCollecting();
    const response = await send(api, {
      method: 'GET',
      path: encodeURI(`/v1/pixel/${path}`),
      headers: {},
    });
    expect([response.status, response.headers['content-type']]).toEqual([200, 'image/gif']);
    expect(api.refusals.map(({ status, code }) => `${status} ${code}`)).toEqual([expected]);
  });

  it('is shown when the event cannot be stored', async () => {
    const api = await startCollecting({ accept: () => Promise.reject(new Error('full')) });
    const path = `/v1/pixel/track?data=${base64}`;
    expect((await send(api, { method: 'GET', path, headers: {} })).status).toBe(200);
    expect(api.refusals.length).toBe(1);
  });

  it('is not recorded by HEAD, which opens no email', async () => {
    const api = await startCollecting();
    const path = `/v1/pixel/track?data=${base64}`;
    const response = await send(api, { method: 'HEAD', path, headers: {} });
    expect([response.status, response.headers.allow]).toEqual([405, 'GET, OPTIONS']);
    expect(api.batches).toEqual([]);
  });
});
