import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { UsageError } from '../../src/errors.js';
import { Journal } from '../../src/listen/journal.js';
import { Recorder } from '../../src/listen/recorder.js';
import { sign } from '../../src/sign/x-signature.js';
import { folderWith } from '../helpers/folder.js';
import { listening, raw, verifying } from './listening.js';

const run = promisify(execFile);

async function post(url: string, body: Buffer | string, headers: Record<string, string> = {}) {
  return fetch(url, { method: 'POST', body, headers });
}

describe('every request', () => {
  it('gets 200 with a JSON object, and is kept with its headers as received', async () => {
    const { port, got } = await listening();
    const { text } = await raw(
      port,
      'POST /a/b?c=d HTTP/1.1\r\nHoST: x\r\nX-Two: 1\r\nx-two: 2\r\nContent-Length: 2\r\nConnection: close\r\n\r\nhi',
    );
    expect(text).toMatch(/^HTTP\/1\.1 200 OK\r\nContent-Type: application\/json\r\n/);
    expect(text).toMatch(/\r\n\r\n\{"success":true\}$/);
    expect(got()).toMatchObject([
      {
        method: 'POST',
        path: '/a/b?c=d',
        headers: [
          'HoST',
          'x',
          'X-Two',
          '1',
          'x-two',
          '2',
          'Content-Length',
          '2',
          'Connection',
          'close',
        ],
        body: Buffer.from('hi'),
        sequence: 1,
      },
    ]);
  });

  it.each(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'CONNECT', 'PROPFIND'])(
    'of method %s, as curl sends it',
    async (method) => {
      const { url, got } = await listening();
      const { stdout } = await run('curl', ['-s', '-X', method, '--max-time', '10', `${url}/any`]);
      expect(stdout).toBe('{"success":true}');
      expect(got()).toMatchObject([{ method, path: '/any', body: Buffer.alloc(0) }]);
    },
  );

  it('is answered in its order, also a CONNECT after a request that has no response yet', async () => {
    const { port, got } = await listening({ faults: ['delay=200ms'] });
    const { text } = await raw(
      port,
      'POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nhiCONNECT b:1 HTTP/1.1\r\nHost: x\r\n\r\n',
    );
    expect(text.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 200']);
    expect(got().map(({ method }) => method)).toEqual(['POST', 'CONNECT']);
  });

  it('is kept with thousands of headers', async () => {
    const { port, got } = await listening();
    await raw(
      port,
      `GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${'a:\r\n'.repeat(2_000)}\r\n`,
    );
    expect(got()[0]!.headers.filter((name) => name === 'a')).toHaveLength(2_000);
  });

  it('of method HEAD gets no body', async () => {
    const { url, got } = await listening();
    const response = await fetch(`${url}/any`, { method: 'HEAD' });
    expect([response.status, await response.text()]).toEqual([200, '']);
    expect(got()).toMatchObject([{ method: 'HEAD' }]);
  });

  it.each([
    ['HTTP/1.0', 'POST / HTTP/1.0\r\nContent-Length: 1\r\n\r\nx'],
    ['no Host', 'POST / HTTP/1.1\r\nConnection: close\r\nContent-Length: 1\r\n\r\nx'],
    [
      'a whole URL',
      'POST http://other/ HTTP/1.1\r\nHost: other\r\nConnection: close\r\nContent-Length: 1\r\n\r\nx',
    ],
    [
      'dots in its path',
      'POST /../../etc HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 1\r\n\r\nx',
    ],
    [
      'chunks',
      'POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n',
    ],
    [
      'an expectation',
      'POST / HTTP/1.1\r\nHost: a\r\nExpect: wonders\r\nConnection: close\r\nContent-Length: 1\r\n\r\nx',
    ],
    [
      'an upgrade',
      'POST / HTTP/1.1\r\nHost: a\r\nUpgrade: h2c\r\nConnection: upgrade, close\r\nContent-Length: 1\r\n\r\nx',
    ],
  ])('with %s is accepted', async (_name, text) => {
    const { port, got } = await listening();
    expect((await raw(port, text)).text).toContain('200 OK');
    expect(got()[0]!.body.toString()).toBe('x');
  });

  it('keeps any bytes as received', async () => {
    const { url, got, journal } = await listening();
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 2000 }), async (bytes) => {
        await (await post(`${url}/hook`, Buffer.from(bytes))).text();
        expect(got().at(-1)!.body.equals(bytes)).toBe(true);
        journal.reset();
      }),
      { numRuns: 50 },
    );
  });

  it('may be one of many on a connection, sent without waiting', async () => {
    const { port, got } = await listening();
    const one = 'POST /p HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\n';
    const last = 'GET /last HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n';
    const { text } = await raw(port, `${one}1${one}2${one}3${last}`);
    expect(text.match(/HTTP\/1\.1 200 OK/g)).toHaveLength(4);
    expect(got().map(({ body }) => body.toString())).toEqual(['1', '2', '3', '']);
  });

  it('lets pages of any origin post, as clients in a browser do', async () => {
    const { url } = await listening();
    const preflight = await fetch(`${url}/v1/t`, {
      method: 'OPTIONS',
      headers: {
        origin: 'https://shop.example',
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization,content-type',
      },
    });
    expect(preflight.status).toBe(200);
    expect(Object.fromEntries(preflight.headers)).toMatchObject({
      'access-control-allow-origin': 'https://shop.example',
      'access-control-allow-methods': 'POST',
      'access-control-allow-headers': 'authorization,content-type',
    });
    const response = await post(`${url}/v1/t`, '{}', { origin: 'https://shop.example' });
    expect(response.headers.get('access-control-allow-origin')).toBe('https://shop.example');
  });
});

