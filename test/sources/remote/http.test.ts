import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { beforeAll, describe, expect, it } from 'vitest';
import { UsageError } from '../../../src/errors.js';
import { readAll, type RandomAccess } from '../../../src/sources/random-access.js';
import { openHttp, type HttpOptions } from '../../../src/sources/remote/http.js';
import type { HttpObject } from '../../../src/sources/remote/remote-object.js';
import type { Retry } from '../../../src/sources/remote/retries.js';
import { SourceError } from '../../../src/sources/source-error.js';
import { hasOpenssl, makeCertificates, type Certificates } from '../../helpers/certificates.js';
import {
  cutAfter,
  object,
  startObjectServer,
  status,
  whole,
  type Answer,
  type ObjectRequest,
  type ObjectServerOptions,
} from '../../helpers/object-server.js';
import { VirtualClock } from '../../helpers/virtual-clock.js';

const bytes = Buffer.from(Array.from({ length: 300_000 }, (_, i) => i % 251));
const strong = { etag: '"one"' };

describe('an object behind a URL', () => {
  it('has a size, an ETag as its version, and a name without secrets', async () => {
    const { server, open } = await served({ bytes });
    const found = await open('?signature=secret');
    expect(found).toMatchObject({ size: 300_000, version: '"one"', hasRanges: true });
    expect(found.name).toBe(server.url);
    expect(server.requests[0]!.path).toBe('/logs/a.ndjson?signature=secret');
    expect(server.requests[0]!.headers).toMatchObject({
      'accept-encoding': 'identity',
      range: 'bytes=0-0',
    });
  });

  it.each([
    [
      { 'last-modified': 'Fri, 20 Nov 2026 08:30:00 GMT' },
      '300000 bytes, Fri, 20 Nov 2026 08:30:00 GMT',
    ],
    [{}, '300000 bytes'],
    [{ etag: 'W/"weak"' }, 'W/"weak"'],
  ])('with %o has the version %s', async (headers, version) => {
    const { open } = await served({ bytes, headers });
    const found = await open();
    expect(found.version).toBe(version);
    expect((await readWhole(found)).equals(bytes)).toBe(true);
  });

  it('is read from any offset, with If-Match', async () => {
    const { server, open } = await served({ bytes });
    const found = (await open()) as RandomAccess;
    for (const [start, end] of [
      [0, 300_000],
      [1_000, 1_001],
      [299_999, 400_000],
      [5, 5],
      [400_000, 400_001],
    ] as const)
      expect((await readAll(found, start, end)).equals(bytes.subarray(start, end))).toBe(true);
    expect(
      server.requests.slice(1).map(({ headers }) => [headers.range, headers['if-match']]),
    ).toEqual([
      ['bytes=0-299999', '"one"'],
      ['bytes=1000-1000', '"one"'],
      ['bytes=299999-299999', '"one"'],
    ]);
  });

  it.each([416, 200, 206])('of size 0 is empty, with status %i', async (code) => {
    const answers: Record<number, Answer | undefined> = {
      200: whole(Buffer.alloc(0)),
      206: undefined,
    };
    const { open } = await served({ answer: () => answers[code] });
    const found = await open();
    expect(found.size).toBe(0);
    expect(await readWhole(found)).toEqual(Buffer.alloc(0));
  });

  it.each([
    ['with its size', false, 300_000],
    ['without its size', true, undefined],
  ])(
    'of a server without ranges is read from the start, by one request, %s',
    async (_name, isChunked, size) => {
      const { server, open } = await served({ answer: () => whole(bytes, strong, isChunked) });
      const found = await open();
      expect([found.size, found.hasRanges]).toEqual([size, false]);
      expect((await readWhole(found)).equals(bytes)).toBe(true);
      expect(server.requests).toHaveLength(1);
      expect(await joined(found.read(1_000, 1_010))).toEqual(bytes.subarray(1_000, 1_010));
      expect(server.requests.map(({ headers }) => headers.range)).toEqual(['bytes=0-0', undefined]);
    },
  );

  it('of a server that stops to know ranges is read on from the start, and ranges are not asked for again', async () => {
    const { server, open } = await served({
      bytes,
      answer: ({ index }) => (index > 0 ? whole(bytes, strong) : undefined),
    });
    const found = (await open()) as RandomAccess;
    expect(await readAll(found, 100, 200)).toEqual(bytes.subarray(100, 200));
    expect(await readAll(found, 300, 400)).toEqual(bytes.subarray(300, 400));
    expect(server.requests.map(({ headers }) => headers.range)).toEqual([
      'bytes=0-0',
      'bytes=100-199',
      undefined,
    ]);
  });

  it('that is stored compressed is read as it is stored', async () => {
    const { open } = await served({ bytes, headers: { ...strong, 'content-encoding': 'gzip' } });
    expect((await readWhole(await open())).equals(bytes)).toBe(true);
  });

  it('that is compressed on the fly has no size, and is not continued when it is cut off', async () => {
    const encoded = whole(bytes, { ...strong, 'content-encoding': 'gzip' });
    const { open } = await served({ answer: () => cutAfter(5_000, encoded) });
    const found = await open();
    expect(found.size).toBeUndefined();
    const error = await failure(readWhole(found));
    expect(error).toBeInstanceOf(SourceError);
    expect((error as Error).message).toMatch(/^was cut off, and the server cannot continue it: /);
  });

  it('whose kept response is not read is dropped after 30 seconds, or when it is closed', async () => {
    const { clock, server, open } = await served({ answer: () => whole(bytes, strong, true) });
    const found = await open();
    clock.advance(30_000);
    expect((await readWhole(found)).equals(bytes)).toBe(true);
    expect(server.requests).toHaveLength(2);
    (await open()).close();
    await expect.poll(() => clock.backgroundWaits).toEqual([]);
  });
});

