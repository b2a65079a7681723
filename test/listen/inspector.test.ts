import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { RequestDetail, Stats } from '../../src/api/listen.js';
import { sign } from '../../src/sign/x-signature.js';
import { readCaptureLine } from '../../src/sign/captured-request.js';
import { version } from '../../src/version.js';
import { folderWith } from '../helpers/folder.js';
import { listening, raw, type Listening } from './listening.js';

const api = ({ url }: Listening, path: string, init?: RequestInit) =>
  fetch(`${url}/_evfwd/api/${path}`, init);

type RequestInit = Parameters<typeof fetch>[1];

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- tests look into any response
async function json(response: Response | Promise<Response>): Promise<any> {
  return (await response).json();
}

type Response = Awaited<ReturnType<typeof fetch>>;

function post(listener: Listening, body: string | Buffer, headers: Record<string, string> = {}) {
  return fetch(`${listener.url}/hook?q=1`, { method: 'POST', body, headers });
}

const track = '{"type":"track","event":"E","userId":9007199254740993}';

function put(listener: Listening, path: string, body: unknown, token = listener.token) {
  return api(listener, path, {
    method: 'PUT',
    headers: { 'content-type': 'application/json', 'x-evfwd-token': token },
    body: JSON.stringify(body),
  });
}

describe('GET requests', () => {
  it('has capture lines, the oldest first', async () => {
    const listener = await listening();
    expect(await json(api(listener, 'requests'))).toEqual({ requests: [] });
    await post(listener, track);
    await post(listener, Buffer.from([0xff, 0xfe]));
    const { requests } = await json(api(listener, 'requests'));
    expect(requests).toMatchObject([
      {
        type: 'request',
        method: 'POST',
        path: '/hook?q=1',
        body: track,
        response: { status: 200 },
      },
      { bodyBase64: '//4=' },
    ]);
  });

  it('as NDJSON is a file that verify-sig reads', async () => {
    const listener = await listening();
    await post(listener, track);
    const response = await api(listener, 'requests.ndjson');
    expect(response.headers.get('content-type')).toBe('application/x-ndjson');
    expect(response.headers.get('content-disposition')).toContain('attachment');
    expect(readCaptureLine(Buffer.from((await response.text()).trim()))).toMatchObject({
      body: track,
    });
  });

  it('of one id has its details', async () => {
    const listener = await listening({ secret: 'shh' });
    await post(listener, `${track}\n`, { 'x-signature': sign(track, 'shh'), 'x-a': '1' });
    const { id } = listener.got()[0]!;
    const detail: RequestDetail = await json(api(listener, `requests/${id}`));
    expect(detail).toMatchObject({
      row: {
        id,
        sequence: 1,
        type: 'track',
        name: 'E',
        user: '9007199254740993',
        signature: 'invalid',
      },
      body: `${track}\n`,
      bodyBase64: null,
      explanation: expect.stringContaining('is missing its trailing newline'),
    });
    expect(detail.headers).toContainEqual(['x-a', '1']);
    expect(JSON.stringify(detail)).not.toContain('shh');
  });

  it('shows gzip inflated, and as received', async () => {
    const listener = await listening();
    await post(listener, gzipSync(track));
    const detail = await json(api(listener, `requests/${listener.got()[0]!.id}`));
    expect(detail.body).toBe(track);
    expect(Buffer.from(detail.bodyBase64, 'base64')).toEqual(gzipSync(track));
    expect(detail.explanation).toBeNull();
  });

  it('shows what was responded', async () => {
    const faults = ['status=503,path=/down', 'truncate,path=/cut', 'hang,path=/hang'];
    const listener = await listening({ faults });
    const detail = async (path: string): Promise<RequestDetail> => {
      await raw(
        listener.port,
        `POST ${path} HTTP/1.1\r\nHost: a\r\nOrigin: http://a\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`,
      );
      const { id } = listener.got().at(-1)!;
      return json(api(listener, `requests/${id}`));
    };
    const { response } = await detail('/down');
    expect(response.body).toContain('injected fault: status 503');
    expect(response.headers).toContainEqual(['Content-Length', String(response.body.length)]);
    expect(response.headers).toContainEqual(['Access-Control-Allow-Origin', 'http://a']);
    expect(response.note).toBeNull();
    expect((await detail('/cut')).response).toMatchObject({
      body: '{"succes',
      note: 'The connection was closed after 8 of 16 bytes of the body.',
    });
  });

  it('has no response where a fault left the connection open', async () => {
    const listener = await listening({ faults: ['hang'] });
    const gone = new AbortController();
    void fetch(listener.url, { method: 'POST', signal: gone.signal }).catch(() => undefined);
    await listener.arrived(1);
    gone.abort();
    const detail: RequestDetail = await json(api(listener, `requests/${listener.got()[0]!.id}`));
    expect(detail.response).toEqual({
      headers: [],
      body: '',
      note: 'No response: the connection was left open.',
    });
  });

  it('has its body as a file, which no browser shows as a page', async () => {
    const listener = await listening();
    const body = '<script>alert(1)</script>';
    await post(listener, body, { 'content-type': 'text/html' });
    const response = await api(listener, `requests/${listener.got()[0]!.id}/body`);
    expect(await response.text()).toBe(body);
    expect(response.headers.get('content-type')).toBe('application/octet-stream');
    expect(response.headers.get('content-disposition')).toBe(
      'attachment; filename="request-1.bin"',
    );
    expect((await api(listener, 'requests/none-1/body')).status).toBe(404);
  });

  it('of an id that is not kept is 404', async () => {
    const response = await api(await listening(), 'requests/none-1');
    expect(response.status).toBe(404);
    expect(await json(response)).toMatchObject({ error: { code: 'not_kept' } });
  });
});

