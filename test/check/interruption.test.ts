import { getEventListeners } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { describe, expect, test } from 'vitest';
import type { CheckSettings } from '../../src/check/settings.js';
import { allChecks } from '../../src/check/groups/index.js';
import { analytics } from '../../src/check/senders/analytics.js';
import { runChecks } from '../../src/check/run.js';
import { afterEachTest } from '../helpers/after-each.js';
import { startEndpoint } from './helpers/endpoint.js';
import { settingsFor } from './helpers/run-some.js';

const forever = new Promise<never>(() => undefined);
const closers: (() => void)[] = [];

afterEachTest(() => {
  for (const close of closers.splice(0)) close();
});

/** Runs checks and interrupts them: the limits are longer than the test. */
async function interrupted(
  url: string,
  ids: readonly string[],
  abort: AbortController,
  changes: Partial<CheckSettings> = {},
): Promise<string[]> {
  const settings = settingsFor(url, { deadlineMs: 60_000, ...changes });
  const chosen = allChecks(analytics).filter(({ id }) => ids.includes(id));
  const { results } = await runChecks({ checks: chosen, settings, signal: abort.signal });
  return results.map(({ check }) => check.id);
}

describe('an interruption', () => {
  test('leaves no listener and no warning behind', async () => {
    const warnings: Error[] = [];
    const warn = (warning: Error): void => void warnings.push(warning);
    process.on('warning', warn);
    closers.push(() => process.off('warning', warn));
    const { signal } = new AbortController();
    const { url } = await startEndpoint();
    const all = allChecks(analytics).filter(({ id }) => /^(accept|tolerate|load)\./.test(id));
    await runChecks({ checks: all, settings: settingsFor(url), signal });
    await new Promise(setImmediate);
    expect(warnings).toEqual([]);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  test('does not wait for a response', async () => {
    const abort = new AbortController();
    const { url } = await startEndpoint(() => abort.abort());
    await expect(interrupted(url, ['accept.track'], abort)).resolves.toEqual([]);
  });

  test('does not wait for a probe', async () => {
    const abort = new AbortController();
    const { url } = await startEndpoint();
    const probe = () => {
      abort.abort();
      return forever;
    };
    const ids = ['accept.track', 'dup.effect'];
    await expect(interrupted(url, ids, abort, { probe })).resolves.toEqual(['accept.track']);
  });

  test('does not wait for a TLS handshake', async () => {
    const abort = new AbortController();
    const server = createServer((socket) => {
      closers.push(() => socket.destroy());
      socket.on('error', () => undefined).once('data', () => abort.abort());
    });
    closers.push(() => server.close());
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const url = `https://127.0.0.1:${port}/hook`;
    await expect(interrupted(url, ['tls.chain', 'accept.track'], abort)).resolves.toEqual([]);
  });
});
