import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { basic, outcome, send, startCollecting, textOf, type Collecting } from './collecting.js';

const call = '{"type":"track","userId":"u","event":"e"}';
const batch = `{"batch":[${call}]}`;
const maxBytes = 520 * 1024;

/** A batch of this size in bytes. */
function batchOf(bytes: number): string {
  return batch.replace('}]', `}]${' '.repeat(bytes - batch.length)}`);
}

describe('a compressed body', () => {
  it.each([
    ['gzip', gzipSync(batch)],
    ['x-gzip', gzipSync(batch)],
    ['GZIP', gzipSync(batch)],
    ['gzip', Buffer.concat([gzipSync(batch.slice(0, 9)), gzipSync(batch.slice(9))])],
    ['deflate', deflateSync(batch)],
    ['deflate', deflateRawSync(batch)],
    ['identity', batch],
    ['', gzipSync(batch)],
    ['gzip', batch],
    ['deflate', batch],
  ])('is accepted: %s', async (encoding, body) => {
    const api = await startCollecting();
    const headers = { ...basic, ...(encoding && { 'content-encoding': encoding }) };
    expect(outcome(await send(api, { headers, body }))).toBe('200 success');
    expect(api.accepted.map(textOf)).toEqual([call]);
  });

  it.each([
    ['cut short', 'gzip', gzipSync(batch).subarray(0, -9), '400 invalid_encoding'],
    ['of nothing but a header', 'gzip', gzipSync(batch).subarray(0, 10), '400 invalid_encoding'],
    ['damaged', 'deflate', Buffer.from([0x78, 0x9c, 1, 2, 3, 4]), '400 invalid_encoding'],
    ['no compression', 'gzip', 'hello', '400 invalid_json'],
    ['of another kind', 'br', 'hello', '415 unknown_encoding'],
    ['a bomb', 'gzip', gzipSync(Buffer.alloc(64 * 1024 * 1024)), '400 payload_too_large'],
    [
      'a bomb of deflate',
      'deflate',
      deflateSync(Buffer.alloc(64 * 1024 * 1024)),
      '400 payload_too_large',
    ],
    ['a little too large', 'gzip', gzipSync(batchOf(maxBytes + 1)), '400 payload_too_large'],
  ])('is refused when it is %s', async (_title, encoding, body, expected) => {
    const api = await startCollecting();
    const headers = { ...basic, 'content-encoding': encoding };
    expect(outcome(await send(api, { headers, body }))).toBe(expected);
  });
});

describe('a large body', () => {
  it.each([
    ['is taken up to 520 KiB', maxBytes, '200 success'],
    ['is refused with one byte more', maxBytes + 1, '400 payload_too_large'],
    ['is refused with a byte more than is received', maxBytes + 1025, '400 payload_too_large'],
    [
      'is refused, and the client that sends it all first sees the answer',
      8_000_000,
      '400 payload_too_large',
    ],
  ])('%s', async (_title, bytes, expected) => {
    const api = await startCollecting();
    const body = batchOf(bytes);
    expect(outcome(await send(api, { body }))).toBe(expected);
    const chunked = { ...basic, 'transfer-encoding': 'chunked' };
    expect(outcome(await send(api, { headers: chunked, body }))).toBe(expected);
  });

  it('is accepted when compression makes it larger', async () => {
    const api = await startCollecting();
    const body = gzipSync(batchOf(maxBytes), { level: 0 });
    expect(body.length).toBeGreaterThan(maxBytes);
    expect(outcome(await send(api, { body }))).toBe('200 success');
  });

  it('of many small calls with a large context is refused before it exhausts memory', async () => {
    const api = await startCollecting();
    const context = `{"a":"${'x'.repeat(30_000)}"}`;
    const body = `{"context":${context},"batch":[${Array(2_500).fill('{"type":"page"}').join()}]}`;
    expect(outcome(await send(api, { body }))).toBe('400 payload_too_large');
  });

  it('is refused when all of it is context', async () => {
    const api = await startCollecting();
    const body = (name: string, text: string) => `{"batch":[${call}],"${name}":${text}}`;
    const large = `{"a":"${'x'.repeat(32_768)}"}`;
    const deep = `{"a":${'['.repeat(200)}${']'.repeat(200)}}`;
    expect(outcome(await send(api, { body: body('context', large) }))).toBe(
      '400 payload_too_large',
    );
    expect(outcome(await send(api, { body: body('integrations', deep) }))).toBe('400 too_deep');
  });
});

/** A raw connection, and the bytes received on it. */
class Client {
  readonly socket: Socket;
  #text = '';
  #onText = (): void => undefined;

  constructor({ port }: Collecting) {
    this.socket = connect(port, '127.0.0.1');
    this.socket.on('error', () => undefined);
    this.socket.on('data', (chunk: Buffer) => {
      this.#text += chunk.toString('latin1');
      this.#onText();
    });
  }

  write(text: string): this {
    this.socket.write(text);
    return this;
  }