describe('the signature', () => {
  const body = gzipSync('{"type":"track","event":"E","userId":"u"}');

  it.each([
    ['valid', { 'x-signature': sign(body, 'shh') }],
    ['invalid', { 'x-signature': sign('other', 'shh') }],
    ['invalid', { 'x-signature': sign(body, 'shh').toUpperCase() }],
    ['missing', {}],
  ])('is %s, over the raw bytes', async (verdict, headers) => {
    const { url, got } = await listening({ secret: 'shh' });
    await post(url, body, headers);
    expect(got()).toMatchObject([{ signature: verdict, summary: { type: 'track', name: 'E' } }]);
  });

  it('is invalid when it was sent twice', async () => {
    const { port, got } = await listening({ secret: 'shh' });
    const header = `X-Signature: ${sign('x', 'shh')}\r\n`;
    await raw(
      port,
      `POST / HTTP/1.1\r\nHost: a\r\n${header}${header}Connection: close\r\nContent-Length: 1\r\n\r\nx`,
    );
    expect(got()[0]!.signature).toBe('invalid');
  });

  it('is unchecked without a secret', async () => {
    const { url, got } = await listening();
    await post(url, body, { 'x-signature': sign(body, 'shh') });
    expect(got()[0]!.signature).toBe('unchecked');
  });
});

describe('a body', () => {
  const most = 1_048_576;

  it('of 1,048,576 bytes is accepted, and of one more rejected with 413', async () => {
    const { url, got } = await listening();
    expect((await post(url, Buffer.alloc(most, 'x'))).status).toBe(200);
    const refused = await post(url, Buffer.alloc(most + 1, 'x'));
    expect(refused.status).toBe(413);
    expect(await refused.json()).toMatchObject({ success: false, code: 'payload_too_large' });
    expect(got().map(({ body, bytes, response }) => [body.length, bytes, response.status])).toEqual(
      [
        [most, most, 200],
        [0, most + 1, 413],
      ],
    );
  });

  it.each([
    ['announced', 'Content-Length: 100000000'],
    ['in chunks', 'Transfer-Encoding: chunked'],
  ])('of 100 MB, %s, is rejected without being read to its end', async (_name, header) => {
    const { port, arrived, got } = await listening();
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => undefined);
    let sent = 0;
    let text = '';
    const chunk = Buffer.alloc(64 * 1024, 'x');
    const framed = header.includes('chunked')
      ? Buffer.concat([Buffer.from('10000\r\n'), chunk, Buffer.from('\r\n')])
      : chunk;
    const closed = once(socket, 'close');
    socket.on('data', (data: Buffer) => (text += data.toString()));
    const pump = (): void => {
      while (sent < 100_000_000 && !socket.destroyed && text === '') {
        sent += chunk.length;
        if (!socket.write(framed)) {
          socket.once('drain', pump);
          return;
        }
      }
      if (text !== '') socket.end();
    };
    socket.write(`POST /big HTTP/1.1\r\nHost: a\r\n${header}\r\n\r\n`);
    pump();
    await arrived(1);
    await closed;
    expect(text).toContain('413 Payload Too Large');
    expect(text).toContain('Connection: close');
    expect(sent).toBeLessThan(100_000_000);
    expect(got()).toMatchObject([
      { path: '/big', signature: 'unchecked', response: { status: 413 } },
    ]);
  });

  it('that is too large is rejected before it is sent, if its sender asks first', async () => {
    const { port } = await listening();
    const { text } = await raw(
      port,
      'POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 2000000\r\nConnection: close\r\n\r\n',
    );
    expect(text).toMatch(/^HTTP\/1\.1 413 /);
  });

  it('is requested with 100 if its sender waits for that', async () => {
    const { port, got } = await listening();
    const { text } = await raw(
      port,
      'POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 1\r\nConnection: close\r\n\r\n',
      'x',
    );
    expect(text).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 OK/);
    expect(got()).toHaveLength(1);
  });

  it('that is aborted is reported, and not recorded', async () => {
    const { port, url, got, notes } = await listening();
    const socket = connect(port, '127.0.0.1');
    socket.end('POST /cut?secret=1 HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nhalf');
    socket.resume();
    await once(socket, 'close');
    await post(url, 'next');
    expect(notes).toEqual(['POST /cut: aborted after 4 bytes of its body; not recorded']);
    expect(got().map(({ body }) => body.toString())).toEqual(['next']);
  });
});

