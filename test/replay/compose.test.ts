import { describe, expect, it } from 'vitest';
import { compose, requestSecrets, sendsCredentialsToOtherHost } from '../../src/replay/compose.js';
import { encodeHeaders } from '../../src/replay/own-request.js';
import { baseUrl } from '../../src/replay/path.js';
import { recordedRequest, type RecordedRequest } from '../../src/replay/recorded-request.js';
import { captureText } from './captures.js';

interface Given {
  url?: string;
  added?: [string, string][];
  dropped?: string[];
}

function recorded(fields: Record<string, unknown>): RecordedRequest {
  return recordedRequest(
    JSON.parse(captureText(fields)) as Record<string, unknown>,
  ) as RecordedRequest;
}

const composition = ({ url = 'http://new:80', added = [], dropped = [] }: Given) => ({
  base: baseUrl(url),
  added,
  dropped: new Set(dropped),
});

const composed = (fields: Record<string, unknown>, given: Given = {}) =>
  compose(recorded(fields), composition(given));

describe('the path of a replayed request', () => {
  it.each([
    ['stays as it was recorded', 'http://new', '/a?b=c', '/a?b=c'],
    [
      'is not normalized',
      'http://new/',
      '/a/../b//c/./%2e%2E;x?y=%2F&z',
      '/a/../b//c/./%2e%2E;x?y=%2F&z',
    ],
    [
      'never leads to another host: //',
      'http://new',
      '//evil.example.com/x',
      '//evil.example.com/x',
    ],
    ['never leads to another host: a URL', 'http://new', 'http://evil.example.com/x?y', '/x?y'],
    [
      'never leads to another host: a URL without a path',
      'http://new',
      'https://evil.example.com',
      '/',
    ],
    ['never leads to another host: \\', 'http://new', '/\\evil.example.com', '/\\evil.example.com'],
    ['is that of the URL if it has one', 'http://new/hook?k=v', '/a?b=c', '/hook?k=v'],
    ['is that of the URL if it has a query', 'http://new?k=v', '/a?b=c', '/?k=v'],
  ])('%s', (_title, url, path, expected) => {
    expect(composed({ path }, { url })).toMatchObject({ path: expected, host: 'new' });
  });

  it('may be * for OPTIONS', () => {
    expect(composed({ method: 'OPTIONS', path: '*' })).toMatchObject({ path: '*' });
  });

  it.each([
    ['/with space', 'bad_path'],
    ['/a\r\nX-Evil: 1', 'bad_path'],
    ['/ü', 'bad_path'],
    ['*', 'bad_path'],
    ['\\evil.example.com', 'bad_path'],
    ['evil.example.com', 'bad_path'],
  ])('%j is refused', (path, code) => {
    expect(composed({ path })).toMatchObject({ code });
  });
});

describe('the method of a replayed request', () => {
  it.each(['POST /x', 'CONNECT', '', 'GÉT'])('%j is refused', (method) => {
    expect(composed({ method })).toMatchObject({ code: 'bad_method' });
  });
});

describe('the headers of a replayed request', () => {
  const headers = {
    host: 'old',
    connection: 'keep-alive, X-Hop',
    'x-hop': '1',
    'content-length': '2',
    'transfer-encoding': 'chunked',
    expect: '100-continue',
    'x-kept': ['1', '2'],
    authorization: 'Bearer t',
  };

  it('are the recorded ones, without those of the connection', () => {
    expect(composed({ headers })).toMatchObject({
      headers: [
        ['x-kept', '1'],
        ['x-kept', '2'],
        ['authorization', 'Bearer t'],
      ],
    });
  });

  it('are replaced by those given, and left out if asked for', () => {
    const given = {
      added: [
        ['X-Kept', '3'],
        ['Host', 'h'],
      ] as [string, string][],
      dropped: ['authorization'],
    };
    expect(composed({ headers }, given)).toMatchObject({ host: 'h', headers: [['X-Kept', '3']] });
  });

  it.each([[{ 'x y': '1' }], [{ x: 'a\r\nb' }], [{ x: '€' }]])('%j is refused', (wrong) => {
    expect(composed({ headers: wrong })).toMatchObject({ code: 'bad_header' });
  });

  it('that are left out may be anything', () => {
    expect(composed({ headers: { x: '€' } }, { dropped: ['x'] })).toMatchObject({ headers: [] });
  });
});

describe('recorded credentials', () => {
  it.each([
    ['go to another host', { authorization: 'a' }, {}, true],
    ['go to another host as cookies', { cookie: 'a' }, {}, true],
    ['stay at the recorded host', { authorization: 'a', host: 'NEW:80' }, {}, false],
    ['are not there', {}, {}, false],
    ['are left out', { authorization: 'a' }, { dropped: ['authorization'] }, false],
    ['are replaced', { cookie: 'a' }, { added: [['Cookie', 'b']] as [string, string][] }, false],
  ])('%s', (_title, headers, given: Given, expected) => {
    const request = recorded({ headers: { host: 'old.example.com', ...headers } });
    expect(sendsCredentialsToOtherHost(request, composition(given))).toBe(expected);
  });
});

describe('the length of a replayed request', () => {
  it.each([
    ['GET', 0, false],
    ['HEAD', 0, false],
    ['DELETE', 0, false],
    ['get', 0, false],
    ['POST', 0, true],
    ['PUT', 0, true],
    ['GET', 3, true],
  ])('%s with %i bytes: %s', (method, bytes, hasLength) => {
    const request = { method, path: '/', host: 'h', headers: [] };
    const encoded = encodeHeaders(request, '/', () => 'X-S: 1\r\n');
    const length = hasLength ? `content-length: ${bytes}\r\n` : '';
    expect(encoded.fixed.toString() + encoded.rest(bytes, '')).toBe(
      `${method} / HTTP/1.1\r\nhost: h\r\nconnection: keep-alive\r\nX-S: 1\r\n${length}\r\n`,
    );
  });
});

it('the values of a query are secrets if they are long, or named as one', () => {
  const secretsOf = (path: string): string[] =>
    requestSecrets({ method: 'GET', path, host: 'h', headers: [] });
  expect(secretsOf('/?a=1&b=true&shop=north&challenge=abcdef')).toEqual(['abcdef']);
  const named = '/?token=t&API_KEY=k&client_secret=s&sig=g&password=p&code=c';
  expect(secretsOf(named)).toEqual(['t', 'k', 's', 'g', 'p', 'c']);
  expect(secretsOf('/?short&longvalue&token=')).toEqual(['longvalue']);
  expect(secretsOf('/')).toEqual([]);
});
