import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { afterEachTest } from '../helpers/after-each.js';
import { cli } from '../helpers/cli.js';
import { folderWith } from '../helpers/folder.js';
import { startNoisyHandler } from '../helpers/noisy-handler.js';
import { captureFile } from '../replay/captures.js';

const servers: Server[] = [];
afterEachTest(() => {
  for (const server of servers.splice(0)) server.close();
});

/** The peak that the system counts for a process begins with that of its parent; this one does not. */
const peak = `
  const { readFileSync, writeFileSync } = require('node:fs');
  process.on('exit', () =>
    writeFileSync('peak', /VmHWM:\\s+(\\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))[1]));
`;

it.runIf(process.platform === 'linux')(
  '10,000 requests to two equal handlers with noise: no difference, and less than 200 MB',
  async () => {
    const [baseline, candidate] = await Promise.all([startNoisyHandler(1), startNoisyHandler(1)]);
    const captures = Array.from({ length: 10_000 }, (_, n) => ({
      path: `/g${n % 20}/${n}`,
      body: JSON.stringify({ pad: 'x'.repeat(2_000) }),
    }));
    const cwd = folderWith({ got: captureFile(...captures), 'peak.cjs': peak });
    await staysBelow200MB(cwd, [baseline, candidate], 10_000);
  },
);

/** An order with so many lines that its text is nearly as long as what is compared. */
async function startLargeHandler(): Promise<string> {
  const line = (n: number) => ({ id: n, sku: `s${n}`, price: n * 1.5, tags: ['a', 'b'], text });
  const text = 'x'.repeat(60);
  const lines = JSON.stringify(Array.from({ length: 7_000 }, (_, n) => line(n)));
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      response.setHeader('Content-Type', 'application/json');
      response.end(`{"lines":${lines},"requestId":"${randomUUID()}"}`);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  servers.push(server);
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

it.runIf(process.platform === 'linux')(
  '60 requests with responses of nearly 1 MiB: less than 200 MB',
  async () => {
    const [baseline, candidate] = [await startLargeHandler(), await startLargeHandler()];
    const captures = Array.from({ length: 60 }, (_, n) => ({
      path: '/orders',
      body: `{"n":${n}}`,
    }));
    const cwd = folderWith({ got: captureFile(...captures), 'peak.cjs': peak });
    await staysBelow200MB(cwd, [baseline, candidate], 60);
  },
);

async function staysBelow200MB(
  cwd: string,
  [baseline, candidate]: readonly [string, string],
  requests: number,
): Promise<void> {
  const args = ['replay', 'got', '--url', baseline, '--candidate', candidate, '--json'];
  const { code, stdout } = await cli(args, {
    cwd,
    env: { NODE_OPTIONS: `--require ${join(cwd, 'peak.cjs')}` },
  });
  expect(stdout.trim().split('\n')).toHaveLength(1);
  expect(JSON.parse(stdout)).toMatchObject({ requests, same: requests, failed: 0 });
  expect(code).toBe(0);
  const mebibytes = Number(readFileSync(join(cwd, 'peak'), 'utf8')) / 1024;
  expect(mebibytes).toBeLessThan(200);
}
