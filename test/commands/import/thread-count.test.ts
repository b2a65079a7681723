import { describe, expect, it } from 'vitest';
import type { TargetSettings } from '../../../src/config/open-target.js';
import type { EndpointSettings } from '../../../src/webhook/endpoint.js';
import { threadsFor, type ThreadQuestion } from '../../../src/commands/import/thread-count.js';

const common = {
  timeoutMs: 1,
  retryWindowMs: 1,
  allUrls: false,
  ignoreIntegrations: false,
  ca: [],
};

function webhooksTo(...urls: string[]): TargetSettings {
  const endpoints = urls.map((url) => ({ url }));
  return { kind: 'webhooks', endpoints, where: '--url', ...common };
}

function ofOne(settings: EndpointSettings): TargetSettings {
  const endpoints = [{ url: 'https://example.com/hook', ...settings }];
  return { kind: 'webhooks', endpoints, where: '--url', ...common };
}

const far = webhooksTo('https://example.com/hook');
const collector: TargetSettings = {
  ...{ kind: 'collector', where: '--endpoint', endpoint: 'http://127.0.0.1:8080', writeKey: 'k' },
  ...common,
};

type Flags = Partial<ThreadQuestion['flags']>;

/** Of an import of one large file on four cores, unless something else is said. */
function threads(change: Partial<ThreadQuestion> = {}, flags: Flags = {}): number {
  const question: ThreadQuestion = {
    inputs: [{ isFile: true, size: 1e9 }],
    flags: { concurrency: 64, ...flags },
    settings: far,
    schedule: undefined,
    transform: undefined,
    ...change,
  };
  return threadsFor(question, 4);
}

const fileOf = (size: number) => ({ inputs: [{ isFile: true, size }] });
const files = (count: number, size: number) =>
  Array.from({ length: count }, () => ({ isFile: true, size }));
const mb = 1024 * 1024;

describe('the number of threads of an import', () => {
  it.each<[string, number, Partial<ThreadQuestion>, Flags]>([
    ['a thread for each core', 4, {}, {}],
    ['none for very many small files', 0, { inputs: files(100_000, 4_000) }, { threads: 4 }],
    ['some for very many larger ones', 4, { inputs: files(100_000, 40_000) }, {}],
    ['some for small ones that are not so many', 4, { inputs: files(1_000, 16_800) }, {}],
    ['no more than --threads', 3, {}, { threads: 3 }],
    ['no more than the connections of an endpoint', 2, { settings: ofOne({ concurrency: 2 }) }, {}],
    ['no more than the rate of an endpoint allows', 3, { settings: ofOne({ rate: 15_000 }) }, {}],
    ['none for an endpoint with a low rate', 0, { settings: ofOne({ rate: 100 }) }, {}],
    ['more than there are cores where --threads says so', 9, {}, { threads: 9 }],
    ['none for --threads 1', 0, {}, { threads: 1 }],
    ['none where events have one order', 0, {}, { ordered: true }],
    ['none with --limit', 0, {}, { limit: 5 }],
    ['none with --transform', 0, { transform: () => Promise.resolve([]) }, {}],
    ['none where an input is no file', 0, { inputs: [{ isFile: false, size: undefined }] }, {}],
    ['none below 8 MB', 0, fileOf(8 * mb - 1), {}],
    ['two from 8 MB on', 2, fileOf(8 * mb), {}],
    [
      'as many as the files have together',
      3,
      { inputs: [fileOf(7 * mb), fileOf(6 * mb)].flatMap(({ inputs }) => inputs) },
      {},
    ],
    ['none below 10,000 events a second', 0, {}, { rate: 9_999 }],
    ['one for each 5,000 events a second', 3, {}, { rate: 15_000 }],
    ['no more than requests in flight', 2, {}, { concurrency: 2 }],
  ])('%s', (_title, expected, change, flags) => {
    expect(threads(change, flags)).toBe(expected);
  });

  it.each<[string, number, TargetSettings]>([
    ['localhost', 3, webhooksTo('http://localhost:3000/hook')],
    ['127.0.0.1', 3, webhooksTo('http://127.0.0.1/')],
    ['[::1]', 3, webhooksTo('http://[::1]:3000/')],
    ['one of several URLs here', 3, webhooksTo('https://example.com/', 'http://localhost/')],
    ['localhost as a part of a name', 4, webhooksTo('http://localhost.example.com/')],
    ['an invalid URL, which is reported later', 4, webhooksTo('localhost:3000')],
    ['a collector here', 4, collector],
  ])('leaves a core to a receiver on this machine: %s', (_title, expected, settings) => {
    expect(threads({ settings })).toBe(expected);
  });

  it('as many threads as --threads says, also to a receiver on this machine', () => {
    expect(threads({ settings: webhooksTo('http://localhost/') }, { threads: 4 })).toBe(4);
  });
});
