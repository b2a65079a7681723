import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { folderWith } from '../helpers/folder.js';
import { startRawServer } from '../helpers/raw-server.js';
import { receiving, running } from './serve-process.js';

const hangingCount = 1_000;
const most = 200 * 1024 * 1024;

/** The most memory that a process has had, in bytes. */
function peakOf(pid: number): number {
  const [, kilobytes] = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))!;
  return Number(kilobytes) * 1024;
}

it.runIf(process.platform === 'linux').each([100, 30_000])(
  'serve with 1,000 destinations that hang has at most 200 MB with events of %i bytes, after a restart too',
  async (bytes) => {
    const hanging = await startRawServer({ response: () => undefined });
    const good = await receiving();
    const names = Array.from({ length: hangingCount }, (_, i) => `d${i}`);
    const section = (name: string, url: string): string =>
      `  ${name}: { type: Webhooks, allowPrivateNetworks: true, sharedSecret: 'secret-of-${name}', endpoints: [{ url: '${url}' }] }\n`;
    const folder = folderWith({
      'evfwd.config.yaml': `sources:
  web: { writeKey: \${WEB_KEY}, destinations: [${[...names, 'good'].join(', ')}] }
destinations:
${names.map((name) => section(name, `${hanging.url}/${name}`)).join('')}${section('good', good.url)}`,
    });
    const first = await running(folder);
    for (let i = 0; i < 20; i++) {
      const batch = Array.from({ length: 15 }, (_, j) => ({
        ...{ type: 'track', userId: 'u', event: 'E', messageId: `m${i * 15 + j}` },
        properties: { text: 'x'.repeat(bytes) },
      }));
      const body = JSON.stringify({ batch, writeKey: 'hush-key' });
      const response = await fetch(`${first.url}/v1/batch`, { method: 'POST', body });
      expect(response.status).toBe(200);
    }
    await good.atLeast(300);
    expect(peakOf(first.child.pid!)).toBeLessThan(most);
    await first.stop('SIGTERM');
    const before = hanging.requests.length;
    const second = await running(folder);
    await hanging.arrived(before + 2 * hangingCount);
    expect(peakOf(second.child.pid!)).toBeLessThan(most);
  },
);