it('GET search finds the requests that hold a text', async () => {
  const listener = await listening();
  for (const body of ['{"a":"Needle"}', '{}', '{"b":"needle"}']) await post(listener, body);
  const search = (query: string) => api(listener, `search?${query}`);
  expect(await json(search('q=NEEDLE'))).toEqual({ sequences: [1, 3], last: 3 });
  expect(await json(search('q=needle&after=1'))).toEqual({ sequences: [3], last: 3 });
  for (const wrong of ['', 'q=', 'q=a&after=x', `q=${'a'.repeat(1001)}`]) {
    expect((await search(wrong)).status).toBe(400);
  }
});

it('GET requests/:id has the events of an array of webhook bodies, and which are repeats', async () => {
  const listener = await listening({ isDeduped: true });
  await post(listener, '{"type":"page","messageId":"1"}');
  await post(listener, `[0,${track},{"type":"page","messageId":"1"}]`);
  const [single, batch] = listener.got();
  const detailOf = async ({ id }: { id: string }) =>
    (await json(api(listener, `requests/${id}`))) as RequestDetail;
  expect((await detailOf(single!)).events).toEqual([]);
  const { events, row } = await detailOf(batch!);
  expect(events).toMatchObject([
    { index: 1, type: 'track', isDuplicate: false },
    { index: 2, type: 'page', messageId: '1', isDuplicate: true },
  ]);
  expect(row).toMatchObject({ type: 'batch', name: '1 track, 1 page', events: 2 });
});

it('GET stats counts all requests, reset clears it', async () => {
  const listener = await listening({ secret: 'shh', faults: ['hang,type=page'] });
  await post(listener, track, { 'x-signature': sign(track, 'shh') });
  await post(listener, `[${track},{"type":"group","groupId":1},{"type":"odd"}]`);
  const gone = new AbortController();
  void fetch(listener.url, { method: 'POST', body: '{"type":"page"}', signal: gone.signal }).catch(
    () => undefined,
  );
  await listener.arrived(3);
  gone.abort();
  const stats: Stats = await json(api(listener, 'stats'));
  expect(stats).toEqual({
    requests: 3,
    events: 5,
    bytes: expect.any(Number),
    byType: { track: 2, group: 1, other: 1, page: 1 },
    bySignature: { valid: 1, invalid: 0, missing: 2, unchecked: 0 },
    byStatus: { '200': 2, none: 1 },
    kept: 3,
  });
  expect(await json(api(listener, 'reset', { method: 'POST' }))).toEqual({});
  expect(await json(api(listener, 'stats'))).toMatchObject({ requests: 0, byType: {}, kept: 0 });
  await post(listener, track);
  expect(listener.got()).toMatchObject([{ sequence: 4 }]);
});

it.each([
  ['no body', {}, undefined],
  ['an empty body that is said to be JSON', { 'content-type': 'application/json' }, ''],
  ['JSON', { 'content-type': 'application/json' }, '{}'],
  ['a form', { 'content-type': 'application/x-www-form-urlencoded' }, 'a=b'],
])('POST reset accepts %s', async (_name, headers, body) => {
  const listener = await listening();
  await post(listener, track);
  const response = await api(listener, 'reset', {
    method: 'POST',
    headers: headers as Record<string, string>,
    ...(body !== undefined && { body }),
  });
  expect([response.status, await response.json()]).toEqual([200, {}]);
  expect(listener.got()).toEqual([]);
});

it('is itself neither recorded nor faulted', async () => {
  const listener = await listening({ faults: ['reset'] });
  expect((await api(listener, 'stats')).status).toBe(200);
  expect((await fetch(`${listener.url}/_evfwd?x`, { redirect: 'manual' })).status).toBe(302);
  expect(listener.got()).toEqual([]);
});

