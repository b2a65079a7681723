import { readFileSync } from 'node:fs';
import { Agent, createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';
import { afterEach, describe, expect, it } from 'vitest';
import { start } from '../helpers/cli.js';
import { folderWith } from '../helpers/folder.js';

const ends: (() => void)[] = [];

afterEach(() => {
  for (const end of ends.splice(0)) end();
});

async function listen(args: readonly string[]) {
  const child = start(['listen', '--port', '0', ...args], { cwd: folderWith() });
  ends.push(() => child.kill('SIGKILL'));
  child.stderr.resume();
  const lines = createInterface(child.stdout);
  const url = await new Promise<string>((resolve) => {
    lines.on('line', (line) => {
      const [, found] = /"type":"ready","url":"([^"]+)"/.exec(line) ?? [];
      if (found !== undefined) resolve(found);
    });
  });
  /** The most memory that it had, in MB. */
  const peak = (): number => {
    const status = readFileSync(`/proc/${child.pid!}/status`, 'utf8');
    return Number(/VmHWM:\s+(\d+)/.exec(status)![1]) / 1000;
  };
  return { url, peak, lines };
}

interface Posts {
  readonly count: number;
  readonly atOnce: number;
  readonly headers?: Record<string, string>;
}

/** The statuses of the responses, each once. */
async function statusesOf(url: string, body: Buffer, { count, atOnce, headers = {} }: Posts) {
  const agent = new Agent({ keepAlive: true, maxSockets: atOnce });
  ends.push(() => agent.destroy());
  const post = () =>
    new Promise<number>((resolve, reject) => {
      const options = { method: 'POST', agent, headers };
      request(url, options, (response) => {
        response.resume().once('end', () => resolve(response.statusCode!));
      })
        .once('error', reject)
        .end(body);
    });
  return new Set(await Promise.all(Array.from({ length: count }, post)));
}

const large = Buffer.from(`{"type":"track","event":"a","p":"${'a'.repeat(1_048_576 - 100)}"}`);
const batch = Buffer.from(`{"batch":[${'{"type":"track","event":"e"},'.repeat(35_000)}{}]}`);

describe.runIf(process.platform === 'linux')('listen stays below 200 MB', () => {
  it.each([
    ['large bodies', large, { count: 500, atOnce: 50 }],
    ['batches of many events', batch, { count: 200, atOnce: 20 }],
    [
      'large headers',
      Buffer.from('{}'),
      { count: 10_000, atOnce: 50, headers: { 'X-Large': 'x'.repeat(14_000) } },
    ],
  ])('with many %s, all of which are received', async (_, body, posts) => {
    const { url, peak } = await listen(['--json']);
    expect(await statusesOf(url, body, posts)).toEqual(new Set([200]));
    expect(peak()).toBeLessThan(200);
  });

  it('behind an app that hangs', async () => {
    const app = createServer((incoming) => incoming.resume()).listen(0, '127.0.0.1');
    ends.push(() => {
      app.closeAllConnections();
      app.close();
    });
    await new Promise((resolve) => app.once('listening', resolve));
    const to = `http://127.0.0.1:${(app.address() as AddressInfo).port}`;
    const { url, peak } = await listen(['--json', '--forward', to, '--forward-timeout', '5s']);
    const statuses = await statusesOf(url, large, { count: 200, atOnce: 200 });
    expect(statuses).toEqual(new Set([503, 504]));
    expect(peak()).toBeLessThan(200);
  });

  it('with output that is not read until later, of which nothing is lost', async () => {
    const { url, peak, lines } = await listen(['--json']);
    lines.pause();
    const sent = statusesOf(url, large, { count: 100, atOnce: 100 });
    await new Promise((resolve) => setTimeout(resolve, 3_000));
    lines.resume();
    expect(await sent).toEqual(new Set([200]));
    expect(peak()).toBeLessThan(200);
  });
});
