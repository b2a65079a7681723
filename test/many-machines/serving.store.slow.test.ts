import { describe, expect, it } from 'vitest';
import { findPostgres } from '../helpers/find-postgres.js';
import { seededRandom } from '../helpers/seed.js';
import { ServingScene, type ServeProcess } from './serving.js';

/** Blocks of a destination that an instance has in hand at most, and events in each. */
const inHand = 32 * 128;
/** An endpoint that takes its time, so that there is something in flight. */
const slow = (): Promise<object> => new Promise((resolve) => setTimeout(() => resolve({}), 5));

describe.skipIf(findPostgres() === undefined)('instances of a service', () => {
  it('lose nothing when they are killed, and others take over', { timeout: 400_000 }, async () => {
    const random = seededRandom();
    const scene = await ServingScene.open(2, slow);
    const kills = 10;
    for (let kill = 0; kill < kills; kill++) {
      const loaded = scene.load(40);
      await scene.receiver.atLeast(
        scene.receiver.requests.length + Math.floor(1 + random() * 1_000),
      );
      const [victim] = scene.instances.splice(Math.floor(random() * 2), 1);
      victim!.child.kill('SIGKILL');
      const killedAt = performance.now();
      await scene.startInstance();
      await loaded;
      const { lost } = await scene.complete();
      expect(lost).toEqual([]);
      // Within 15 s, and what the load and a machine with little to spare take.
      expect(performance.now() - killedAt).toBeLessThan(60_000);
    }
    const { repeats } = await scene.complete();
    expect(repeats).toBeLessThanOrEqual(kills * inHand);
    expect(await scene.leftovers()).toEqual({ blocks: 0, jobs: 0 });
  });

  it('are not ready while their tables are gone, and go on by themselves', async () => {
    const scene = await ServingScene.open(1, slow);
    const { url } = scene.instances[0]!;
    const statuses = () =>
      Promise.all(
        ['/_evfwd/ready', '/v1/track'].map(async (path) => {
          const body = JSON.stringify({ writeKey: 'k-web', userId: 'u', event: 'E' });
          const post = { method: 'POST', body };
          return (await fetch(`${url}${path}`, path === '/v1/track' ? post : {})).status;
        }),
      );
    const loaded = scene.load(40);
    await scene.receiver.atLeast(200);
    await scene.server.sql('ALTER SCHEMA evfwd RENAME TO gone');
    const waiting = { timeout: 10_000 };
    await expect.poll(statuses, waiting).toEqual([503, 503]);
    await scene.server.sql('ALTER SCHEMA gone RENAME TO evfwd');
    await expect.poll(statuses, waiting).toEqual([200, 200]);
    await loaded;
    const { lost, repeats } = await scene.complete();
    expect(lost).toEqual([]);
    expect(repeats).toBe(0);
  });

  it('say at their end that other instances send what is left', async () => {
    const scene = await ServingScene.open(1, () => ({ status: 503 }));
    await scene.load(1);
    await scene.receiver.atLeast(1);
    const { child, ended } = scene.instances[0]!;
    child.kill('SIGTERM');
    expect((await ended).stdout).toContain(
      'stopped; 50 deliveries left for other instances, or the next start',
    );
  });

  it('refuse what one of them says that was asleep', async () => {
    const scene = await ServingScene.open(2, slow);
    const loaded = scene.load(60);
    await scene.receiver.atLeast(200);
    const asleep = scene.instances[0]!;
    asleep.child.kill('SIGSTOP');
    const awake = scene.instances.filter((one) => one !== asleep);
    await new Promise((resolve) => setTimeout(resolve, 15_000));
    await scene.load(2, awake);
    asleep.child.kill('SIGCONT');
    await loaded;
    const { lost, repeats } = await scene.complete();
    expect(lost).toEqual([]);
    expect(repeats).toBeLessThanOrEqual(inHand);
    expect(await stopped(asleep)).toBe(0);
    expect(await scene.leftovers()).toEqual({ blocks: 0, jobs: 0 });
  });

  it('send nothing anymore of what one of them has lost in its sleep', async () => {
    const times: number[] = [];
    const scene = await ServingScene.open(1, (index) => {
      times[index] = performance.now();
      return slow();
    });
    const asleep = await scene.startInstance('asleep');
    const loaded = scene.load(60);
    const sentByIt = (): number[] =>
      scene.receiver.requests.flatMap(({ path }, i) => (path.endsWith('?asleep') ? [i] : []));
    while (sentByIt().length < 100)
      await scene.receiver.atLeast(scene.receiver.requests.length + 1);
    asleep.child.kill('SIGSTOP');
    await new Promise((resolve) => setTimeout(resolve, 15_000));
    scene.instances.splice(scene.instances.indexOf(asleep), 1);
    await scene.load(2);
    // All that it held has been taken over, and sent.
    await scene.complete();
    const sent = new Set(scene.receiver.json().map(({ messageId }) => messageId as string));
    const wokenAt = performance.now();
    asleep.child.kill('SIGCONT');
    await loaded;
    await scene.load(20);
    const { lost, repeats } = await scene.complete();
    expect(lost).toEqual([]);
    expect(repeats).toBeLessThanOrEqual(inHand);
    const bodies = scene.receiver.json() as { messageId: string }[];
    const late = sentByIt().filter(
      (i) => times[i]! > wokenAt + 1_000 && sent.has(bodies[i]!.messageId),
    );
    expect(late).toEqual([]);
    expect(await stopped(asleep)).toBe(0);
    expect(await scene.leftovers()).toEqual({ blocks: 0, jobs: 0 });
  });

  it('wait for a server that is killed, and go on by themselves', async () => {
    const scene = await ServingScene.open(2, slow);
    const loaded = scene.load(60);
    await scene.receiver.atLeast(200);
    await scene.server.kill();
    const [first] = scene.instances;
    const refused = await fetch(`${first!.url}/v1/track`, {
      method: 'POST',
      headers: { authorization: `Basic ${btoa('k-web:')}` },
      body: JSON.stringify({ type: 'track', userId: 'u', event: 'E' }),
    });
    expect(refused.status).toBe(503);
    expect(refused.headers.get('retry-after')).not.toBeNull();
    const states = await Promise.all(
      ['ready', 'health'].map(async (name) => (await fetch(`${first!.url}/_evfwd/${name}`)).status),
    );
    expect(states).toEqual([503, 503]);
    await new Promise((resolve) => setTimeout(resolve, 20_000));
    await scene.server.start();
    await loaded;
    const { lost, repeats } = await scene.complete();
    expect(lost).toEqual([]);
    expect(repeats).toBeLessThanOrEqual(2 * inHand);
    expect(await scene.leftovers()).toEqual({ blocks: 0, jobs: 0 });
  });

  it('refuse events while the server hangs, and go on when it responds again', async () => {
    const scene = await ServingScene.open(2, slow);
    const loaded = scene.load(60);
    await scene.receiver.atLeast(200);
    scene.server.signalAll('SIGSTOP');
    const [first] = scene.instances;
    const stateOf = async (name: string) =>
      (await fetch(`${first!.url}/_evfwd/${name}`, { signal: AbortSignal.timeout(9_000) })).status;
    await expect.poll(() => stateOf('ready'), { timeout: 15_000 }).toBe(503);
    const before = scene.accepted.size;
    await new Promise((resolve) => setTimeout(resolve, 20_000));
    expect(scene.accepted.size).toBe(before);
    scene.server.signalAll('SIGCONT');
    await loaded;
    const { lost, repeats } = await scene.complete();
    expect(lost).toEqual([]);
    expect(repeats).toBeLessThanOrEqual(2 * inHand);
    expect(await scene.leftovers()).toEqual({ blocks: 0, jobs: 0 });
  });

  it('stop in time while the server is away', async () => {
    const scene = await ServingScene.open(1, slow);
    await scene.load(4);
    await scene.server.kill();
    // What was ended meanwhile is waited for, for as long as a lease lasts.
    expect(await stopped(scene.instances[0]!)).not.toBeNull();
  });

  it('hand over what they have not sent when they stop', async () => {
    const scene = await ServingScene.open(2, slow);
    const loaded = scene.load(40);
    await scene.receiver.atLeast(300);
    const [first] = scene.instances.splice(0, 1);
    expect(await stopped(first!)).toBe(0);
    await loaded;
    expect(await scene.complete()).toEqual({ lost: [], repeats: 0 });
  });
});

/** The exit code after SIGTERM. */
async function stopped({ child, ended }: ServeProcess): Promise<number | null> {
  child.kill('SIGTERM');
  return (await ended).code;
}
