import { describe, expect, it } from 'vitest';
import { startRawServer } from '../../helpers/raw-server.js';
import { serving } from '../serving.js';
import { relay, routingOf, talk } from './relaying.js';

describe('a request of a raw source', () => {
  it('reaches the app with its method, path, headers in their order and case, and bytes', async () => {
    const app = await startRawServer();
    const { url } = await serving(await relay(new URL(app.url).origin));
    const body = Buffer.from([0, 255, 10, 13, 10, 0x5b, 0xc3, 0x28]);
    const answer = await talk(
      url,
      'PROPFIND /in/hooks/a%2Fb/..//c%20%C3%A4?x=%00&y HTTP/1.1\r\nHost: hooks.example.com\r\n' +
        'X-Twice: 1\r\nx-other: a, b\r\nX-TWICE: 2\r\nX-Latin: caf\xe9\r\nAccept-Encoding: gzip\r\n' +
        `Connection: close, X-Hop\r\nX-Hop: gone\r\nTE: trailers\r\nContent-Length: ${body.length}\r\n\r\n`,
      body,
    );
    expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n[^]*\r\n\r\n\{"success":true\}$/);
    await app.arrived(1);
    const [request] = app.requests;
    expect(request).toMatchObject({ method: 'PROPFIND', path: '/a%2Fb/..//c%20%C3%A4?x=%00&y' });
    expect(request!.body).toEqual(body);
    expect(
      request!.headers.filter(([name]) => !/^(?:host|connection|content-length)$/.test(name)),
    ).toEqual([
      ['X-Twice', '1'],
      ['x-other', 'a, b'],
      ['X-TWICE', '2'],
      ['X-Latin', 'caf\xe9'],
      ['Accept-Encoding', 'gzip'],
      ['X-Forwarded-For', '127.0.0.1'],
      ['X-Forwarded-Host', 'hooks.example.com'],
      ['X-Forwarded-Proto', 'http'],
    ]);
    expect(request!.headers).toContainEqual(['host', new URL(app.url).host]);
    expect(request!.headers).toContainEqual(['content-length', String(body.length)]);
  });

  it('may be chunked, have no body, and wait for 100 Continue', async () => {
    const app = await startRawServer();
    const { url } = await serving(await relay(new URL(app.url).origin));
    const chunked = await talk(
      url,
      'POST /in/hooks HTTP/1.1\r\nHost: h\r\nConnection: close\r\nExpect: 100-continue\r\n' +
        'Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n',
    );
    expect(chunked).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 OK\r\n/);
    const empty = await talk(
      url,
      'GET /in/hooks?hub.mode=subscribe HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n',
    );
    expect(empty).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    const absolute = await talk(
      url,
      'OPTIONS http://h/in/hooks/x HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n',
    );
    expect(absolute).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    await app.arrived(3);
    const seen = app.requests.map(
      ({ method, path, body }) => `${method} ${path} ${body.toString()}`,
    );
    expect(seen.sort()).toEqual(['GET /?hub.mode=subscribe ', 'OPTIONS /x ', 'POST / abcde']);
    const names = app.requests.map(({ headers }) => headers.map(([name]) => name.toLowerCase()));
    expect(names.flat()).not.toContain('transfer-encoding');
    expect(names.flat()).not.toContain('expect');
  });

  it('may have thousands of headers', async () => {
    const app = await startRawServer();
    const { url } = await serving(await relay(new URL(app.url).origin));
    await talk(
      url,
      `GET /in/hooks HTTP/1.1\r\nHost: h\r\nConnection: close\r\n${'a:\r\n'.repeat(2_000)}\r\n`,
    );
    await app.arrived(1);
    expect(app.requests[0]!.headers.filter(([name]) => name === 'a')).toHaveLength(2_000);
  });

  it('goes to a URL with a path as it is, with its query', async () => {
    const app = await startRawServer();
    const { url } = await serving(await relay(`${app.url}?token=t`));
    await fetch(`${url}/in/hooks/deep?a=1`, { method: 'PUT', body: 'x' });
    await app.arrived(1);
    expect(app.requests[0]).toMatchObject({ method: 'PUT', path: '/hook?token=t&a=1' });
  });

  it('gets static headers and the authorization of the endpoint in place of its own', async () => {
    const app = await startRawServer();
    const routing = await routingOf(`sources:
  hooks: { type: raw, destinations: [app] }
destinations:
  app:
    allowPrivateNetworks: true
    endpoints:
      - url: ${new URL(app.url).origin}
        headers: { X-Team: growth, Host: app.internal }
        auth: { bearer: T0k }
`);
    const { url } = await serving(routing);
    await fetch(`${url}/in/hooks`, {
      method: 'POST',
      headers: {
        ...{ authorization: 'Basic c2VuZGVy', 'x-team': 'of the sender' },
        'x-forwarded-for': '203.0.113.7',
      },
      body: 'x',
    });
    await app.arrived(1);
    const sent = (pattern: RegExp) =>
      app.requests[0]!.headers.filter(([name]) => pattern.test(name));
    expect(sent(/^authorization$/i)).toEqual([['Authorization', 'Bearer T0k']]);
    expect(sent(/^x-team$/i)).toEqual([['X-Team', 'growth']]);
    expect(sent(/^host$/i)).toEqual([['host', 'app.internal']]);
    expect(app.requests[0]!.headers).toContainEqual(['x-forwarded-for', '203.0.113.7, 127.0.0.1']);
  });
});
