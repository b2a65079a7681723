import { expect, it } from 'vitest';
import { settingsText } from '../../../../pages/serve/overview/endpoint-settings.js';
import type { ShownSettings } from '../../../../src/api/serve.js';

it.each<[ShownSettings, string]>([
  [{}, ''],
  [
    { types: ['track', 'identify'], rate: 100, timeoutMs: 5_000 },
    'types: track, identify · timeout: 5 s · rate: 100/s',
  ],
  [
    { where: ['properties.total>=100', '!plan'], auth: 'oauth2', tls: ['client certificate'] },
    'where: properties.total>=100, !plan · auth: oauth2 · tls: client certificate',
  ],
  [{ concurrency: 1, proxy: 'http://proxy:3128' }, 'concurrency: 1 · proxy: http://proxy:3128'],
])('what an endpoint has for itself is shown as in the configuration: %j', (settings, text) => {
  expect(settingsText(settings)).toBe(text);
});