describe('reading is continued where it stopped', () => {
  const once503: Answer = status(503, { 'retry-after': '7' });

  it.each<[string, (request: ObjectRequest) => Answer | undefined, Partial<Retry>[]]>([
    [
      'after 503 with Retry-After',
      ({ index }) => (index === 1 ? once503 : undefined),
      [{ reason: 'HTTP 503 Service Unavailable', waitMs: 7_000 }],
    ],
    [
      'after 503 with a date',
      ({ index }) =>
        index === 1 ? status(503, { 'retry-after': 'Fri, 20 Nov 2026 08:30:09 GMT' }) : undefined,
      [{ waitMs: 9_000 }],
    ],
    [
      'after 503 with a long Retry-After',
      ({ index }) => (index === 1 ? status(503, { 'retry-after': '86400' }) : undefined),
      [{ waitMs: 120_000 }],
    ],
    [
      'after 408, 425, 429, 500',
      ({ index }) => (index < 4 ? status([408, 425, 429, 500][index]!) : undefined),
      [{ waitMs: 500 }, { waitMs: 1_000 }, { waitMs: 2_000 }, { waitMs: 4_000 }],
    ],
    [
      'after cut bodies',
      ({ index }) => (index > 0 && index < 4 ? cutAfter(10_000, object(bytes, strong)) : undefined),
      [{ waitMs: 500 }, { waitMs: 500 }, { waitMs: 500 }],
    ],
    [
      'after resets',
      ({ index }) =>
        index > 0 && index < 3 ? cutAfter(10_000, object(bytes, strong), true) : undefined,
      [{ waitMs: 500 }, { waitMs: 500 }],
    ],
    [
      'after a reset without a response',
      ({ index }) => (index === 1 ? (response) => response.socket!.resetAndDestroy() : undefined),
      [{ waitMs: 500 }],
    ],
    [
      'of a server without ranges',
      ({ index }) => (index === 0 ? cutAfter(10_000, whole(bytes, strong)) : whole(bytes, strong)),
      [{ waitMs: 500 }],
    ],
    [
      'of a chunked body',
      ({ index }) =>
        index === 0 ? cutAfter(10_000, whole(bytes, strong, true)) : whole(bytes, strong, true),
      [{ waitMs: 500 }],
    ],
    [
      'after a body that is shorter than it says',
      ({ index }) =>
        index === 1 ? chunkedPart('bytes 0-299999/300000', bytes.subarray(0, 500)) : undefined,
      [{ reason: 'the answer was cut off' }],
    ],
    [
      'after a smaller part than asked for',
      ({ index }) =>
        index === 1 ? chunkedPart('bytes 0-499/300000', bytes.subarray(0, 500)) : undefined,
      [],
    ],
    [
      'after a larger part than asked for',
      ({ index }) => (index === 1 ? chunkedPart('bytes 0-299999/300000', bytes) : undefined),
      [],
    ],
  ])('%s', async (_name, answer, expected) => {
    const retries: Retry[] = [];
    const { clock, open } = await served(
      { bytes, answer },
      { onRetry: (retry) => retries.push(retry) },
    );
    const read = async () => readWhole(await open());
    expect((await clock.runUntil(read())).equals(bytes)).toBe(true);
    expect(retries).toMatchObject(expected);
    expect(retries).toHaveLength(expected.length);
  });

  it('after 30 seconds without a byte, before and in a body', async () => {
    const silent: Answer = () => undefined;
    const slow: Answer = (response, { range }) => {
      const header = `bytes ${range![0]}-${range![1] - 1}/300000`;
      response.writeHead(206, { ...strong, 'content-range': header });
      response.write(bytes.subarray(range![0], range![0] + 1_000));
    };
    const answers = [undefined, silent, slow];
    const { clock, server, open } = await served({ bytes, answer: ({ index }) => answers[index] });
    const found = await open();
    let read = 0;
    const all = (async () => {
      const chunks: Buffer[] = [];
      for await (const chunk of found.read(0, Infinity)) {
        read += chunk.length;
        chunks.push(chunk);
      }
      return Buffer.concat(chunks);
    })();
    await server.arrived(2);
    clock.advance(30_000);
    await clock.timers(1);
    clock.advance(500);
    await expect.poll(() => read).toBe(1_000);
    await expect.poll(() => clock.backgroundWaits).toContain(30_000);
    clock.advance(30_000);
    await clock.timers(1);
    clock.advance(500);
    expect((await all).equals(bytes)).toBe(true);
    expect(server.requests.at(-1)!.headers.range).toBe('bytes=1000-299999');
  });

  it('for ten minutes without progress', async () => {
    const { clock, open } = await served({
      answer: () => status(503, {}, '<Error><Code>SlowDown</Code></Error>'),
    });
    const error = await failure(clock.runUntil(open()));
    expect(error).toBeInstanceOf(SourceError);
    expect((error as Error).message).toBe(
      'could not be read for ten minutes: HTTP 503 Service Unavailable (SlowDown)',
    );
    expect(clock.elapsedMs).toBeGreaterThan(560_000);
    expect(clock.elapsedMs).toBeLessThanOrEqual(600_000);
  });

  it('unless the signal ends the wait', async () => {
    const controller = new AbortController();
    const { clock, open } = await served(
      { answer: () => status(503) },
      { signal: controller.signal },
    );
    const opening = failure(open());
    await clock.timers(1);
    controller.abort(new Error('stopped'));
    expect(await opening).toMatchObject({ message: 'stopped' });
    expect(clock.waits).toEqual([]);
  });

  it('unless the signal ends the request', async () => {
    const { clock, server, open } = await served({
      bytes,
      answer: ({ index }) => (index === 1 ? () => undefined : undefined),
    });
    const found = await open();
    const controller = new AbortController();
    const reading = failure(joined(found.read(0, 10, controller.signal)));
    await server.arrived(2);
    controller.abort(new Error('stopped'));
    expect(await reading).toMatchObject({ message: 'stopped' });
    expect(clock.backgroundWaits).toEqual([]);
  });
});

