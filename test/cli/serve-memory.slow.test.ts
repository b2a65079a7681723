import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { hasOpenssl, makeCertificates } from '../helpers/certificates.js';
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

/** Destinations at this URL that hang, and one that responds. */
function folderWithDestinations(count: number, hangingUrl: string, goodUrl: string): string {
  const names = Array.from({ length: count }, (_, i) => `d${i}`);
  const section = (name: string, url: string): string =>
    `  ${name}: { type: Webhooks, allowPrivateNetworks: true, sharedSecret: 'secret-of-${name}', endpoints: [{ url: '${url}' }] }\n`;
  return folderWith({
    'evfwd.config.yaml': `sources:
  web: { writeKey: \${WEB_KEY}, destinations: [${[...names, 'good'].join(', ')}] }
destinations:
${names.map((name) => section(name, `${hangingUrl}/${name}`)).join('')}${section('good', goodUrl)}`,
  });
}

/** Sends batches of 15 events. */
async function sendBatches(url: string, batches: number, bytes: number): Promise<void> {
  for (let i = 0; i < batches; i++) {
    const batch = Array.from({ length: 15 }, (_, j) => ({
      ...{ type: 'track', userId: 'u', event: 'E', messageId: `m${i * 15 + j}` },
      properties: { text: 'x'.repeat(bytes) },
    }));
    const body = JSON.stringify({ batch, writeKey: 'hush-key' });
    const response = await fetch(`${url}/v1/batch`, { method: 'POST', body });
    expect(response.status).toBe(200);
  }
}

it.runIf(process.platform === 'linux').each([100, 30_000])(
  'serve with 1,000 destinations that hang has at most 200 MB with events of %i bytes, after a restart too',
  async (bytes) => {
    const hanging = await startRawServer({ response: () => undefined });
    const good = await receiving();
    const folder = folderWithDestinations(hangingCount, hanging.url, good.url);
    const first = await running(folder);
    await sendBatches(first.url, 20, bytes);
    await good.atLeast(300);
    expect(peakOf(first.child.pid!)).toBeLessThan(most);
    await first.stop('SIGTERM');
    const before = hanging.requests.length;
    const second = await running(folder);
    await hanging.arrived(before + 2 * hangingCount);
    expect(peakOf(second.child.pid!)).toBeLessThan(most);
  },
);

it.runIf(process.platform === 'linux' && hasOpenssl)(
  'serve with 500 destinations that hang over TLS has at most 200 MB, also when they are tried again (needs openssl)',
  async () => {
    const count = 500;
    const { ca, good: tls } = makeCertificates();
    const hanging = await startRawServer({ response: () => undefined, tls });
    const good = await receiving();
    const folder = folderWithDestinations(count, hanging.url, good.url);
    const caFile = join(folder, 'ca.pem');
    writeFileSync(caFile, ca);
    const { child, url } = await running(folder, [], { NODE_EXTRA_CA_CERTS: caFile });
    await sendBatches(url, 60, 30_000);
    await good.atLeast(60 * 15);
    await hanging.arrived(2 * count);
    expect(peakOf(child.pid!)).toBeLessThan(most);
  },
);
