import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { hasOpenssl, makeCertificates } from '../helpers/certificates.js';
import { reply, startRawServer } from '../helpers/raw-server.js';
import { folderWithDestinations, peakOf, sendBatches } from './many-destinations.js';
import { receiving, running } from './serve-process.js';

const hangingCount = 1_000;
const most = 200 * 1024 * 1024;

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

it.runIf(process.platform === 'linux').each([
  ['respond', 0],
  ['recover', 5],
])(
  'serve with 500 destinations that %s has at most 200 MB with events of 30 KB',
  async (_what, failures) => {
    const count = 500;
    const events = 15;
    const seen = new Map<string, number>();
    const server = await startRawServer({
      response: ({ path }) => {
        const before = seen.get(path) ?? 0;
        seen.set(path, before + 1);
        return reply(before < failures ? 503 : 200);
      },
    });
    const good = await receiving();
    const folder = folderWithDestinations(count, server.url, good.url);
    const { child, url } = await running(folder);
    await sendBatches(url, events / 15, 30_000);
    await server.arrived(count * (events + failures));
    expect(peakOf(child.pid!)).toBeLessThan(most);
  },
);

it.runIf(process.platform === 'linux')(
  'serve with 200 destinations of which one URL responds and one hangs has at most 200 MB',
  async () => {
    const count = 200;
    const [hanging, taking] = await Promise.all([
      startRawServer({ response: () => undefined }),
      startRawServer(),
    ]);
    const good = await receiving();
    const urls = [taking.url, hanging.url];
    const folder = folderWithDestinations(count, urls, good.url);
    const { child, url } = await running(folder);
    await sendBatches(url, 2, 30_000);
    await taking.arrived(count * 30);
    expect(peakOf(child.pid!)).toBeLessThan(most);
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
