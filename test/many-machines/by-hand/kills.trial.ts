import { expect, it } from 'vitest';
import { seededRandom } from '../../helpers/seed.js';
import { isRefused, openScene, troubled } from '../scene.js';
import { expectAgreement, expectComplete, repeatsIn, repeatsOf } from '../verdict.js';

it.each([
  [8, 12, 10_000, 1_000],
  [30, 40, 25_000, 400],
])(
  'loses nothing: %i kills over %i files of %i events',
  async (kills, files, perFile, lineLength) => {
    const random = seededRandom();
    const scene = await openScene({ files, perFile, lineLength, rules: troubled });
    const { args, cwd, fleet, receiver } = scene;
    const { count } = scene.files;
    const planner = fleet.plan(args);
    await fleet.startWorkers(3);
    for (let kill = 1; kill <= kills; kill++) {
      await receiver.atLeast(Math.floor(((kill - random()) * count * 0.95) / kills));
      await fleet.replace(fleet.workers[Math.floor(random() * fleet.workers.length)]!);
      process.stdout.write(`kill ${kill} of ${kills}\n`);
    }
    const result = await planner.ended;
    const { accepted } = await receiver.report();
    process.stdout.write(
      `${kills} kills, ${count} events: ${repeatsIn(accepted)} repeats, at most ${repeatsOf(kills)}\n`,
    );
    const maxRepeats = repeatsOf(kills);
    const expected = { files: scene.files, isRefused, maxRepeats };
    const summary = await expectComplete(result, cwd, receiver, expected);
    const [run] = await fleet.runIds();
    await expectAgreement(fleet, run!, summary);
    expect(summary.read).toBe(count);
  },
);