describe('an object that changes while it is read ends as an error', () => {
  const other = Buffer.from(bytes.toReversed());
  const after = (answer: Answer): ObjectServerOptions => ({
    bytes,
    answer: ({ index }) =>
      index === 0 ? undefined : index === 1 ? cutAfter(10_000, object(bytes, strong)) : answer,
  });

  it.each<[string, ObjectServerOptions]>([
    ['by 412', after(object(other, { etag: '"two"' }))],
    ['by another ETag', after(ignoringIfMatch(object(other, { etag: '"two"' })))],
    ['by another ETag of all', after(whole(other, { etag: '"two"' }))],
    ['by another size', after(ignoringIfMatch(object(Buffer.concat([bytes, bytes]), strong)))],
    ['by another size of all', after(whole(Buffer.concat([bytes, bytes]), strong))],
    ['by 416', after(status(416))],
    [
      'by compression on the fly',
      after(whole(other, { ...strong, 'content-encoding': 'gzip' }, true)),
    ],
  ])('%s', async (_name, options) => {
    const { clock, open } = await served(options);
    const error = await failure(clock.runUntil(open().then(readWhole)));
    expect(error).toBeInstanceOf(SourceError);
    expect(error).toMatchObject({
      message: 'has changed while it was read',
      advice: 'run again when nothing writes to it',
    });
  });

  it('by another Last-Modified, without an ETag', async () => {
    const answer = ({ index }: ObjectRequest) =>
      object(bytes, { 'last-modified': `Fri, 20 Nov 2026 08:30:0${index} GMT` });
    const { open } = await served({ answer });
    const error = await failure(readWhole(await open()));
    expect(error).toMatchObject({ message: 'has changed while it was read' });
  });
});

