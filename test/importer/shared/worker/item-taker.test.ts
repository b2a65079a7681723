import { statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Job } from 'bullmq';
import type { RangeItem } from '../../../../src/importer/shared/item.js';
import { loadQueuePackages } from '../../../../src/importer/shared/packages.js';
import type { QueueServer } from '../../../../src/importer/shared/queue-server.js';
import type { ItemEnd } from '../../../../src/importer/shared/worker/held-item.js';
import { ItemTaker } from '../../../../src/importer/shared/worker/item-taker.js';
import { folderWith } from '../../../helpers/folder.js';
import { itemContext } from '../../../helpers/item-context.js';
import { planOf } from '../../../helpers/planned-run.js';
import { events } from '../../../helpers/process.js';
import { receiverOfEachTest } from '../../../helpers/witnessed-receiver.js';

const at = receiverOfEachTest();

/** A taker for a file of so many events, whose server answers each commit as `commit` does. */
function takerOf(count: number, commit: () => Promise<string>) {
  const path = join(folderWith({ 'a.ndjson': events(count) }), 'a.ndjson');
  const problems: string[] = [];
  const ends: (ItemEnd | undefined)[] = [];
  const server = { scheduleRetries: () => Promise.resolve(), commit } as unknown as QueueServer;
  const urls = [at.receiver.url];
  const context = itemContext(server, { plan: planOf([path], urls[0]!) }, urls);
  const { bullmq } = loadQueuePackages();
  const taker = new ItemTaker({
    ...{ context, bullmq, onFailure: (error) => problems.push(String(error)) },
    onItem: (_range, end) => ends.push(end),
    onProblem: (_file, message) => problems.push(message),
  });
  const data: RangeItem = { file: 0, from: 0, to: statSync(path).size };
  const job = { id: 'r', data, progress: 0, moveToWait: () => Promise.resolve() };
  const take = (token: string, stalledCounter = 0) =>
    taker
      .take(
        'ranges',
        { ...job, stalledCounter } as unknown as Job,
        token,
        new AbortController().signal,
      )
      .catch((error: unknown) => (error as Error).name);
  return { take, problems, ends };
}

it('fails an item whose outcomes cannot be stored for another reason than the server, by name', async () => {
  const { take, problems, ends } = takerOf(10, () => {
    throw new RangeError('Invalid string length');
  });
  await take('t1');
  expect(problems).toEqual(['unexpected error: Invalid string length']);
  expect(ends).toEqual([undefined, 'failed']);
});

it('stops for an item that it has lost when it gets it again', async () => {
  // A server that does not say that the lock is lost.
  const { take, ends } = takerOf(5_000, () => Promise.resolve('stored'));
  const first = take('t1');
  await at.receiver.atLeast(300);
  await Promise.all([take('t2'), first]);
  expect(ends).toEqual([undefined, 'lost']);
  expect(at.receiver.requests.length).toBeLessThan(5_000);
});

it('fails an item by name that was taken over too often without a commit in between', async () => {
  const { take, problems, ends } = takerOf(10, () => Promise.resolve('stored'));
  await take('t1', 11);
  expect(problems).toEqual([
    expect.stringMatching(
      /^its workers have died or stopped responding 11 times in a row, .*runs verify$/,
    ),
  ]);
  expect(ends).toEqual([undefined, 'failed']);
  expect(at.receiver.requests).toEqual([]);
});

it('works on an item that was taken over some times', async () => {
  const { take, problems, ends } = takerOf(10, () => Promise.resolve('stored'));
  await take('t1', 10);
  expect([problems, ends]).toEqual([[], [undefined, 'done']]);
  expect(at.receiver.requests).toHaveLength(10);
});
