import { describe, expect, it } from 'vitest';
import { cli } from '../helpers/cli.js';
import { findPostgres } from '../helpers/find-postgres.js';
import { ServingScene } from './serving.js';

interface Replay {
  readonly id: string;
  readonly state: string;
  readonly sent: number;
}

/** Blocks of a destination that an instance has in hand at most, and events in each. */
const inHand = 32 * 128;

async function replaysAt(url: string): Promise<Replay[]> {
  const response = await fetch(`${url}/_evfwd/api/replays`);
  return ((await response.json()) as { replays: Replay[] }).replays;
}

describe.skipIf(findPostgres() === undefined)('kept events of instances as processes', () => {
  it(
    'are replayed to the end when the instance is killed that does it, and exported',
    { timeout: 300_000 },
    async () => {
      const scene = await ServingScene.open(2, undefined, '7d');
      await scene.load(10);
      expect((await scene.complete()).lost).toEqual([]);
      const accepted = scene.accepted.size;
      const [first, second] = scene.instances;
      const created = await fetch(`${first!.url}/_evfwd/api/replays`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ destination: 'crm', rate: '100/s' }),
      });
      expect(created.status).toBe(202);
      const { id } = (await created.json()) as { id: string };
      await scene.receiver.atLeast(accepted + 50);
      // Whoever runs it: the other one goes on, and a third.
      first!.child.kill('SIGKILL');
      scene.instances.splice(0, 1);
      await scene.receiver.atLeast(accepted + 250);
      await scene.startInstance();
      second!.child.kill('SIGKILL');
      scene.instances.splice(0, 1);
      const [last] = scene.instances;
      for (;;) {
        const [replay] = await replaysAt(last!.url);
        if (replay!.state === 'finished') {
          expect(replay).toMatchObject({ id, sent: accepted });
          break;
        }
        await new Promise((resolve) => setTimeout(resolve, 200));
      }
      await scene.complete();
      const again = scene.receiver.requests
        .filter(({ headers }) => headers['x-evfwd-replay'] === id)
        .map(({ body }) => (JSON.parse(body.toString()) as { messageId: string }).messageId);
      expect(new Set(again)).toEqual(scene.accepted);
      expect(again.length - accepted).toBeLessThanOrEqual(2 * inHand);
      const exported = await cli(['export'], { env: { EVFWD_STORE: scene.server.url } });
      expect(exported.stderr).toBe(`exported ${accepted} events\n`);
      const ids = exported.stdout
        .trimEnd()
        .split('\n')
        .map((line) => (JSON.parse(line) as { messageId: string }).messageId);
      expect(new Set(ids)).toEqual(scene.accepted);
    },
  );
});
