import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Problem } from '../../src/events/event.js';
import { folderWith } from '../helpers/folder.js';
import { AudienceReceiver, openState, row, rows, runOnce } from './runs.js';
import { runs } from '../helpers/property-runs.js';

const users = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];

/** Throws at the n-th step, counted from 1; never if n is 0. */
function killAt(step: number): () => void {
  let steps = 0;
  return () => {
    if (++steps === step) throw new Error('killed');
  };
}

const kills = fc.array(fc.integer({ min: 0, max: 14 }), { maxLength: 3 });

describe('the plans of an audience', () => {
  it('bring a receiver to the last list, whatever was before and wherever runs were killed', async () => {
    const list = fc.record({
      members: fc.subarray(users),
      kills,
      fails: fc.array(fc.boolean(), { maxLength: 8 }),
      isPartial: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(list, { maxLength: 5 }),
        fc.subarray(users),
        async (lists, last) => {
          const folder = folderWith();
          const receiver = new AudienceReceiver();
          for (const { members, kills: steps, fails, isPartial } of lists) {
            for (const step of [...steps, 0]) {
              const target = receiver.target((i) => (fails[i] ? 'failed' : 'delivered'));
              const removals = isPartial ? 'withheld' : 'sent';
              const options = {
                list: rows(members),
                removals,
                target,
                onStep: killAt(step),
              } as const;
              await runOnce(folder, options).catch((error: unknown) => {
                if ((error as Error).message !== 'killed') throw error;
              });
            }
          }
          await runOnce(folder, { list: rows(last), target: receiver.target() });
          expect(receiver.members).toEqual([...last].sort());
          for (const user of users) expectAlternation(receiver, user);
          const sentBefore = receiver.sent.length;
          await runOnce(folder, { list: rows(last), target: receiver.target() });
          expect(receiver.sent.length).toBe(sentBefore);
        },
      ),
      { numRuns: runs(10, 5) },
    );
  }, 120_000);

  it('bring a receiver to the last values, wherever runs were killed', async () => {
    const value = fc.constantFrom('1', '1.0', 'true', 'false', '"x"', 'null');
    const list = fc.record({ values: fc.dictionary(fc.constantFrom(...users), value), kills });
    await fc.assert(
      fc.asyncProperty(fc.array(list, { minLength: 1, maxLength: 4 }), async (lists) => {
        const folder = folderWith();
        const receiver = new AudienceReceiver();
        for (const { values, kills: steps } of lists) {
          const given = Object.entries(values).map(([user, text], i) => row(user, text, i + 1));
          for (const step of [...steps, 0]) {
            const target = receiver.target();
            const options = { kind: 'trait', list: given, target, onStep: killAt(step) } as const;
            await runOnce(folder, options).catch((error: unknown) => {
              if ((error as Error).message !== 'killed') throw error;
            });
          }
          for (const [user, text] of Object.entries(values)) {
            expect(receiver.values.get(user)).toEqual(JSON.parse(text));
          }
        }
        for (const user of users) expectOneIdAtATime(receiver, user);
      }),
      { numRuns: runs(8, 5) },
    );
  }, 120_000);

  it('have a new messageId each time a user joins', async () => {
    const folder = folderWith();
    const receiver = new AudienceReceiver();
    for (const list of [['a'], [], ['a'], ['a'], []]) {
      await runOnce(folder, { list: rows(list), target: receiver.target() });
    }
    const changes = receiver.changesOf('a');
    expect(changes.map(({ value }) => value)).toEqual([true, false, true, false]);
    expect(new Set(changes.map(({ messageId }) => messageId)).size).toBe(4);
  });

  it('derive messageIds only from the audience, the user and the change', async () => {
    const ids = async (): Promise<string[]> => {
      const receiver = new AudienceReceiver();
      await runOnce(folderWith(), { list: rows(['a', 'b']), target: receiver.target() });
      return receiver.sent.map(({ messageId }) => messageId);
    };
    const first = await ids();
    expect(new Set(first).size).toBe(2);
    expect(await ids()).toEqual(first);
  });

  it('have new messageIds after --fresh', async () => {
    const folder = folderWith();
    const receiver = new AudienceReceiver();
    await runOnce(folder, { list: rows(['a']), target: receiver.target() });
    (await openState(folder, 'sync', { fresh: true })).close();
    await runOnce(folder, { list: rows(['a']), target: receiver.target() });
    expect(receiver.changesOf('a')).toHaveLength(2);
  });

  it('send failed changes again under the same messageId', async () => {
    const folder = folderWith();
    const receiver = new AudienceReceiver();
    const failing = { list: rows(['a', 'b']), target: receiver.target(() => 'failed') };
    expect((await runOnce(folder, failing)).comparison).toMatchObject({ fresh: 2, resent: 0 });
    const next = { list: rows(['a']), target: receiver.target() };
    const { comparison } = await runOnce(folder, next);
    expect(comparison).toMatchObject({ users: 1, fresh: 0, resent: 1, left: 1, unchanged: 0 });
    expect(receiver.changesOf('a')).toHaveLength(1);
    expect(receiver.changesOf('b').map(({ value }) => value)).toEqual([true, false]);
  });

  it('keep members that are missing in a partial list', async () => {
    const folder = folderWith();
    const receiver = new AudienceReceiver();
    await runOnce(folder, { list: rows(['a', 'b']), target: receiver.target() });
    const partial = { list: rows(['c']), removals: 'withheld', target: receiver.target() } as const;
    const { comparison } = await runOnce(folder, partial);
    expect(comparison).toMatchObject({ fresh: 1, left: 0, withheld: 2 });
    expect(receiver.members).toEqual(['a', 'b', 'c']);
  });

  it('complete an interrupted run before the list is compared', async () => {
    const folder = folderWith();
    const receiver = new AudienceReceiver();
    const controller = new AbortController();
    const target = receiver.target((index) => {
      if (index === 2) controller.abort();
      return 'delivered';
    });
    const interrupted = controller.signal;
    const first = await runOnce(folder, { list: rows(users), target, interrupted });
    expect(first.summaries[0]!.read).toBe(3);
    const again = await runOnce(folder, { list: rows(['a']), target: receiver.target() });
    expect(again.summaries[0]).toMatchObject({ read: 8, pending: 0, resumed: true });
    expect(again.comparison).toMatchObject({ left: 7, unchanged: 1 });
    expect(receiver.members).toEqual(['a']);
    for (const user of users) expectAlternation(receiver, user);
  });

  it('have each invalid line once in the dead letters, whenever they are killed', async () => {
    const problem = (line: number): Problem => ({
      code: 'not_json',
      message: 'not JSON',
      origin: { file: 'list', line, offset: line * 10, length: 4 },
      bytes: Buffer.from('oops'),
      isJson: false,
    });
    const list = [problem(1), ...rows(['x', 'y']).map((item) => ({ ...item })), problem(4)];
    for (let step = 1; step < 16; step++) {
      const folder = folderWith();
      const receiver = new AudienceReceiver();
      const state = await openState(folder);
      state.store.stage(list);
      state.store.makePlan({
        file: 'list',
        madeAt: new Date(0).toISOString(),
        removals: 'withheld',
      });
      state.close();
      const run = { list: [], removals: 'withheld' } as const;
      const onStep = killAt(step);
      await runOnce(folder, { ...run, target: receiver.target(), onStep }).catch(() => undefined);
      await runOnce(folder, { ...run, target: receiver.target() });
      const lines = readFileSync(state.deadLetters.path, 'utf8').trim().split('\n');
      expect(lines.map((line) => (JSON.parse(line) as { line: number }).line)).toEqual([1, 4]);
      expect(receiver.members).toEqual(['x', 'y']);
    }
  });
});

/** Each change has one messageId, which is not sent again after a later change. */
function expectOneIdAtATime(receiver: AudienceReceiver, user: string): void {
  const ids = receiver.changesOf(user).map(({ messageId }) => messageId);
  expect(new Set(ids).size).toBe(ids.length);
}

/** In addition, joining and leaving alternate: no change has a second messageId. */
function expectAlternation(receiver: AudienceReceiver, user: string): void {
  expectOneIdAtATime(receiver, user);
  const values = receiver.changesOf(user).map(({ value }) => value);
  expect(values).toEqual(values.map((_value, i) => i % 2 === 0));
}
