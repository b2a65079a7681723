import { createServer, request as httpRequest, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { endInOneWrite } from '../../src/web/end-in-one-write.js';
import { afterEachTest } from '../helpers/after-each.js';

const open: (() => void)[] = [];

afterEachTest(() => {
  for (const close of open.splice(0)) close();
});

/** Starts a server that responds twice on a connection; resolves to both responses. */
async function answered(makeResponse: typeof ServerResponse, body: Buffer): Promise<string[]> {
  const server = createServer({ ServerResponse: makeResponse }, (_request, response) => {
    response.writeHead(200, { 'Content-Length': body.length, 'X-Own': 'kept' });
    endInOneWrite(response, body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  open.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return [await post(port), await post(port)];
}

function post(port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const request = httpRequest({ port, host: '127.0.0.1', method: 'POST' }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => {
        const own = String(response.headers['x-own']);
        resolve(`${response.statusCode} ${own} ${Buffer.concat(chunks).toString('hex')}`);
      });
    });
    request.on('error', reject);
    request.end('{}');
  });
}

/** A response of a version of Node that keeps its headers elsewhere. */
class OtherResponse extends ServerResponse {
  #header: unknown = null;

  override writeHead(...args: unknown[]): this {
    super.writeHead(...(args as [number]));
    const self = this as { _header?: unknown };
    this.#header = self._header;
    let reads = 0;
    Object.defineProperty(this, '_header', {
      // The first read is that of `endInOneWrite`.
      get: () => (reads++ === 0 ? undefined : this.#header),
      set: (value: unknown) => (this.#header = value),
    });
    return this;
  }
}

describe('a response that is ended in one write', () => {
  it.each([
    ['text', Buffer.from('{"success":true}')],
    ['any bytes', Buffer.from([0, 0x7f, 0x80, 0xff, 0xc3, 0xbc])],
    ['nothing', Buffer.alloc(0)],
  ])('has its headers and its body: %s', async (_title, body) => {
    const expected = `200 kept ${body.toString('hex')}`;
    expect(await answered(ServerResponse, body)).toEqual([expected, expected]);
  });

  it('is sent whole by a Node without `_header`', async () => {
    const body = Buffer.from('{"success":true}');
    const expected = `200 kept ${body.toString('hex')}`;
    expect(await answered(OtherResponse as typeof ServerResponse, body)).toEqual([
      expected,
      expected,
    ]);
  });
});
