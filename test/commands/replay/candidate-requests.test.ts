import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer as createTlsServer } from 'node:https';
import { createServer as createTcp } from 'node:net';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { hasOpenssl, makeCertificates } from '../../helpers/certificates.js';
import { folderWith } from '../../helpers/folder.js';
import { inProcess } from '../../helpers/in-process.js';
import { startProxy, type Proxy } from '../../helpers/proxy.js';
import { captureFile } from '../../replay/captures.js';
import {
  compare,
  ends,
  json,
  one,
  unusedUrl,
  version,
  type HandledRequest,
  type Handler,
} from './versions.js';

describe('what evfwd replay --candidate sends', () => {
  it('sends each request twice to the first version, once to the candidate', async () => {
    const { code, first, second, summary, stderr } = await compare(json({}), json({}));
    expect([first.requests.length, second.requests.length]).toEqual([2, 1]);
    expect(first.requests[0]).toEqual(first.requests[1]);
    expect(code).toBe(0);
    const counts = { requests: 1, same: 1, different: 0, noise: 0, failed: 0 };
    expect(summary).toEqual({ type: 'summary', ...counts });
    expect(stderr).toContain(
      `each request takes effect three times: twice at ${first.url}, once at ${second.url}; one with a rare difference once more at ${second.url}, or in a small group up to twice more at ${first.url} and up to three times more at ${second.url}\n`,
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
      json({}, headers['x-signature'] === digest ? 200 : 401)({} as HandledRequest, response);
    };
    const captures = captureFile({ headers: { 'x-signature': 'old' }, body: '{"a":1}' });
    const args = ['--secret-file', join(folder, 'secret'), '--ignore', 'body'];
    const accepted = await compare(isValid, json({}, 200), args, captures);
    expect(accepted.code, accepted.stdout).toBe(0);
    expect((await compare(json({}, 200), isValid, args, captures)).code).toBe(0);
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
});