describe('a server that lies about ranges', () => {
  it.each<[string, Answer]>([
    ['with another start', chunkedPart('bytes 1-299999/300000', bytes.subarray(1))],
    ['without Content-Range', chunkedPart(undefined, bytes)],
    ['with a senseless Content-Range', chunkedPart('bytes 0-300000/300000', bytes)],
    ['with more bytes than it says', chunkedPart('bytes 0-99/300000', bytes)],
  ])('%s is not believed', async (_name, answer) => {
    const { open } = await served({
      bytes,
      answer: ({ index }) => (index === 1 ? answer : undefined),
    });
    const error = await failure(readWhole(await open()));
    expect(error).toBeInstanceOf(SourceError);
    expect((error as Error).message).toBe(
      'the server answers requests for a part with other bytes',
    );
  });

  it('is read from the start if it does not tell the size', async () => {
    const answer: (request: ObjectRequest) => Answer = ({ index }) =>
      index === 0 ? chunkedPart('bytes 0-0/*', bytes.subarray(0, 1)) : whole(bytes, {}, true);
    const { open } = await served({ answer });
    const found = await open();
    expect([found.size, found.hasRanges]).toEqual([undefined, false]);
    expect((await readWhole(found)).equals(bytes)).toBe(true);
  });
});

describe('a URL that cannot be read is an error of the command', () => {
  it.each<[number, string, string, string]>([
    [
      401,
      '',
      '',
      "HTTP 401 Unauthorized; pass its authentication with --source-header 'Authorization: …'",
    ],
    [
      403,
      '',
      '',
      "HTTP 403 Forbidden; pass its authentication with --source-header 'Authorization: …'",
    ],
    [
      403,
      '?X-Amz-Signature=secret',
      '<Error><Code>AccessDenied</Code><Message>secret</Message></Error>',
      'HTTP 403 Forbidden (AccessDenied); the presigned URL may have expired; make a new one',
    ],
    [
      403,
      '?sig=secret',
      '<Code>x y</Code>',
      'HTTP 403 Forbidden; the presigned URL may have expired; make a new one',
    ],
    [404, '?x=secret', '', 'HTTP 404 Not Found; check the URL'],
    [410, '', '', 'HTTP 410 Gone; check the URL'],
    [400, '', '', 'HTTP 400 Bad Request; check the URL'],
  ])('after %i with %s and %s', async (code, query, body, message) => {
    const { server, open } = await served({ answer: () => status(code, {}, body) });
    const error = await failure(open(query));
    expect(error).toBeInstanceOf(UsageError);
    expect((error as Error).message).toBe(`${server.url}: ${message}`);
  });

  it('with the code of Azure', async () => {
    const { open } = await served({
      answer: () => status(403, { 'x-ms-error-code': 'AuthenticationFailed' }),
    });
    await expect(open()).rejects.toThrow('HTTP 403 Forbidden (AuthenticationFailed)');
  });

  it('but in the middle, the reading has ended early', async () => {
    const { open } = await served({
      bytes,
      answer: ({ index }) => (index === 1 ? status(403) : undefined),
    });
    const error = await failure(readWhole(await open('?sig=secret')));
    expect(error).toBeInstanceOf(SourceError);
    expect(error).toMatchObject({
      message: 'HTTP 403 Forbidden',
      advice: 'the presigned URL may have expired; make a new one',
    });
  });

  it('when nothing listens there', async () => {
    const server = createServer();
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;
    await new Promise((resolve) => server.close(resolve));
    const url = `http://127.0.0.1:${port}/a`;
    const error = await failure(openHttp(url, { clock: new VirtualClock() }));
    expect(error).toBeInstanceOf(UsageError);
    expect((error as Error).message).toBe(`${url}: the connection was refused; check the URL`);
  });

  it('when what listens there does not speak HTTP', async () => {
    const { server, open } = await served({
      answer: () => (response) => response.socket!.end('SSH-2.0-x\r\n\r\n'),
    });
    const error = await failure(open());
    expect(error).toBeInstanceOf(UsageError);
    expect((error as Error).message).toBe(`${server.url}: the answer is not HTTP; check the URL`);
  });

  it.each(['ftp://example.com/a', 'secret', 'http://'])('when it is %s', async (url) => {
    const error = await failure(openHttp(url, { clock: new VirtualClock() }));
    expect(error).toBeInstanceOf(UsageError);
    expect((error as Error).message).not.toContain('secret');
  });

  it.each([
    ['Range', 'bytes=0-1'],
    ['a b', 'c'],
    ['x', 'a\nb'],
  ])('when a header is %s: %s', async (name, value) => {
    const { server, open } = await served({}, { headers: [[name, value]] });
    await expect(open()).rejects.toThrow(/^--source-header: /);
    expect(server.requests).toEqual([]);
  });
});

