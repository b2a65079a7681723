import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { cli } from '../helpers/cli.js';
import { folderWith } from '../helpers/folder.js';

const ends: (() => void)[] = [];

afterEach(() => {
  for (const end of ends.splice(0)) end();
});

/** The peak that the system counts for a process begins with that of its parent; this one does not. */
const peak = `
  const { readFileSync, writeFileSync } = require('node:fs');
  if (require('node:worker_threads').isMainThread) process.on('exit', () =>
    writeFileSync('peak', /VmHWM:\\s+(\\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))[1]));
`;

const count = 4_000;
const pad = 'x'.repeat(32_600);
const events = Array.from(
  { length: count },
  (_, n) =>
    `{"type":"track","userId":"u","event":"E","messageId":"m${n}","properties":{"pad":"${pad}"}}\n`,
);

/** Answers everything with this status, and keeps nothing. */
async function answering(status: number): Promise<string> {
  const server = createServer((incoming, response) => {
    incoming.resume().on('end', () => response.writeHead(status).end());
  }).listen(0, '127.0.0.1');
  ends.push(() => {
    server.closeAllConnections();
    server.close();
  });
  await new Promise((resolve) => server.once('listening', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
}

describe.runIf(process.platform === 'linux')('an import of large events by two threads', () => {
  it.each([200, 404])('stays below 200 MB where all get %s', async (status) => {
    const cwd = folderWith({ 'large.ndjson': events.join(''), 'peak.cjs': peak });
    const url = await answering(status);
    const flags = ['--threads', '2', '--stop-after', '100%', '--json'];
    const { stdout } = await cli(['import', 'large.ndjson', '--url', url, ...flags], {
      cwd,
      env: { NODE_OPTIONS: '--require ./peak.cjs' },
    });
    const ended = status === 200 ? { delivered: count } : { failed: count };
    expect(JSON.parse(stdout.trim().split('\n').at(-1)!)).toMatchObject(ended);
    expect(Number(readFileSync(join(cwd, 'peak'), 'utf8')) / 1000).toBeLessThan(200);
  });
});