describe('faulty senders', () => {
  it('with a header of 5 MB get 431', async () => {
    const { port, url, notes, got } = await listening();
    const header = `X-Long: ${'x'.repeat(5_000_000)}\r\n`;
    const { text } = await raw(port, `POST / HTTP/1.1\r\nHost: a\r\n${header}\r\n`);
    expect(text).toMatch(/^HTTP\/1\.1 431 Request Header Fields Too Large\r\n/);
    expect(notes).toEqual(['refused a request: its headers are larger than 16 KB (431)']);
    expect((await post(url, 'still here')).status).toBe(200);
    expect(got()).toHaveLength(1);
  });

  it.each([
    'nonsense\r\n\r\n',
    'FOO / HTTP/1.1\r\nHost: a\r\n\r\n',
    '\u0016\u0003\u0001\u0002\u0000\u0001',
  ])('with %j, which is not HTTP, get 400', async (text) => {
    const { port, notes } = await listening();
    expect((await raw(port, text)).text).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
    expect(notes).toEqual([
      'refused a request: it is not valid HTTP/1.1, or its method is unknown (400)',
    ]);
  });

  it.each([
    ['header', 'POST / HTTP/1.1\r\nHo'],
    ['body', 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nha'],
  ])('that are slow with their %s get 408, and delay nobody', async (_part, text) => {
    const timeouts = { headerMs: 200, requestMs: 200 };
    const { port, url, got } = await listening({ timeouts });
    const slow = Array.from({ length: 20 }, () => raw(port, text));
    expect((await post(url, 'quick')).status).toBe(200);
    for (const { text: response } of await Promise.all(slow)) {
      expect(response).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n/);
    }
    expect(got()).toHaveLength(1);
  });
});

