import { statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { EndpointNotice } from '../../../../src/delivery/endpoint-notice.js';
import type { EndpointDeliveryState } from '../../../../src/delivery/outcome.js';
import type { ItemCommit, RetryBatch } from '../../../../src/importer/shared/item.js';
import type { RunStore } from '../../../../src/importer/shared/run-store.js';
import { executeRetries } from '../../../../src/importer/shared/worker/execute-retries.js';
import { HeldItem } from '../../../../src/importer/shared/worker/held-item.js';
import { unread } from '../../../../src/importer/shared/worker/item-context.js';
import { batchOf } from '../../../../src/importer/shared/worker/retry-batches.js';
import { hashOf, type RetryRow } from '../../../../src/ledger/retry-row.js';
import { withResolvers } from '../../../../src/with-resolvers.js';
import { afterEachTest } from '../../../helpers/after-each.js';
import { refOf } from '../../../helpers/held-ref.js';
import { folderWith } from '../../../helpers/folder.js';
import { itemContext } from '../../../helpers/item-context.js';
import { planOf } from '../../../helpers/planned-run.js';
import { event } from '../../../helpers/process.js';
import { startReceiver, type Receiver } from '../../../helpers/receiver.js';

const receivers: Receiver[] = [];
afterEachTest(() => Promise.all(receivers.splice(0).map((one) => one.close())));

async function receiver(...args: Parameters<typeof startReceiver>): Promise<Receiver> {
  const started = await startReceiver(...args);
  receivers.push(started);
  return started;
}

/** Rows of a file of as many events, each with these states at the URLs of its target. */
function fileWith(states: readonly (readonly EndpointDeliveryState[])[]) {
  const lines = states.map((_states, n) => event(n));
  const path = join(folderWith({ 'a.ndjson': `${lines.join('\n')}\n` }), 'a.ndjson');
  let offset = 0;
  const rows = lines.map((line, n): RetryRow => {
    const start = offset;
    offset += line.length + 1;
    return {
      ...{ id: n + 1, file: 0, line: n + 1, offset: start, length: line.length, part: 0 },
      ...{ hash: hashOf(Buffer.from(line)), text: null, givenId: null, user: `u${n}` },
      stamp: { messageId: `m${n}`, writesMessageId: false },
      dueAt: Math.min(...states[n]!.map(({ dueAt = Infinity }) => dueAt)),
      delayMs: 3_600_000,
      endpointDeliveries: states[n]!,
    };
  });
  return { path, rows, size: statSync(path).size };
}

const failed = { attempts: 1, status: 503, error: null };

/** Executes a batch as a worker does, with a server that keeps the commits. */
function execution({
  path,
  rows,
  urls,
  id = 'range-1-1',
  notices = [],
  mayProbe = () => Promise.resolve(true),
}: {
  readonly path: string;
  readonly rows: readonly RetryRow[];
  readonly urls: readonly string[];
  readonly id?: string;
  readonly notices?: readonly (readonly [number, EndpointNotice])[];
  readonly mayProbe?: () => Promise<boolean>;
}) {
  const commits: ItemCommit[] = [];
  const batches = new Map<string, RetryBatch>([[id, batchOf(rows)]]);
  const server = {
    retryBatch: () => Promise.resolve(batches.get(id)),
    mayProbe,
    commit: (_ref: unknown, commit: ItemCommit) => {
      commits.push(commit);
      return Promise.resolve('stored');
    },
  } as unknown as RunStore;
  const plan = planOf([path], urls[0]!);
  const held = new HeldItem(refOf('retries', id));
  const context = itemContext(server, { plan }, urls, {
    notices: () => notices.map(([queue, notice]) => ({ queue, notice })),
    // Retries are sent also while nothing may be read.
    hold: { isHeld: true, added: () => undefined },
  });
  return { commits, held, ended: executeRetries(context, held, unread) };
}

/** Each round of the event loop delivers what the ports of this thread hold. */
async function messagesArrive(): Promise<void> {
  for (let round = 0; round < 20; round++) await new Promise((resolve) => setImmediate(resolve));
}

describe('a batch of retries', () => {
  it('keeps the events that were not attempted before it was stopped', async () => {
    let respond: (status: { status: number }) => void = () => undefined;
    const at = await receiver(() => new Promise((resolve) => (respond = resolve)));
    const due = [{ ...failed, firstAt: Date.now() - 1_000, dueAt: Date.now() - 10 }];
    const { path, rows } = fileWith([due, due, due]);
    const { commits, held, ended } = execution({
      ...{ path, rows, urls: [at.url] },
      // One of them is sent as a probe, the others are queued behind it.
      notices: [[0, { kind: 'down', sinceMs: Date.now() }]],
    });
    await at.atLeast(1);
    held.stop();
    await messagesArrive();
    respond({ status: 200 });
    expect(await ended).toBe('stopped');
    expect(commits).toHaveLength(1);
    expect(commits[0]!.deleteRetry).toBeUndefined();
    expect([...commits[0]!.putRetries]).toEqual([['range-1-1', batchOf(rows.slice(1))]]);
    expect(commits[0]!.stats).toMatchObject({ delivered: 1, retrying: -1 });
  });

  it('puts an event that it ends without an attempt under another id than its own', async () => {
    const at = await receiver();
    const later = Date.now() + 3_600_000;
    const waiting = { ...failed, firstAt: Date.now() - 1_000, dueAt: later };
    const { path, rows } = fileWith([[waiting, { ...failed, firstAt: Date.now() - 1_000 }]]);
    const { commits, ended } = execution({
      ...{ path, rows, urls: [at.url, `${at.url}/other`], id: 'e0-0-2' },
      // All retries are due then, since they need not wait for that URL.
      notices: [[1, { kind: 'gone' }]],
    });
    expect(await ended).toBe('done');
    const [commit] = commits;
    expect(commit!.deleteRetry).toBe('e0-0-2');
    const ids = [...commit!.putRetries.keys()];
    expect(ids).toHaveLength(1);
    expect(ids).not.toContain('e0-0-2');
    expect([...commit!.putRetries.values()][0]!.dueAt).toBe(later);
    expect(at.requests).toEqual([]);
  });

  it('sends nothing to a URL that is down when it begins, before it may probe', async () => {
    const at = await receiver();
    const due = [{ ...failed, firstAt: Date.now() - 1_000, dueAt: Date.now() - 10 }];
    const { path, rows } = fileWith([due, due, due]);
    const asked = withResolvers();
    const { commits, held, ended } = execution({
      ...{ path, rows, urls: [at.url], notices: [[0, { kind: 'down', sinceMs: Date.now() }]] },
      mayProbe: () => {
        asked.resolve();
        return Promise.resolve(false);
      },
    });
    await asked.promise;
    held.stop();
    expect(await ended).toBe('stopped');
    expect(at.requests).toEqual([]);
    expect(commits).toEqual([]);
  });
});
