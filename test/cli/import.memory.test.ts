import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { parquetWriteBuffer } from 'hyparquet-writer';
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

/** This many events, each with a text of this many bytes. */
function eventsOf(count: number, bytes: number): string {
  const pad = 'x'.repeat(bytes);
  const lines = Array.from(
    { length: count },
    (_, n) =>
      `{"type":"track","userId":"u","event":"E","messageId":"m${n}","properties":{"pad":"${pad}"}}\n`,
  );
  return lines.join('');
}

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

describe.runIf(process.platform === 'linux')('an import by threads stays below 200 MB', () => {
  it.each([
    ['4,000 events of 32 KB that succeed', 2, 4_000, 32_600, 200],
    ['4,000 events of 32 KB that fail', 2, 4_000, 32_600, 404],
    ['4,000 events of 32 KB that are retried', 4, 4_000, 32_600, 503],
    ['16,000 events of 8 KB that are retried', 4, 16_000, 8_000, 503],
    ['80,000 events of 2 KB', 4, 80_000, 2_000, 200],
  ])('%s, %i threads', async (_what, threads, count, bytes, status) => {
    const cwd = folderWith({ 'large.ndjson': eventsOf(count, bytes), 'peak.cjs': peak });
    const url = await answering(status);
    const flags = ['--threads', `${threads}`, '--stop-after', '100%', '--json'];
    const retries = status === 503 ? ['--retry-window', '4s'] : [];
    const args = ['import', 'large.ndjson', '--url', url, ...flags, ...retries];
    const { stdout } = await cli(args, { cwd, env: { NODE_OPTIONS: '--require ./peak.cjs' } });
    const ended = status === 200 ? { delivered: count } : { failed: count };
    expect(JSON.parse(stdout.trim().split('\n').at(-1)!)).toMatchObject(ended);
    expect(Number(readFileSync(join(cwd, 'peak'), 'utf8')) / 1024).toBeLessThan(200);
  });
});

/** One row group of so many rows, of which many texts are different. */
function parquetOf(rows: number): Buffer {
  const numbers = Array.from({ length: rows }, (_, n) => n);
  const text = (name: string, of: (n: number) => string) =>
    ({ name, data: numbers.map(of), type: 'STRING' }) as const;
  const columnData = [
    text('type', () => 'track'),
    text('event', (n) => `E${n % 5}`),
    text('userId', (n) => `u${n % 5000}`),
    text('messageId', (n) => `m${n}`),
    text('note', (n) => `${n} ${'some text '.repeat(12)}`),
    { name: 'total', data: numbers.map((n) => n / 3), type: 'DOUBLE' as const },
  ];
  return Buffer.from(parquetWriteBuffer({ columnData, rowGroupSize: rows }));
}

describe.runIf(process.platform === 'linux')('an import of Parquet', () => {
  it('stays below 200 MB, also with one row group of 200,000 rows', async () => {
    const cwd = folderWith({ 'large.parquet': parquetOf(200_000), 'peak.cjs': peak });
    const args = ['import', 'large.parquet', '--url', await answering(200), '--json'];
    const { stdout } = await cli(args, { cwd, env: { NODE_OPTIONS: '--require ./peak.cjs' } });
    expect(JSON.parse(stdout.trim().split('\n').at(-1)!)).toMatchObject({ delivered: 200_000 });
    expect(Number(readFileSync(join(cwd, 'peak'), 'utf8')) / 1024).toBeLessThan(200);
  });
});
