import { expect, it } from 'vitest';
import type { KeepSettings } from '../../../src/serve/kept/settings.js';
import { destinationOf } from '../batches.js';
import { serving, source } from '../serving.js';

const keep: KeepSettings = {
  ...{ retentionMs: 3_600_000, maxBytes: 1024 ** 3, ofDestinations: new Map([['none', 0]]) },
};
const sources = [source('web')];
const url = 'http://127.0.0.1:1/';

it('a retention that is shorter than the retry window is a warning at the start', async () => {
  const destinations = [
    destinationOf(url),
    destinationOf(url, { name: 'short', retryWindowMs: 60_000 }),
    destinationOf(url, { name: 'none' }),
  ];
  const { logged } = await serving({ sources, destinations, keep });
  const warnings = logged.filter((line) => line.includes('retention is shorter'));
  expect(warnings).toHaveLength(1);
  expect(warnings[0]).toContain('"destination":"crm"');
  expect(warnings[0]).toContain('"retention":"1 h 0 min","retryWindow":"4 h 0 min"');
});
