import { noSources } from '../../../helpers/item-context.js';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { RunWorker } from '../../../../src/importer/shared/worker/run-worker.js';
import { afterEachTest } from '../../../helpers/after-each.js';
import { folderWith } from '../../../helpers/folder.js';
import { inProcess } from '../../../helpers/in-process.js';
import { sharedPostgres, type TestStore } from '../../../helpers/postgres.js';
import { startReceiver, type Receiver } from '../../../helpers/receiver.js';
import { testRuns } from '../../../helpers/runs.js';

const postgres = sharedPostgres();

const closers: (() => unknown)[] = [];
afterEachTest(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

async function receiver(): Promise<Receiver & { readonly times: number[]; most: () => number }> {
  const times: number[] = [];
  let [inFlight, most] = [0, 0];
  const started = await startReceiver(async () => {
    times.push(performance.now());
    most = Math.max(most, ++inFlight);
    await new Promise((resolve) => setImmediate(resolve));
    inFlight--;
    return {};
  });
  closers.push(() => started.close());
  return { ...started, times, most: () => most };
}

let workers = 0;

async function startWorker(place: TestStore): Promise<void> {
  const { runs } = await testRuns(place);
  const controller = new AbortController();
  const worker = new RunWorker({
    ...{ server: runs, id: `w${++workers}`, roots: [], rangesFor: () => 2, concurrency: 8 },
    ...{ log: undefined, signal: controller.signal },
    own: {
      ...{ secrets: [], headers: [], endpoints: [], writeKey: undefined },
      ...{ ca: [], clientCertificate: undefined, sources: noSources },
    },
    aheadMs: () => runs.now() - Date.now(),
    threadsFor: () => 0,
    listener: {
      ...{ joined: none, refused: none, url: none, held: none, failed: none, range: none },
      left: none,
    },
  });
  const ended = worker.run();
  closers.push(() => {
    controller.abort();
    return ended;
  });
}

const none = (): void => undefined;

const typeAt = (i: number): string => ['track', 'identify', 'page'][i % 3]!;

const history = (count: number): string =>
  Array.from({ length: count }, (_, i) => {
    const name = typeAt(i) === 'track' ? { event: 'Order Completed' } : {};
    return `${JSON.stringify({ type: typeAt(i), userId: `u${i}`, messageId: `m${i}`, ...name })}\n`;
  }).join('');

/** Imports files of these texts by the workers that are there. */
async function importing(place: TestStore, endpoints: string, texts: readonly string[]) {
  const files = Object.fromEntries(texts.map((text, i) => [`h${i}.ndjson`, text]));
  const config = `profiles:\n  p:\n    webhooks:\n      endpoints: ${endpoints}\n`;
  const folder = folderWith({ ...files, 'c.yaml': config });
  const store = ['--store', place.url, '--store-schema', place.schema];
  const named = ['--config', join(folder, 'c.yaml'), '--profile', 'p'];
  const paths = Object.keys(files).map((name) => join(folder, name));
  const { code, stdout, stderr } = await inProcess([
    ...['import', ...paths, ...named, ...store, '--all-urls', '--json'],
  ]);
  expect([code, stderr]).toEqual([0, expect.anything()]);
  return JSON.parse(stdout.trim().split('\n').at(-1)!) as Record<string, unknown>;
}

describe('workers of a shared import', () => {
  it('send each URL what it wants, and count what none wants', async () => {
    const place = await postgres();
    const [orders, people] = [await receiver(), await receiver()];
    await startWorker(place);
    const endpoints = `[{ url: ${orders.url}, events: ['Order *'], concurrency: 1 }, { url: ${people.url}, types: [identify] }]`;
    const summary = await importing(place, endpoints, [history(30), history(30)]);
    expect(summary).toMatchObject({
      ...{ delivered: 40, skipped: 20, failed: 0 },
      skippedBy: { filter: 0, integrations: 0, endpoints: 20, earlier: 0 },
      urls: [
        { delivered: 20, failed: 0 },
        { delivered: 20, failed: 0 },
      ],
    });
    const types = [orders, people].map((one) => new Set(one.json().map(({ type }) => type)));
    expect(types).toEqual([new Set(['track']), new Set(['identify'])]);
    expect(orders.most()).toBe(1);
  });

  it('keep the rate of a URL together', async () => {
    const place = await postgres();
    const slow = await receiver();
    await startWorker(place);
    await startWorker(place);
    const texts = Array.from({ length: 4 }, () => history(12));
    await importing(place, `[{ url: ${slow.url}, rate: 50/s }]`, texts);
    expect(slow.times).toHaveLength(48);
    // Each worker for itself would take half of this.
    expect(slow.times.at(-1)! - slow.times[0]!).toBeGreaterThan((47 / 50 / 1.05) * 1_000);
  });
});
