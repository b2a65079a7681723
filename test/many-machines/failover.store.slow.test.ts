import { describe, expect, it } from 'vitest';
import { findPostgres } from '../helpers/find-postgres.js';
import { openScene } from './scene.js';
import { ServingScene } from './serving.js';
import { expectComplete, repeatsOf } from './verdict.js';

/** Blocks of a destination that an instance has in hand at most, and events in each. */
const inHand = 32 * 128;
/** How long the replica is at the address of the server before it is promoted. */
const readOnlyMs = 3_000;
const waiting = { timeout: 20_000 };

describe.skipIf(findPostgres() === undefined)('when a synchronous replica takes over', () => {
  it('instances refuse events meanwhile, lose none, and go on by themselves', async () => {
    const scene = await ServingScene.open(
      2,
      () => new Promise((resolve) => setTimeout(() => resolve({}), 5)),
    );
    await scene.server.addReplica();
    const [first] = scene.instances;
    const status = async (path: string, init?: RequestInit): Promise<number> => {
      const signal = AbortSignal.timeout(9_000);
      return (await fetch(`${first!.url}${path}`, { ...init, signal })).status;
    };
    const ready = () => status('/_evfwd/ready');
    const batches = 400;
    const loaded = scene.load(batches);
    await scene.receiver.atLeast(200);
    expect(scene.accepted.size).toBeLessThan(batches * 50);
    const refused = async (): Promise<void> => {
      await expect.poll(ready, waiting).toBe(503);
      const body = JSON.stringify({ writeKey: 'k-web', userId: 'u', event: 'E' });
      expect(await status('/v1/track', { method: 'POST', body })).toBe(503);
    };
    await Promise.all([scene.server.failOver(readOnlyMs), refused()]);
    await expect.poll(ready, waiting).toBe(200);
    await loaded;
    const { lost, repeats } = await scene.complete();
    expect(lost).toEqual([]);
    expect(repeats).toBeLessThanOrEqual(2 * inHand);
    expect(await scene.leftovers()).toEqual({ blocks: 0, jobs: 0 });
  });

  it('an import loses nothing and ends by itself', async () => {
    const { args, cwd, files, fleet, receiver, server } = await openScene({
      files: 6,
      perFile: 2_500,
    });
    await server.addReplica();
    const planner = fleet.plan(args);
    const [worker] = await fleet.startWorkers(2);
    await receiver.atLeast(3_000);
    await server.failOver(readOnlyMs);
    await expectComplete(await planner.ended, cwd, receiver, { files, maxRepeats: repeatsOf(2) });
    expect(worker!.stderr()).toContain(`store: ${server.shown} is there again`);
  });
});
