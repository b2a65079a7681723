import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { destinationOf } from '../batches.js';
import { drained, serving, source } from '../serving.js';

const servers: Server[] = [];
afterEach(() => servers.splice(0).forEach((server) => server.close()));

async function receiver(): Promise<{ url: string; count: () => number }> {
  let count = 0;
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      count++;
      response.end();
    });
  }).listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, count: () => count };
}

/** The names of files that have this text. */
function filesWith(folder: string, text: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => {
    const path = join(folder, name);
    return statSync(path).isFile() && readFileSync(path).includes(text);
  });
}

describe('a deletion request', () => {
  it('removes the delivered events of its user from all files of the state', async () => {
    const { url, count } = await receiver();
    const keep = { retentionMs: 86_400_000, maxBytes: 1024 ** 3, ofDestinations: new Map() };
    const at = await serving({
      sources: [source('web')],
      destinations: [destinationOf(url)],
      keep,
    });
    // In blocks of more than a page, and in small ones.
    const text = 'x'.repeat(6_000);
    const events = ['gone-user-1', 'stays-user-2'].flatMap((userId) =>
      [text, ''].map((filler) => ({ type: 'track', event: 'E', userId, properties: { filler } })),
    );
    for (const event of events) await at.send([event]);
    await expect.poll(count).toBe(4);
    await drained(at);
    expect(filesWith(at.stateDir, 'gone-user-1')).not.toEqual([]);
    await at.api('deletions', { method: 'POST', body: JSON.stringify({ userId: 'gone-user-1' }) });
    await expect.poll(count).toBe(5);
    // What is left is the request itself, and those of its notification until they are overwritten.
    const kept = (): string[] => filesWith(join(at.stateDir, 'kept'), 'gone-user-1');
    await expect.poll(kept).toEqual([]);
    await expect
      .poll(() => filesWith(at.stateDir, `"userId":"gone-user-1","properties"`), {
        timeout: 20_000,
      })
      .toEqual([]);
    expect(filesWith(join(at.stateDir, 'kept'), 'stays-user-2')).not.toEqual([]);
  });
});
