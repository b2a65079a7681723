import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../../src/clock.js';
import { rawApi } from '../../../src/serve/raw/api.js';
import { RawPaths } from '../../../src/serve/raw/paths.js';
import { relay } from './relaying.js';

it('a disk that does not write fills no memory: what comes beyond 64 MiB gets 503, to be sent again', async () => {
  const { sources } = await relay('http://127.0.0.1:9');
  const paths = new RawPaths(sources);
  const storing: (() => void)[] = [];
  let stored = (): void => undefined;
  const refused: string[] = [];
  const server = createServer(
    rawApi({
      accept: () =>
        new Promise((resolve) => {
          storing.push(resolve);
          stored();
        }),
      clock: systemClock,
      paths: () => paths,
      onRefused: ({ code }, source = '') => refused.push(`${source} ${code}`),
      isStopping: () => false,
      next: (_, response) => response.writeHead(404).end(),
    }),
  ).listen(0, '127.0.0.1');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/in/hooks`;
  const body = Buffer.alloc(1_048_576);
  const post = (): Promise<Response> => fetch(url, { method: 'POST', body });
  const taken = Array.from({ length: 63 }, post);
  await new Promise<void>((resolve) => {
    stored = () => {
      if (storing.length === 63) resolve();
    };
    stored();
  });
  const beyond = await post();
  expect([beyond.status, beyond.headers.get('retry-after')]).toEqual([503, '5']);
  expect(refused).toEqual(['hooks busy']);
  for (const resolve of storing.splice(0)) resolve();
  const statuses = (await Promise.all(taken)).map(({ status }) => status);
  expect(new Set(statuses)).toEqual(new Set([200]));
  const later = post();
  await new Promise<void>((resolve) => {
    stored = () => {
      if (storing.length === 1) resolve();
    };
    stored();
  });
  storing[0]!();
  expect((await later).status).toBe(200);
});
