import { statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { RangeItem } from '../../../../src/importer/shared/item.js';
import type { RunStore } from '../../../../src/importer/shared/run-store.js';
import type { ItemEnd } from '../../../../src/importer/shared/worker/held-item.js';
import { ItemTaker } from '../../../../src/importer/shared/worker/item-taker.js';
import { folderWith } from '../../../helpers/folder.js';
import { refOf } from '../../../helpers/held-ref.js';
import { itemContext } from '../../../helpers/item-context.js';
import { planOf } from '../../../helpers/planned-run.js';
import { events } from '../../../helpers/process.js';
import { receiverOfEachTest } from '../../../helpers/witnessed-receiver.js';

const at = receiverOfEachTest();

/** A taker for a file of so many events, whose store answers each commit as `commit` does. */
function takerOf(count: number, commit: () => Promise<string>) {
  const path = join(folderWith({ 'a.ndjson': events(count) }), 'a.ndjson');
  const problems: string[] = [];
  const ends: (ItemEnd | undefined)[] = [];
  const calls: string[] = [];
  const note = (call: string) => () => Promise.resolve(void calls.push(call)).then(() => 'stored');
  const server = {
    ...{ commit, end: note('end'), fail: note('fail'), giveBack: note('giveBack') },
  } as unknown as RunStore;
  const urls = [at.receiver.url];
  const context = itemContext(server, { plan: planOf([path], urls[0]!) }, urls);
  const taker = new ItemTaker({
    ...{ context, onFailure: (error) => problems.push(String(error)) },
    onItem: (_range, end) => ends.push(end),
    onProblem: (_file, message) => problems.push(message),
  });
  const range: RangeItem = { file: 0, from: 0, to: statSync(path).size };
  const take = (takeovers = 0) =>
    taker.take({ ref: refOf('ranges', 'r'), range, progress: undefined, takeovers });
  return { take, problems, ends, calls };
}

it('fails an item whose outcomes cannot be stored for another reason than the store, by name', async () => {
  const { take, problems, ends, calls } = takerOf(10, () => {
    throw new RangeError('Invalid string length');
  });
  await take();
  expect(problems).toEqual(['unexpected error: Invalid string length']);
  expect(calls).toEqual(['fail']);
  expect(ends).toEqual([undefined, 'failed']);
});

it('stops for an item that it has lost when it gets it again', async () => {
  // A store that does not say that the lease has ended.
  const { take, ends, calls } = takerOf(5_000, () => Promise.resolve('stored'));
  const first = take();
  await at.receiver.atLeast(300);
  await Promise.all([take(), first]);
  expect(ends).toEqual([undefined, 'lost']);
  expect(calls).toEqual(['giveBack']);
  expect(at.receiver.requests.length).toBeLessThan(5_000);
});

it('fails an item by name that was taken over too often without a commit in between', async () => {
  const { take, problems, ends } = takerOf(10, () => Promise.resolve('stored'));
  await take(11);
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
  await take(10);
  expect([problems, ends]).toEqual([[], [undefined, 'done']]);
  expect(at.receiver.requests).toHaveLength(10);
});
