import { format } from 'node:util';
import debug from 'debug';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { Client } from '../../src/collector/client.js';
import { startCollector, type Collector } from './server.js';

const lines: string[] = [];
const ownLog = debug.log;
let collector: Collector;

beforeEach(async () => {
  collector = await startCollector((n) => (n === 0 ? 503 : 200));
  debug.log = (...parts: unknown[]) => void lines.push(format(...parts));
  debug.enable('analytics');
});

afterEach(async () => {
  debug.disable();
  debug.log = ownLog;
  await collector.close();
});

it('DEBUG=analytics tells what the client does, without the write key and values of events', async () => {
  const client = new Client('s3cret-key', {
    ...{ endpoint: `${collector.url}/v1/batch?token=t0ken`, flushAt: 2, retryDelaysMs: [1] },
  });
  client.identify({ userId: 'Jane', traits: { plan: 'Gold' }, messageId: 'id-of-Jane' });
  client.track({ userId: 'Jane', event: 'Gold Bought' });
  await client.close();
  const text = lines.join('\n');
  for (const part of [
    /queued identify, 1 unsettled/,
    /queued track, 2 unsettled/,
    /flushing 2 messages, \d+ bytes/,
    /HTTP 503 after \d+ ms, attempt 1 of 2 messages/,
    /HTTP 200 after \d+ ms, attempt 2 of 2 messages/,
    /closed, 2 delivered, 0 failed/,
  ]) {
    expect(text).toMatch(part);
  }
  expect(text).not.toMatch(/s3cret|czNjcmV0|Jane|Gold|token|t0ken/);
});
