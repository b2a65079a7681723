import { createServer, type Server, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { callApi, RefusedError } from '../../../../pages/shared/receive/call.js';

let server: Server | undefined;

afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

async function answering(answer: (response: ServerResponse) => void): Promise<string> {
  server = createServer((_request, response) => answer(response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

function begin(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.write('{"rows":');
}

const unreachable = 'nobody answers';

describe('a call of the page', () => {
  it('gives what it was answered, or the reason why not', async () => {
    const url = await answering((response) => response.end('{"rows":[1]}'));
    expect(await callApi({ method: 'GET', url, unreachable })).toEqual({ rows: [1] });
    server!.removeAllListeners('request').on('request', (_request, response: ServerResponse) => {
      response.writeHead(400).end('{"error":{"message":"no such page"}}');
    });
    const refused = callApi({ method: 'GET', url, unreachable });
    await expect(refused).rejects.toEqual(new RefusedError(400, 'no such page'));
  });

  it('that is given up while its answer comes has no answer', async () => {
    const abort = new AbortController();
    const url = await answering((response) => {
      begin(response);
      setImmediate(() => abort.abort());
    });
    const call = callApi({ method: 'GET', url, unreachable, signal: abort.signal });
    await expect(call).rejects.toMatchObject({ name: 'AbortError' });
  });

  it('whose answer breaks off has none', async () => {
    const url = await answering((response) => {
      begin(response);
      setImmediate(() => response.destroy());
    });
    await expect(callApi({ method: 'GET', url, unreachable })).rejects.toThrow(unreachable);
  });
});