describe('redirects', () => {
  it('are followed, and headers stay with their origin', async () => {
    const target = await startObjectServer({ bytes });
    const { server, open } = await served(
      {
        answer: ({ path }) =>
          status(302, {
            location: path === '/logs/a.ndjson' ? '/next' : `${target.url}?sig=secret`,
          }),
      },
      { headers: [['Authorization', 'Bearer secret']] },
    );
    const found = await open();
    expect(found.size).toBe(300_000);
    expect(found.name).toBe(server.url);
    expect(server.requests.map(({ path, headers }) => [path, headers.authorization])).toEqual([
      ['/logs/a.ndjson', 'Bearer secret'],
      ['/next', 'Bearer secret'],
    ]);
    expect(target.requests[0]!.headers.authorization).toBeUndefined();
    expect(target.requests[0]!.headers.range).toBe('bytes=0-0');
  });

  it.each([
    [
      'more than 5',
      (index: number) => (index < 6 ? `/${index}?secret` : undefined),
      'redirects more than 5 times',
    ],
    ['to a file', () => 'file:///etc/passwd', 'redirects to what is not an http URL'],
    ['to nowhere', () => 'http://[', 'redirects to what is not an http URL'],
  ])('%s are refused', async (_name, location, message) => {
    const { server, open } = await served({
      answer: ({ index }) => status(307, { location: location(index) ?? '/' }),
    });
    const error = await failure(open());
    expect(error).toBeInstanceOf(UsageError);
    expect((error as Error).message).toBe(`${server.url}: ${message}; pass the final URL`);
  });

  it('are followed 5 times', async () => {
    const { open } = await served({
      bytes,
      answer: ({ index }) => (index < 5 ? status(301, { location: `/${index}` }) : undefined),
    });
    expect((await open()).size).toBe(300_000);
  });
});

