import { expect, it } from 'vitest';
import { folderWith } from '../../helpers/folder.js';
import { Witness } from '../../helpers/process.js';
import { startReceiver } from '../../helpers/receiver.js';
import { startService } from './service-process.js';

const kills = 20;
const inFlight = 64;
const commitGroup = 500;

it('every event that was accepted arrives, however often the process is killed', async () => {
  const witness = new Witness();
  const refusedOnce = new Set(Array.from({ length: 2_000 }, (_, i) => i * 37));
  const receiver = await startReceiver(
    witness.answering(([n]) => (refusedOnce.delete(n!) ? 500 : 200)),
  );
  const folder = folderWith();
  const accepted: number[] = [];
  let first = 0;
  for (let kill = 0; kill < kills; kill++) {
    const doubledBefore = witness.doubled;
    const run = startService(folder, receiver.url, first);
    await receiver.atLeast(receiver.requests.length + 1 + Math.random() * 600);
    run.child.kill('SIGKILL');
    expect(await run.ended).toBe('');
    accepted.push(...run.accepted);
    // What was stored and not told, if anything, lies close behind.
    first = Math.max(first, ...run.accepted) + 1_000;
    expect(witness.doubled - doubledBefore).toBeLessThanOrEqual(inFlight + commitGroup);
  }
  const last = startService(folder, receiver.url, null);
  expect(await last.ended).toBe('');
  expect(last.child.exitCode).toBe(0);
  expect(accepted.length).toBeGreaterThan(kills);
  expect(accepted.filter((n) => !witness.taken.has(n))).toEqual([]);
  expect([...witness.bodies.values()].every(({ size }) => size === 1)).toBe(true);
  await receiver.close();
}, 120_000);