  /** Resolves to all received text when it ends like this. */
  async until(end: string): Promise<string> {
    while (!this.#text.includes(end))
      await new Promise<void>((resolve) => (this.#onText = resolve));
    return this.#text;
  }
}

const head = `POST /v1/batch HTTP/1.1\r\nHost: x\r\nAuthorization: ${basic.authorization}\r\n`;

describe('a client', () => {
  it('that aborts its body leaves nothing stored', async () => {
    const api = await startCollecting();
    const client = new Client(api).write(`${head}Content-Length: 1000\r\n\r\n{"batch":[`);
    await once(client.socket, 'connect');
    client.socket.end();
    await once(client.socket, 'close');
    expect(outcome(await send(api, { body: batch }))).toBe('200 success');
    expect(api.accepted.length).toBe(1);
    for (const { code } of api.refusals) expect(code).toBe('aborted');
  });

  it('that expects 100-continue gets it', async () => {
    const api = await startCollecting();
    const client = new Client(api);
    client.write(`${head}Expect: 100-continue\r\nContent-Length: ${batch.length}\r\n\r\n`);
    expect(await client.until('\r\n\r\n')).toBe('HTTP/1.1 100 Continue\r\n\r\n');
    expect(await client.write(batch).until('{"success":true}')).toContain('HTTP/1.1 200 OK');
    client.socket.destroy();
  });

  it('that expects something else is served anyway', async () => {
    const api = await startCollecting();
    const client = new Client(api);
    client.write(`${head}Expect: more\r\nContent-Length: ${batch.length}\r\n\r\n${batch}`);
    expect(await client.until('{"success":true}')).toMatch(/^HTTP\/1\.1 200 OK/);
    client.socket.destroy();
  });

  it('of HTTP/1.0 needs no Host header', async () => {
    const api = await startCollecting();
    const lines = head.replace('HTTP/1.1\r\nHost: x', 'HTTP/1.0');
    const client = new Client(api).write(`${lines}Content-Length: ${batch.length}\r\n\r\n${batch}`);
    expect(await client.until('{"success":true}')).toMatch(/^HTTP\/1\.1 200 OK/);
    client.socket.destroy();
  });

  it('that takes too long for its body is disconnected, and no other', async () => {
    const api = await startCollecting({
      timeouts: { headersTimeout: 100, requestTimeout: 200, connectionsCheckingInterval: 20 },
    });
    const client = new Client(api).write(`${head}Content-Length: 1000\r\n\r\n{"batch":[`);
    expect(outcome(await send(api, { body: batch }))).toBe('200 success');
    expect(await client.until('}')).toMatch(/^HTTP\/1\.1 408 .*"code":"request_timeout"/s);
    client.socket.destroy();
  });

  it('that keeps its connection reuses it, also after an error', async () => {
    const api = await startCollecting();
    const client = new Client(api);
    const request = (body: string) => `${head}Content-Length: ${body.length}\r\n\r\n${body}`;
    await client.write(request(batch)).until('{"success":true}');
    await client.write(request('{')).until('invalid_json');
    await client
      .write(`${head.replace('Basic ', 'Basic eHh4')}Content-Length: 5\r\n\r\nabcde`)
      .until('invalid_write_key');
    await client.write(request('x'.repeat(600_000))).until('payload_too_large');
    const text = await client.write(request(batch)).until('{"success":true}');
    expect(text.toLowerCase()).not.toContain('connection: close');
    expect(text).toContain('Keep-Alive: timeout=120');
    client.socket.destroy();
  });

  it.each([
    ['no HTTP', 'hello\r\n\r\n', '400'],
    ['headers without an end', `GET / HTTP/1.1\r\nx: ${'x'.repeat(20_000)}`, '431'],
    ['without a Host', `${head.replace('Host: x\r\n', '')}Content-Length: 0\r\n\r\n`, '400'],
    ['with two Hosts', 'GET /health HTTP/1.1\r\nHost: x\r\nhOST: y\r\n\r\n', '400'],
    [
      'with two Hosts to the operations',
      'GET /_evfwd/api/overview HTTP/1.1\r\nHost: x\r\nHost: x\r\n\r\n',
      '400',
    ],
    ['as if to a proxy', 'CONNECT example.com:443 HTTP/1.1\r\nHost: example.com\r\n\r\n', '405'],
    ['two lengths', `${head}Content-Length: 1\r\nContent-Length: 2\r\n\r\n`, '400'],
    [
      'a length and chunks',
      `${head}Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n`,
      '400',
    ],
  ])('that speaks %s gets an answer that it may understand', async (_title, text, status) => {
    const api = await startCollecting();
    const client = new Client(api).write(text);
    expect(await client.until('}')).toMatch(
      new RegExp(`^HTTP/1\\.1 ${status} .*"success":false`, 's'),
    );
    client.socket.destroy();
    expect(outcome(await send(api, { body: batch }))).toBe('200 success');
  });
});

it('large bodies that end together are processed in several turns of the event loop', async () => {
  const body = batchOf(200_000);
  const clients = 12;
  let turn = 0;
  const turns: number[] = [];
  const count = (): void => {
    turn++;
    if (turns.length < clients) setImmediate(count);
  };
  const api = await startCollecting({
    accept: ({ accepted }) => {
      if (accepted.length > 0) turns.push(turn);
      return Promise.resolve();
    },
  });
  const all = Array.from({ length: clients }, () => new Client(api));
  for (const client of all) {
    client.write(`${head}Content-Length: ${body.length}\r\n\r\n${body.slice(0, -1)}`);
  }
  // Meanwhile the server reads all but the last bytes.
  for (let i = 0; i < 20; i++) expect(outcome(await send(api, { body: '{' }))).toContain('400');
  count();
  for (const client of all) client.write('}');
  for (const client of all) {
    expect(await client.until('{"success":true}')).toMatch(/^HTTP\/1\.1 200/);
    client.socket.destroy();
  }
  const most = Math.max(...turns.map((one) => turns.filter((other) => other === one).length));
  // A turn begins at most 256 KiB.
  expect([turns.length, most <= 2]).toEqual([clients, true]);
});