it('the user and password of a URL are sent, and never shown', async () => {
  const { server } = await served({
    answer: ({ index }) => (index > 0 ? status(401) : undefined),
    bytes,
  });
  const clock = new VirtualClock();
  const url = server.url.replace('//', '//me%40x:pa%3Ass@');
  const found = await openHttp(url, { clock });
  expect(found.name).toBe(server.url);
  const pair = Buffer.from('me@x:pa:ss').toString('base64');
  expect(server.requests[0]!.headers.authorization).toBe(`Basic ${pair}`);
  const error = (await failure(openHttp(url, { clock }))) as Error;
  expect(error.message).toBe(
    `${server.url}: HTTP 401 Unauthorized; pass its authentication with --source-header 'Authorization: …'`,
  );
});

describe.skipIf(!hasOpenssl)('https', () => {
  let made: Certificates;
  beforeAll(() => {
    made = makeCertificates();
  });

  it('needs a trusted certificate', async () => {
    const { server, open } = await served({ bytes, tls: made.good });
    const error = await failure(open());
    expect(error).toBeInstanceOf(UsageError);
    expect((error as Error).message).toMatch(
      new RegExp(
        `^${server.url}: the certificate of the server is not trusted \\([A-Z_]+\\); pass the certificate of its authority with --source-ca$`,
      ),
    );
    const trusting = await openHttp(server.url, { clock: new VirtualClock(), ca: made.ca });
    expect((await readWhole(trusting)).equals(bytes)).toBe(true);
  });

  it('is not left for http', async () => {
    const plain = await startObjectServer({ bytes });
    const { server, open } = await served(
      { tls: made.good, answer: () => status(302, { location: `${plain.url}?secret` }) },
      { ca: made.ca },
    );
    await expect(open()).rejects.toThrow(
      `${server.url}: redirects from https to http, to ${plain.url}; pass the final URL`,
    );
    expect(plain.requests).toEqual([]);
  });
});

async function served(options: ObjectServerOptions = {}, rest: Partial<HttpOptions> = {}) {
  const server = await startObjectServer(options);
  const clock = new VirtualClock();
  const open = (query = '') => openHttp(server.url + query, { clock, ...rest });
  return { server, clock, open };
}

function readWhole(found: HttpObject): Promise<Buffer> {
  return joined(found.read(0, found.size ?? Infinity));
}

async function joined(chunks: AsyncIterable<Buffer>): Promise<Buffer> {
  const all: Buffer[] = [];
  for await (const chunk of chunks) all.push(chunk);
  return Buffer.concat(all);
}

function failure(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => undefined,
    (error: unknown) => error,
  );
}

/** 206 without Content-Length, so that any number of bytes may follow. */
function chunkedPart(contentRange: string | undefined, body: Buffer): Answer {
  return (response) => {
    const range = contentRange === undefined ? {} : { 'content-range': contentRange };
    response.writeHead(206, { ...strong, ...range });
    response.write(body.subarray(0, 1));
    response.end(body.subarray(1));
  };
}

function ignoringIfMatch(answer: Answer): Answer {
  return (response, request) => {
    answer(response, { ...request, headers: { ...request.headers, 'if-match': undefined } });
  };
}
