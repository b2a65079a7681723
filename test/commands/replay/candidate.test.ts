import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { createServer as createTcp } from 'node:net';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { hasOpenssl, makeCertificates } from '../../helpers/certificates.js';
import { folderWith } from '../../helpers/folder.js';
import { freePort } from '../../helpers/postgres.js';
import { startProxy, type Proxy } from '../../helpers/proxy.js';
import { inProcess } from '../../helpers/in-process.js';
import { captureFile } from '../../replay/captures.js';

interface Request {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}
type Handler = (request: Request, response: ServerResponse) => void;

const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end();
});

/** A version of a handler, and what it has received. */
async function version(handle: Handler) {
  const requests: Request[] = [];
  const server = createServer((incoming, response) => {
    void text(incoming).then((body) => {
      const { method = '', url = '', headers } = incoming;
      const request = { method, url, headers, body };
      requests.push(request);
      handle(request, response);
    });
  }).listen(0, '127.0.0.1');
  ends.push(() => {
    server.closeAllConnections();
    server.close();
  });
  await new Promise((resolve) => server.once('listening', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests };
}

/** Of a port on which nothing listens. */
async function unusedUrl(): Promise<string> {
  return `http://127.0.0.1:${await freePort()}`;
}

const json =
  (value: unknown, status = 200): Handler =>
  (_, response) => {
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(typeof value === 'string' ? value : JSON.stringify(value));
  };

const one = captureFile({ path: '/orders/1001' });

/** Compares two handlers by captures; the lines of `--json`. */
async function compare(
  baseline: Handler,
  candidate: Handler,
  args: readonly string[] = [],
  captures: string | Buffer = one,
) {
  const [first, second] = [await version(baseline), await version(candidate)];
  const folder = folderWith({ got: captures });
  const urls = ['--url', first.url, '--candidate', second.url];
  const ran = await inProcess(['replay', join(folder, 'got'), ...urls, '--json', ...args]);
  const lines = ran.stdout
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  const found = lines.slice(0, -1).map(({ kind, at }) => `${String(kind)} ${String(at)}`);
  return { ...ran, first, second, folder, lines, found, summary: lines.at(-1) };
}

describe('evfwd replay --candidate', () => {
  it('sends each request twice to the first version, once to the candidate', async () => {
    const { code, first, second, summary, stderr } = await compare(json({}), json({}));
    expect([first.requests.length, second.requests.length]).toEqual([2, 1]);
    expect(first.requests[0]).toEqual(first.requests[1]);
    expect(code).toBe(0);
    const counts = { requests: 1, same: 1, different: 0, noise: 0, failed: 0 };
    expect(summary).toEqual({ type: 'summary', ...counts });
    expect(stderr).toContain(
      `each request takes effect three times: twice at ${first.url}, once at ${second.url}`,
    );
  });

  it.each([
    ['', '/v2/', 'their own paths', '/v2/'],
    ['/v1?key=hidden', '', '/v1', 'their own paths'],
    ['/v1', '/v2', '/v1', '/v2'],
    ['/v1?key=hidden', '/v1', undefined, undefined],
  ])('notes that the paths of both URLs differ: "%s", "%s"', async (first, second, one, other) => {
    const [baseline, candidate] = [await version(json({})), await version(json({}))];
    const folder = folderWith({ got: captureFile({}) });
    const urls = ['--url', baseline.url + first, '--candidate', candidate.url + second];
    const { code, stderr } = await inProcess(['replay', join(folder, 'got'), ...urls]);
    expect(code).toBe(0);
    if (one === undefined) expect(stderr).not.toContain('note:');
    else
      expect(stderr).toContain(
        `note: requests go to ${one} at ${baseline.url} and to ${other} at ${candidate.url}\n`,
      );
  });

  it('notes that requests are sent one by one, where the profile has a batch', async () => {
    const [{ url }, candidate] = [await version(json({})), await version(json({}))];
    const folder = folderWith({
      got: one,
      'config.yaml': `profiles:\n  arrays:\n    webhooks: { endpoints: [{ url: '${url}' }], batch: { size: 2 } }\n`,
    });
    const config = ['--config', join(folder, 'config.yaml'), '--profile', 'arrays'];
    const run = (...more: string[]) =>
      inProcess(['replay', join(folder, 'got'), ...config, ...more]);
    const note =
      'note: each request is sent as it was recorded; the batch of the profile is for events\n';
    expect((await run('--candidate', candidate.url)).stderr).toContain(note);
    expect((await run('--candidate', candidate.url, '--quiet')).stderr).not.toContain(note);
    expect((await run('--fresh')).stderr).toContain(note);
  });

  it('prints a difference as a line with both values and a command', async () => {
    const { code, lines, stdout, second } = await compare(
      json('{"total":12.50}'),
      json('{"total":12.5}'),
      [],
      captureFile({ path: '/orders/1001?token=hidden', headers: { 'x-api-key': 'hidden' } }),
    );
    expect(code).toBe(1);
    expect(lines[0]).toMatchObject({
      ...{ type: 'difference', method: 'POST', path: '/orders/{id}' },
      ...{ kind: 'value', at: 'body.total', baseline: 12.5, candidate: 12.5, count: 1 },
      example: { line: 1 },
    });
    expect(stdout).toContain('"baseline":12.50,"candidate":12.5,');
    const { curl } = lines[0]!.example as { curl: string };
    expect(curl).toContain(`curl -g -X POST '${second.url}/orders/1001?***' -H 'x-api-key: ***'`);
    expect(curl).toContain("--data-binary '{}'");
    expect(stdout).not.toContain('hidden');
  });

  it('prints the command once of a request that has several differences', async () => {
    const [baseline, candidate] = [
      await version(json({ a: 1, b: 1 })),
      await version(json({ a: 2, b: 2 })),
    ];
    const folder = folderWith({ got: captureFile({}) });
    const urls = ['--url', baseline.url, '--candidate', candidate.url];
    const { stdout } = await inProcess(['replay', join(folder, 'got'), ...urls]);
    expect(stdout).toMatch(/value {2}body\.a [^]*\n {4}curl -g [^]*value {2}body\.b /);
    expect(stdout.match(/curl -g/g)).toHaveLength(1);
  });

  it('leaves out what differs between two responses of the first version', async () => {
    let n = 0;
    const noisy = (total: number): Handler => json({ id: n++, at: Math.random(), total });
    const handler =
      (total: number): Handler =>
      (request, response) =>
        noisy(total)(request, response);
    const { found, summary } = await compare(handler(1), handler(2));
    expect(found).toEqual(['value body.total']);
    expect(summary).toMatchObject({ same: 0, different: 1, noise: 2 });
  });

  it('leaves out the address of each version, as in links to itself', async () => {
    const handler =
      (last: string): Handler =>
      (request, response) => {
        const { host } = request.headers;
        const links = [`http://${host}/1`, `http://${host}/${last}`];
        response.setHeader('location', `http://${host}/1`);
        json({ self: `http://${host}`, links })(request, response);
      };
    const headers = ['--compare', 'headers'];
    expect(await compare(handler('2'), handler('2'), headers)).toMatchObject({ code: 0 });
    const { found, first, lines } = await compare(handler('2'), handler('3'), headers);
    expect(found).toEqual(['value body.links.*']);
    expect(lines[0]).toMatchObject({ candidate: `${first.url}/3` });
  });

  it('leaves out an address that both versions name', async () => {
    const handler =
      (ok: boolean): Handler =>
      (request, response) =>
        json({ named: request.headers['x-candidate'], ok })(request, response);
    const [first, second] = [await version(handler(true)), await version(handler(false))];
    const { host } = new URL(second.url);
    const folder = folderWith({
      got: captureFile({ path: '/', headers: { 'x-candidate': host } }),
    });
    const urls = ['--url', first.url, '--candidate', second.url];
    const { stdout } = await inProcess(['replay', join(folder, 'got'), ...urls, '--json']);
    expect(stdout.match(/"at":"[^"]*"/g)).toEqual(['"at":"body.ok"']);
  });

  it('takes a counter that both versions share as noise, however slowly it goes on', async () => {
    let n = 0;
    // As a clock that strikes between the first request and the one to the candidate, or not at all.
    const shared: Handler = (_, response) =>
      json({ at: n++ === 0 ? 0 : 1 })({} as Request, response);
    const { code, summary } = await compare(shared, shared);
    expect([code, summary]).toMatchObject([0, { same: 1, noise: 1 }]);
  });

  it('takes back a difference that a later request shows to be noise', async () => {
    let n = 0;
    const sometimes: Handler = (request, response) =>
      json({ retries: request.url.endsWith('/9') ? n++ : 0 })(request, response);
    const { code, summary } = await compare(
      sometimes,
      json({ retries: 5 }),
      ['--concurrency', '1'],
      captureFile({ path: '/n/1' }, { path: '/n/2' }, { path: '/n/9' }),
    );
    expect(code).toBe(0);
    expect(summary).toMatchObject({ requests: 3, same: 3, noise: 1 });
  });

  it('finds what differs in JSON bodies beside one text that is noise', async () => {
    let n = 0;
    const handler =
      (total: number): Handler =>
      (request, response) => {
        if (request.body === '{}') {
          json({ total })(request, response);
          return;
        }
        return void response.writeHead(400, { 'content-type': 'text/plain' }).end(`no ${n++}`);
      };
    const captures = captureFile({ body: 'bad' }, ...Array.from({ length: 20 }, () => ({})));
    const { code, found, summary, stderr } = await compare(handler(1), handler(2), [], captures);
    expect([code, found]).toEqual([1, ['value body.total']]);
    expect(summary).toMatchObject({ same: 1, different: 20, noise: 1 });
    expect(stderr).not.toContain('left out as noise');
  });

  it('says when all bodies of a group were left out as noise', async () => {
    let n = 0;
    const texts: Handler = (_, response) => response.end(`page ${n++}`);
    const { code, stderr } = await compare(texts, texts, [], captureFile({}, {}, { path: '/b' }));
    expect(code).toBe(0);
    expect(stderr).toContain('all bodies of POST /hook were left out as noise');
    expect(stderr).toContain('all bodies of POST /b were left out as noise');
    const counter: Handler = (_, response) => json(n++)({} as Request, response);
    const scalars = await compare(counter, counter);
    expect(scalars.stderr).toContain('all bodies of POST /orders/{id} were left out as noise');
  });

  it.each<[string, number[], number[], string[]]>([
    ['one of those that the first version has', [200, 409], [409], []],
    ['another one', [200, 409], [500], ['status status']],
  ])('finds a status beside a random one unless it is %s', async (_, ones, others, expected) => {
    const inTurn = (statuses: number[], n = 0): Handler => {
      return (request, response) => json({}, statuses[n++ % statuses.length])(request, response);
    };
    const { found } = await compare(inTurn(ones), inTurn(others));
    expect(found).toEqual(expected);
  });

  it('finds a content type that a random one does not explain', async () => {
    let n = 0;
    const typed =
      (type: () => string): Handler =>
      (_, response) =>
        void response.writeHead(200, { 'content-type': type() }).end('{}');
    const varied = typed(() => (n++ % 2 === 0 ? 'text/plain' : 'text/x-plain'));
    const { found } = await compare(
      varied,
      typed(() => 'text/html'),
    );
    expect(found).toEqual(['content-type content-type']);
    const parts = typed(() => `multipart/mixed; boundary=b${n++}`);
    expect((await compare(parts, parts)).found).toEqual([]);
  });

  it('with --baseline 1 takes everything that differs', async () => {
    let n = 0;
    const handler: Handler = (request, response) => json({ n: n++ })(request, response);
    const { code, found, first, stderr } = await compare(handler, handler, ['--baseline', '1']);
    expect([code, found, first.requests.length]).toEqual([1, ['value body.n'], 1]);
    expect(stderr).toContain('each request takes effect twice: once at');
  });

  it.each<[string, Handler, Handler, string[], string[]]>([
    ['a status', json({ a: 1 }), json({ a: 1 }, 201), [], ['status status']],
    [
      'another class of status alone',
      json({ a: 1 }),
      json({ error: 1 }, 500),
      [],
      ['status status'],
    ],
    [
      'a redirect, which is not followed',
      json({}),
      (_, r) => r.writeHead(302, { location: '/x' }).end(),
      [],
      ['status status'],
    ],
    [
      'JSON that only one returns',
      json({ a: 1 }),
      (_, r) => r.end('<html>'),
      [],
      ['content-type content-type', 'body body'],
    ],
    [
      'a charset',
      json({}),
      (_, r) => r.setHeader('content-type', 'application/json; charset=utf-8').end('{}'),
      [],
      ['content-type content-type'],
    ],
    [
      'bytes',
      (_, r) => r.end(Buffer.from([0xff, 1])),
      (_, r) => r.end(Buffer.from([0xff, 2])),
      [],
      ['body body'],
    ],
    ['an empty body', (_, r) => r.end('ok'), (_, r) => r.end(), [], ['body body']],
    ['the order of an array', json([1, 2]), json([2, 1]), [], ['order body']],
    ['an ignored member', json({ a: 1 }), json({ a: 2 }), ['--ignore', 'body.a'], []],
    ['an ignored status', json({}), json({}, 202), ['--ignore', 'status'], []],
    [
      'headers, without --compare',
      json({}),
      (q, r) => json({})(q, r.setHeader('etag', 'b')),
      [],
      [],
    ],
    [
      'headers',
      (q, r) => json({})(q, r.setHeader('etag', 'a')),
      (q, r) => json({})(q, r.setHeader('etag', 'b')),
      ['--compare', 'headers'],
      ['value header.etag'],
    ],
    [
      'a header that only one has',
      json({}),
      (q, r) => json({})(q, r.setHeader('etag', 'b')),
      ['--compare', 'headers'],
      ['added header.etag'],
    ],
    [
      'an ignored header',
      json({}),
      (q, r) => json({})(q, r.setHeader('etag', 'b')),
      ['--compare', 'headers', '--ignore', 'header.ETag'],
      [],
    ],
    [
      'compression',
      json({ a: 1 }),
      (_, r) =>
        r
          .writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' })
          .end(gzipSync('{"a":1}')),
      [],
      [],
    ],
  ])('compares %s', async (_, baseline, candidate, args, expected) => {
    const { code, found } = await compare(baseline, candidate, args);
    expect(found).toEqual(expected);
    expect(code).toBe(expected.length > 0 ? 1 : 0);
  });

  it('says which --ignore left nothing out', async () => {
    const captures = captureFile({ path: '/a' }, { path: '/b' });
    const args = ['body.items.*.id', 'body.items', 'body.itmes.*.id', 'status', 'content-type'];
    const ran = await compare(
      json('{"items":[{"id":1,"n":[1,2]}],"itmes":[{"id":1}]}'),
      json('{"items":[{"id":2,"n":[1,3]}],"itmes":[{"id":1}]}', 201),
      args.flatMap((place) => ['--ignore', place]),
      captures,
    );
    expect([ran.code, ran.found]).toEqual([0, []]);
    const notes = ran.stderr.split('\n').filter((line) => line.startsWith('--ignore'));
    const without = 'left nothing out; no difference was found there';
    expect(notes).toEqual([
      `--ignore body.itmes.*.id ${without}`,
      `--ignore content-type ${without}`,
    ]);
  });

  it.each(['body.items.*.id', 'body.items.0', 'body.items.*.of.*.at'])(
    'knows what --ignore %s leaves out of elements that are equal otherwise',
    async (place) => {
      const items = (n: number) => `{"items":[{"id":${n},"n":1,"of":[{"at":${n}}]}]}`;
      const both = ['body.items.*.id', 'body.items.*.of.*.at'].filter((one) => one !== place);
      const ran = await compare(
        json(items(1)),
        json(items(2)),
        [place, ...both].flatMap((one) => ['--ignore', one]),
      );
      expect([ran.code, ran.found]).toEqual([0, []]);
      expect(ran.stderr).not.toContain(`--ignore ${place} left nothing out`);
    },
  );

  it('is incomplete where no request was compared', async () => {
    const ran = await compare(
      json({}),
      json({}),
      ['--paths', '/none'],
      captureFile({ path: '/a' }),
    );
    expect(ran.code).toBe(3);
    expect(ran.stderr).toContain('no request was compared');
  });

  it('says nothing of an --ignore below another one that left something out', async () => {
    const args = ['--ignore', 'body', '--ignore', 'body.total'];
    const { code, stderr } = await compare(json({ total: 1 }), json({ total: 2 }), args);
    expect(code).toBe(0);
    expect(stderr).not.toContain('--ignore');
  });

  it('says which --ignore only names elements that are alike', async () => {
    const { found, stderr } = await compare(
      json('[{"id":1,"n":1},{"id":2,"n":2}]'),
      json('[{"id":1,"n":1},{"id":2,"n":3}]'),
      ['--ignore', 'body.*.id'],
    );
    expect(found).toEqual(['value body.*.n']);
    expect(stderr).toContain('--ignore body.*.id left nothing out');
  });

  it('keeps methods, and reads no body after HEAD', async () => {
    const handler: Handler = (_, response) =>
      response.writeHead(200, { 'content-length': 5 }).end();
    const captures = captureFile(
      { method: 'HEAD', body: '' },
      { method: 'GET', body: '', path: '/a/../b' },
    );
    const { code, second } = await compare(
      (request, response) =>
        request.method === 'HEAD' ? handler(request, response) : response.end(),
      (request, response) =>
        request.method === 'HEAD' ? handler(request, response) : response.end(),
      ['--concurrency', '1'],
      captures,
    );
    expect(code).toBe(0);
    expect(second.requests.map(({ method, url }) => `${method} ${url}`)).toEqual([
      'HEAD /hook',
      'GET /a/../b',
    ]);
    expect(second.requests[0]!.headers['accept-encoding']).toBe('identity');
  });

  it('signs anew, so that both versions accept it', async () => {
    const folder = folderWith({ secret: 's3cret-of-test' });
    const isValid: Handler = ({ headers, body }, response) => {
      const digest = createHmac('sha1', 's3cret-of-test').update(body).digest('hex');
      json({}, headers['x-signature'] === digest ? 200 : 401)({} as Request, response);
    };
    const captures = captureFile({ headers: { 'x-signature': 'old' }, body: '{"a":1}' });
    const args = ['--secret-file', join(folder, 'secret'), '--ignore', 'body'];
    const accepted = await compare(isValid, json({}, 200), args, captures);
    expect(accepted.code, accepted.stdout).toBe(0);
    expect((await compare(json({}, 200), isValid, args, captures)).code).toBe(0);
  });

  it('masks secrets that a response repeats', async () => {
    const echo =
      (prefix: string): Handler =>
      ({ headers }, response) =>
        json({ got: prefix + String(headers.authorization) })({} as Request, response);
    const { stdout, found } = await compare(
      echo('a '),
      echo('b '),
      [],
      captureFile({ headers: { authorization: 'Bearer tell-nobody' } }),
    );
    expect(found).toEqual(['value body.got']);
    expect(stdout).toContain('"baseline":"a ***"');
    expect(stdout).not.toContain('tell-nobody');
  });

  it('compares only the first 1 MiB of a body, and says so', async () => {
    const long =
      (end: string): Handler =>
      (_, response) =>
        response.end('x'.repeat(1024 * 1024 + 10) + end);
    const { code, stderr, summary } = await compare(long('a'), long('b'));
    expect([code, summary]).toMatchObject([0, { same: 1 }]);
    expect(stderr).toContain(
      '3 responses were longer than 1 MiB; only the first 1 MiB was compared',
    );
  });

  it('sends requests in the order of the captures, selected and limited', async () => {
    const captures = captureFile(...Array.from({ length: 9 }, (_, n) => ({ path: `/n/${n}` })));
    const args = ['--concurrency', '1', '--paths', '/n/*', '--limit', '4', '--rate', '1000/s'];
    const { second, first } = await compare(json({}), json({}), args, captures);
    expect(second.requests.map(({ url }) => url)).toEqual(['/n/0', '/n/1', '/n/2', '/n/3']);
    expect(first.requests.map(({ url }) => url).slice(0, 4)).toEqual([
      '/n/0',
      '/n/0',
      '/n/1',
      '/n/1',
    ]);
  });

  it('exits 3 where one version does not answer, and says which and why', async () => {
    const closing: Handler = (_, response) => response.destroy();
    const { code, summary, stderr, second } = await compare(json({}), closing);
    expect([code, summary]).toMatchObject([3, { requests: 1, same: 0, failed: 1 }]);
    expect(stderr).toMatch(
      new RegExp(`got:1 POST /orders/\\{id\\}: ${second.url} did not answer: connection closed`),
    );
  });

  it.each<['baseline' | 'candidate', string]>([
    ['baseline', '--url'],
    ['candidate', '--candidate'],
  ])('sends nothing where the %s is not there', async (missing, flag) => {
    const [there, gone] = [await version(json({})), await unusedUrl()];
    const [url, candidate] = missing === 'baseline' ? [gone, there.url] : [there.url, gone];
    const folder = folderWith({ got: captureFile(...Array.from({ length: 30 }, () => ({}))) });
    const urls = ['--url', `${url}/hook?token=hidden`, '--candidate', `${candidate}?key=hidden`];
    const { code, stdout, stderr } = await inProcess(['replay', join(folder, 'got'), ...urls]);
    const shown = missing === 'baseline' ? `${gone}/hook` : `${gone}/`;
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toBe(
      `evfwd: no request was sent: ${shown} cannot be reached: connection refused; start it, or check ${flag}\n`,
    );
    expect(there.requests).toEqual([]);
  });

  it('names both versions where neither is there, and the profile of the first', async () => {
    const [first, second] = [await unusedUrl(), await unusedUrl()];
    const folder = folderWith({
      got: one,
      'config.yaml': `profiles:\n  local:\n    webhooks: { endpoints: [{ url: '${first}' }] }\n`,
    });
    const config = ['--config', join(folder, 'config.yaml'), '--profile', 'local'];
    const args = ['replay', join(folder, 'got'), ...config, '--candidate', second];
    const { code, stderr } = await inProcess(args);
    expect(code).toBe(2);
    expect(stderr).toContain(`${first} cannot be reached: connection refused; ${second} cannot be`);
    expect(stderr).toMatch(
      /; start both, or check .*config\.yaml:2: profiles\.local and --candidate\n$/,
    );
    expect(stderr.trim().split('\n')).toHaveLength(1);
  });

  it.skipIf(!hasOpenssl)(
    'sends nothing where the certificate of a version is not trusted',
    async () => {
      const server = createTlsServer({ ...makeCertificates().selfSigned }, (_, response) =>
        response.end(),
      ).listen(0, '127.0.0.1');
      ends.push(() => server.close());
      await once(server, 'listening');
      const url = `https://localhost:${(server.address() as AddressInfo).port}`;
      const first = await version(json({}));
      const folder = folderWith({ got: one });
      const urls = ['--url', first.url, '--candidate', url];
      const { code, stderr } = await inProcess(['replay', join(folder, 'got'), ...urls]);
      expect(code).toBe(2);
      expect(stderr).toBe(
        `evfwd: ${url} cannot be reached: the certificate is self-signed; nothing was sent (pass it with --ca to trust it)\n`,
      );
      expect(first.requests).toEqual([]);
    },
  );

  it('looks through the proxy whether both versions are there', async () => {
    const [first, second] = [await version(json({})), await version(json({}))];
    const [firstUrl, secondUrl] = [first, second].map(({ url }) =>
      url.replace('127.0.0.1', 'h.example.test'),
    );
    const run = async (proxy: Proxy) => {
      const flags = ['--url', firstUrl!, '--candidate', secondUrl!, '--proxy', proxy.url, '--yes'];
      return inProcess(['replay', join(folderWith({ got: one }), 'got'), ...flags]);
    };
    const refusing = await startProxy({ response: () => 'HTTP/1.1 502 Bad Gateway\r\n\r\n' });
    const { code, stderr } = await run(refusing);
    expect(code).toBe(2);
    expect(stderr).toContain(`evfwd: ${firstUrl} cannot be reached: the proxy ${refusing.url}`);
    expect(stderr).toContain('did not connect to h.example.test');
    expect(stderr.trim().split('\n')).toHaveLength(1);
    expect(first.requests).toEqual([]);
    expect((await run(await startProxy())).code).toBe(0);
    expect([first.requests.length, second.requests.length]).toEqual([2, 1]);
  });

  it('compares versions that answer only with errors', async () => {
    const { code, summary } = await compare(json({}, 500), json({}, 404));
    expect([code, summary]).toMatchObject([1, { requests: 1, different: 1, failed: 0 }]);
  });

  it('says that both versions refused each request, and so compared nothing else', async () => {
    const refused = 'both versions refused each request (401 or 403); sign them anew';
    expect((await compare(json({}, 401), json({}, 403))).stderr).toContain(refused);
    const two = one + captureFile({ path: '/open' });
    const some: Handler = (request, response) =>
      json({}, request.url === '/open' ? 200 : 401)(request, response);
    expect((await compare(some, some, [], two)).stderr).not.toContain(refused);
  });

  it('takes a response that breaks off as none', async () => {
    const cut: Handler = (_, response) => {
      response.writeHead(200, { 'content-length': 100 });
      response.write('{', () => response.destroy());
    };
    const { code, stderr } = await compare(cut, json({}));
    expect(code).toBe(3);
    expect(stderr).toContain('did not answer: the response broke off before its end');
  });

  it('reads a body that ends with the connection', async () => {
    const server = createTcp((socket) => {
      socket.once('data', () =>
        socket.end('HTTP/1.0 200 OK\r\ncontent-type: application/json\r\n\r\n{"a":2}'),
      );
    }).listen(0, '127.0.0.1');
    ends.push(() => server.close());
    await new Promise((resolve) => server.once('listening', resolve));
    const first = await version(json({ a: 1 }));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const folder = folderWith({ got: one });
    const ran = await inProcess([
      ...['replay', join(folder, 'got'), '--url', first.url, '--candidate', url, '--json'],
    ]);
    expect(ran.stdout).toContain('"kind":"value","at":"body.a"');
    expect(ran.code).toBe(1);
  });

  it('gives up when the first 100 requests were not answered', async () => {
    const captures = captureFile(...Array.from({ length: 400 }, () => ({})));
    const closing: Handler = (_, response) => response.destroy();
    const { code, stderr, summary } = await compare(closing, closing, [], captures);
    expect(code).toBe(3);
    expect(stderr).toContain('stopped: none of the first 100 requests was answered by both');
    expect((summary as { failed: number }).failed).toBeLessThan(300);
  });

  it('counts a line that is no request as failed', async () => {
    const { code, summary, stderr } = await compare(json({}), json({}), [], `{}\n${one}`);
    expect([code, summary]).toMatchObject([3, { requests: 2, same: 1, failed: 1 }]);
    expect(stderr).toMatch(/got:1: rejected: the line is not a recorded request/);
  });

  it('writes a page that loads nothing', async () => {
    const folder = folderWith();
    const page = join(folder, 'out.html');
    const script = '<script>alert(1)</script>';
    await compare(json({ a: 1 }), json({ a: script }), ['--html', page]);
    const html = readFileSync(page, 'utf8');
    expect(html).toContain('<strong>1</strong> <span>of 1 request differs</span>');
    expect(html).toContain('got:1, as curl</summary>');
    expect(html).toContain('&lt;script&gt;alert(1)');
    expect(html).not.toContain('<script');
    expect(html).toContain(`default-src 'none'`);
  });

  it.each<[string, string[], string]>([
    [
      'the same address',
      ['--candidate', 'http://127.0.0.1:9/'],
      '--candidate: is the same address as --url, http://127.0.0.1:9; start',
    ],
    ['the same by its name', ['--candidate', 'http://localhost:9'], 'is the same address as --url'],
    [
      'no URL',
      ['--candidate', 'localhost:8'],
      '--candidate: not a valid http:// or https:// URL; did you mean http://localhost:8?',
    ],
    [
      'two URLs',
      ['--url', 'http://127.0.0.1:7', '--candidate', 'http://127.0.0.1:8'],
      '--candidate is compared with one URL, and --url has 2; use one',
    ],
    [
      'a retry window',
      ['--candidate', 'http://127.0.0.1:8', '--retry-window', '1m'],
      'nothing is retried; leave out --retry-window',
    ],
    [
      'a state',
      ['--candidate', 'http://127.0.0.1:8', '--state-dir', 'x'],
      'nothing is resumed; leave out --state-dir',
    ],
    ['--fresh', ['--candidate', 'http://127.0.0.1:8', '--fresh'], 'leave out --fresh'],
    [
      'dead letters',
      ['--candidate', 'http://127.0.0.1:8', '--dead-letter', 'x'],
      'leave out --dead-letter',
    ],
    ['a log', ['--candidate', 'http://127.0.0.1:8', '--log', 'x'], 'leave out --log'],
    [
      '--max-failures',
      ['--candidate', 'http://127.0.0.1:8', '--max-failures', '1'],
      'leave out --max-failures',
    ],
    [
      '--stop-after',
      ['--candidate', 'http://127.0.0.1:8', '--stop-after', '1'],
      '--stop-after has no meaning; leave it out',
    ],
    [
      '--all-urls',
      ['--candidate', 'http://127.0.0.1:8', '--all-urls'],
      '--all-urls has no meaning; leave it out',
    ],
    [
      '--compare',
      ['--candidate', 'http://127.0.0.1:8', '--compare', 'body'],
      'leave it out, or use --compare headers',
    ],
    ['--compare headers alone', ['--compare', 'headers'], 'use it with --candidate <url>'],
    ['--ignore alone', ['--ignore', 'body.a'], '--ignore needs --candidate; use both'],
    [
      'a header that is not compared',
      ['--candidate', 'http://127.0.0.1:8', '--ignore', 'header.etag'],
      'headers are compared only with --compare headers',
    ],
    [
      'a place that no response has',
      ['--candidate', 'http://127.0.0.1:8', '--ignore', 'generatedAt'],
      '--ignore: "generatedAt" is no place of a response; use',
    ],
    [
      'another baseline',
      ['--candidate', 'http://127.0.0.1:8', '--baseline', '3'],
      '--baseline: "3" must be 1 or 2',
    ],
    ['an address elsewhere', ['--candidate', 'http://192.0.2.1:8'], 'replay sends each request of'],
    [
      'a page in no folder',
      ['--candidate', 'http://127.0.0.1:8', '--html', '/no/such/page.html'],
      'no such folder',
    ],
  ])('refuses %s in one line', async (_, args, message) => {
    const folder = folderWith({ got: one });
    const url = ['--url', 'http://127.0.0.1:9'];
    const { code, stderr } = await inProcess(['replay', join(folder, 'got'), ...url, ...args]);
    expect(stderr).toContain(message);
    expect(stderr.trim().split('\n')).toHaveLength(1);
    expect(code).toBe(2);
  });
});