it.each(['/_evfwdx', '//_evfwd/api/stats', '/%5fevfwd/', '/x/_evfwd/'])(
  'leaves %s to deliveries',
  async (path) => {
    const listener = await listening();
    await raw(listener.port, `GET ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`);
    expect(listener.got()).toMatchObject([{ path }]);
  },
);

describe('the plan of faults', () => {
  it('is shown, and can be changed with the token', async () => {
    const listener = await listening({ faults: ['reset,type=page'], seed: 3 });
    expect(await json(api(listener, 'faults'))).toEqual({ faults: ['reset,type=page'], seed: 3 });
    const plan = { faults: ['status=418'], seed: 9 };
    expect(await json(put(listener, 'faults', plan))).toEqual(plan);
    expect((await post(listener, track)).status).toBe(418);
    expect(listener.faults.plan).toEqual(plan);
  });

  it('is unchanged when one is wrong, which the response names', async () => {
    const listener = await listening({ faults: ['status=500'] });
    const response = await put(listener, 'faults', { faults: ['status=9'], seed: 1 });
    expect(response.status).toBe(400);
    expect(await json(response)).toMatchObject({
      error: { code: 'invalid_fault', message: expect.stringContaining('200 to 599') },
    });
    expect((await post(listener, track)).status).toBe(500);
  });

  it.each([{}, { faults: 'x', seed: 1 }, { faults: [], seed: -1 }, { faults: [] }, [[]]])(
    'is not %j',
    async (body) => {
      const response = await put(await listening(), 'faults', body);
      expect(response.status).toBe(400);
      expect(await json(response)).toMatchObject({ error: { code: 'bad_request' } });
    },
  );
});

describe('the page', () => {
  function built(): string {
    const folder = folderWith({ 'index.html': '<!doctype html>', 'api.js': 'private' });
    mkdirSync(join(folder, 'assets'));
    writeFileSync(join(folder, 'assets', 'page-1a2b.js'), 'export {};');
    writeFileSync(join(folder, 'assets', 'page.css'), 'a{}');
    writeFileSync(join(folder, 'secret.txt'), 'private');
    return folder;
  }

  it.each([
    ['/_evfwd/', 'text/html; charset=utf-8', '<!doctype html>'],
    ['/_evfwd/assets/page-1a2b.js', 'text/javascript; charset=utf-8', 'export {};'],
    ['/_evfwd/assets/page.css', 'text/css; charset=utf-8', 'a{}'],
  ])('is at %s, with a strict policy', async (path, type, text) => {
    const { url } = await listening({ pageFolder: built() });
    const response = await fetch(url + path);
    expect(await response.text()).toBe(text);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': type,
      'content-security-policy':
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
    });
  });

  it.each([
    '/_evfwd/api.js',
    '/_evfwd/index.html',
    '/_evfwd/secret.txt',
    '/_evfwd/assets/',
    '/_evfwd/assets/../secret.txt',
    '/_evfwd/assets/%2e%2e/secret.txt',
    '/_evfwd/assets/..%2fsecret.txt',
    '/_evfwd/assets/..\\secret.txt',
    '/_evfwd/assets//etc/passwd',
    '/_evfwd/assets/page.css%00',
  ])('serves no other file: %s', async (path) => {
    const { port } = await listening({ pageFolder: built() });
    const { text } = await raw(
      port,
      `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nConnection: close\r\n\r\n`,
    );
    expect(text).toMatch(/^HTTP\/1\.1 40[04] /);
    expect(text).not.toContain('private');
    expect(text).not.toContain('root:');
  });

  it('that is not built is reported in one line', async () => {
    const listener = await listening({ pageFolder: '/nowhere/' });
    const response = await fetch(`${listener.url}/_evfwd/`);
    expect(response.status).toBe(404);
    expect(await response.text()).toMatch(
      /^The inspector page is not built; run npm run build\..*\n$/,
    );
  });

  it('returns its setup', async () => {
    const listener = await listening({ secret: 'shh' });
    const setup = await json(api(listener, 'page'));
    expect(setup).toEqual({
      version,
      token: listener.token,
      url: listener.url,
      hasSecret: true,
      maxKept: 10_000,
      recordsTo: null,
    });
  });
});

it('responds to unknown paths with JSON', async () => {
  const listener = await listening();
  for (const path of ['x', 'requests/%zz', 'requests/../../x']) {
    const response = await api(listener, path);
    expect([400, 404]).toContain(response.status);
    expect(await json(response)).toMatchObject({ error: { code: expect.any(String) } });
  }
});