describe('what is recorded', () => {
  it('is in the file before the response is sent', async () => {
    const path = join(folderWith(), 'got.ndjson');
    const recorder = new Recorder(path, (error) => {
      throw error as Error;
    });
    const { url } = await listening({ recorder });
    const lines = () =>
      readFileSync(path, 'utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line));
    for (let count = 1; count <= 5; count++) {
      await post(`${url}/${count}`, 'x');
      expect(lines()).toHaveLength(count);
      expect(lines().at(-1)).toMatchObject({ path: `/${count}`, body: 'x' });
    }
  });

  it('is everything, in the order of arrival, even at full speed', async () => {
    const path = join(folderWith(), 'got.ndjson');
    const recorder = new Recorder(path, (error) => {
      throw error as Error;
    });
    const { url, close } = await listening({ recorder });
    const bodies = Array.from({ length: 500 }, (_, i) => `body ${i}`);
    await Promise.all(bodies.map(async (body) => (await post(url, body)).text()));
    await close();
    const lines = readFileSync(path, 'utf8').trim().split('\n');
    const read = lines.map((line) => JSON.parse(line) as { id: string; body: string });
    expect(read.map(({ body }) => body).sort()).toEqual(bodies.sort());
    const numbers = read.map(({ id }) => Number(id.split('-')[1]));
    expect(numbers).toEqual(numbers.map((_, i) => i + 1));
  });

  it('that cannot be written gets no response', async () => {
    const cwd = folderWith({ 'a-file': '' });
    const failures: unknown[] = [];
    const recorder = new Recorder(join(cwd, 'a-file', 'x'), (error) => failures.push(error));
    const { url, close } = await listening({ recorder });
    const response = post(url, 'x').catch((error: unknown) => error);
    await expect.poll(() => failures).toHaveLength(1);
    await close();
    expect(await response).toBeInstanceOf(Error);
  });
});

it.each([
  [
    'throws',
    () => {
      throw new TypeError('hush');
    },
    'TypeError',
  ],
  [
    'throws what is no error',
    () => {
      // eslint-disable-next-line @typescript-eslint/only-throw-error -- that is the point
      throw 'hush';
    },
    'string',
  ],
])('answers 500 with one note when a stage %s, and goes on', async (_name, fail, name) => {
  const { url, got, notes, faults } = await listening();
  vi.spyOn(faults, 'choose').mockImplementationOnce(fail);
  expect((await post(`${url}/hook?a=secret`, 'x')).status).toBe(500);
  expect(notes).toEqual([`POST /hook: internal error (${name}); answered with 500, not recorded`]);
  expect((await post(url, 'y')).status).toBe(200);
  expect(got()).toHaveLength(1);
});

describe('with --record', () => {
  const pipelined = (names: readonly string[]) =>
    names.map((name) => `GET /${name} HTTP/1.1\r\nHost: x\r\n\r\n`).join('') +
    'GET /last HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';
  const paths = (path: string): string[] =>
    readFileSync(path, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => (JSON.parse(line) as { path: string }).path);

  it('records, then reports, then responds to each request, in the order of arrival', async () => {
    const path = join(folderWith(), 'got.ndjson');
    const journal = new Journal();
    const steps: string[] = [];
    const reported: string[] = [];
    let responses = '';
    const end = vi.spyOn(ServerResponse.prototype, 'end');
    journal.watch({
      added: ({ path: target }) => {
        reported.push(target);
        if (paths(path).includes(target)) steps.push(`${target} is recorded`);
        steps.push(`${target} is reported after ${end.mock.calls.length} responses`);
      },
    });
    const recorder = new Recorder(path, (error) => expect.unreachable(String(error)));
    const { port, url } = await listening({ journal, recorder });
    const socket = connect(port, '127.0.0.1', () => socket.write(pipelined(['a', 'b'])));
    socket.on('data', (data: Buffer) => (responses += data.toString('latin1')));
    await once(socket, 'close');
    const all = ['/a', '/b', '/last'];
    end.mockRestore();
    expect(steps).toEqual(
      all.flatMap((one, i) => [`${one} is recorded`, `${one} is reported after ${i} responses`]),
    );
    expect(responses.match(/HTTP\/1\.1 200/g)).toHaveLength(3);
    await Promise.all([post(`${url}/c`, 'x'), post(`${url}/d`, 'x'.repeat(100_000))]);
    expect(paths(path)).toEqual(reported);
  });

  it('an error while one request is reported costs only that one', async () => {
    const path = join(folderWith(), 'got.ndjson');
    const journal = new Journal();
    journal.watch({
      added: ({ path: target }) => {
        if (target === '/b') throw new TypeError('hush');
      },
    });
    const recorder = new Recorder(path, (error) => expect.unreachable(String(error)));
    const { port } = await listening({ journal, recorder });
    const { text } = await raw(port, pipelined(['a', 'b', 'c']));
    expect(text.match(/HTTP\/1\.1 \d+/g)?.map((line) => line.slice(-3))).toEqual([
      '200',
      '500',
      '200',
      '200',
    ]);
    expect(paths(path)).toEqual(['/a', '/b', '/c', '/last']);
  });
});

describe('the end', () => {
  it('waits for responses in flight', async () => {
    const { url, close, arrived } = await listening({ faults: ['delay=200ms'] });
    const response = post(url, 'x');
    await arrived(1);
    await close();
    expect((await response).status).toBe(200);
  });

  it('does not wait for those that never arrive', async () => {
    const { url, close, arrived } = await listening({ faults: ['hang'] });
    const response = post(url, 'x').catch((error: unknown) => error);
    await arrived(1);
    await close();
    expect(await response).toBeInstanceOf(Error);
  });
});

it('reports the port in use, and the next step', async () => {
  const { port } = await listening();
  const { startListener } = await import('../../src/listen/listener.js');
  const { Faults } = await import('../../src/listen/fault-plan.js');
  const { Journal } = await import('../../src/listen/journal.js');
  const start = (host: string) =>
    startListener({
      host,
      port,
      faults: new Faults({ faults: [], seed: 1 }),
      journal: new Journal(),
      verification: verifying(undefined),
    });
  await expect(start('127.0.0.1')).rejects.toThrow(UsageError);
  await expect(start('127.0.0.1')).rejects.toThrow(
    `port ${port} of 127.0.0.1 is in use; use another --port, or --port 0 for a free one`,
  );
  await expect(start('192.0.2.1')).rejects.toThrow(
    '--host 192.0.2.1 is not an address of this machine',
  );
});

it('survives any bytes in the headers that it responds with', async () => {
  const { port, url } = await listening();
  for (let code = 0; code < 256; code++) {
    const value = Buffer.from([0x61, code, 0x62]).toString('latin1');
    const text = `OPTIONS / HTTP/1.1\r\nOrigin: ${value}\r\nAccess-Control-Request-Method: ${value}\r\nAccess-Control-Request-Headers: ${value}\r\nConnection: close\r\n\r\n`;
    const { text: response } = await raw(port, Buffer.from(text, 'latin1'));
    expect(response).toMatch(/^HTTP\/1\.1 (?:200|400) /);
  }
  expect((await post(url, 'x')).status).toBe(200);
});
