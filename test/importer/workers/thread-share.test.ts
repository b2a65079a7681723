import { describe, expect, it } from 'vitest';
import type { TargetSettings } from '../../../src/config/open-target.js';
import { mostThreads, settingsOfThread } from '../../../src/importer/workers/thread-share.js';

const settings: TargetSettings = {
  ...{ kind: 'webhooks', where: '--url', timeoutMs: 1, retryWindowMs: 1, ca: [] },
  ...{ allUrls: false, ignoreIntegrations: false },
  endpoints: [
    { url: 'http://a/', concurrency: 7, types: ['track'] },
    { url: 'http://b/', rate: 9_000 },
  ],
};

describe('the settings of several threads', () => {
  it('add up to those of the endpoints, and each thread has a connection', () => {
    const parts = [0, 1, 2].map((thread) => settingsOfThread(settings, thread, 3));
    const endpoints = parts.map((part) => (part.kind === 'webhooks' ? part.endpoints : []));
    const shares = endpoints.map(([first, second]) => [first!.concurrency, second!.rate]);
    expect(shares).toEqual([
      [2, 3_000],
      [2, 3_000],
      [3, 3_000],
    ]);
    expect(endpoints.map(([first]) => first!.types)).toEqual([['track'], ['track'], ['track']]);
    expect(mostThreads(settings)).toBe(7);
  });
});
