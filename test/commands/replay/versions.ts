import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEachTest } from '../../helpers/after-each.js';
import { folderWith } from '../../helpers/folder.js';
import { inProcess } from '../../helpers/in-process.js';
import { freePort } from '../../helpers/postgres.js';
import { captureFile } from '../../replay/captures.js';

export interface HandledRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}
export type Handler = (request: HandledRequest, response: ServerResponse) => void;

/** End what a test has started. */
export const ends: (() => void)[] = [];
afterEachTest(() => {
  for (const end of ends.splice(0)) end();
});

/** A version of a handler, and what it has received. */
export async function version(handle: Handler) {
  const requests: HandledRequest[] = [];
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
export async function unusedUrl(): Promise<string> {
  return `http://127.0.0.1:${await freePort()}`;
}

export const json =
  (value: unknown, status = 200): Handler =>
  (_, response) => {
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(typeof value === 'string' ? value : JSON.stringify(value));
  };

/** A capture of one request. */
export const one = captureFile({ path: '/orders/1001' });

/** Compares two handlers by captures; the lines of `--json`. */
export async function compare(
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
