import { expect, it } from 'vitest';
import { folderWith } from '../helpers/folder.js';
import { seededRandom } from '../helpers/seed.js';
import { configuration, receiving, running, type Running } from './serve-process.js';

interface Sent {
  readonly user: string;
  readonly n: number;
}

const ordered = (url: string): string => configuration(url, '    ordered: user\n');

/** Posts events until they are accepted; a repeat has the same messageIds. */
async function post(url: string, events: readonly Sent[]): Promise<boolean> {
  const batch = events.map(({ user, n }) => ({
    ...{ type: 'track', userId: user, event: 'E', messageId: `${user}-${n}`, properties: { n } },
  }));
  const body = JSON.stringify({ batch, writeKey: 'hush-key' });
  try {
    const response = await fetch(`${url}/v1/batch`, { method: 'POST', body });
    await response.text();
    return response.status === 200;
  } catch {
    return false;
  }
}

it('a service that is killed again and again sends the events of each user in their order, and loses none', async () => {
  const random = seededRandom();
  const ended = new Map<string, number>();
  const overtaken: string[] = [];
  const receiver = await receiving(({ body }) => {
    const { userId: user, properties } = JSON.parse(String(body));
    const { n } = properties as Sent;
    const before = ended.get(user) ?? -1;
    if (n > before + 1) overtaken.push(`${user}: ${n} after ${before}`);
    const draw = random();
    // The first retry comes after some seconds.
    if (draw < 0.01) return { status: 503 };
    ended.set(user, Math.max(n, before));
    return { status: draw < 0.03 ? 404 : 200 };
  });
  const folder = folderWith({ 'evfwd.config.yaml': ordered(receiver.url) });
  const next = new Map<string, number>();
  let one: Running = await running(folder);
  for (let round = 0; round < 30; round++) {
    const events = Array.from({ length: 60 }, (): Sent => {
      const user = random() < 0.3 ? 'hot' : `u${Math.floor(random() * 30)}`;
      const n = next.get(user) ?? 0;
      next.set(user, n + 1);
      return { user, n };
    });
    const taken = post(one.url, events);
    if (random() < 0.3) {
      await one.stop('SIGKILL');
      const wasTaken = await taken;
      one = await running(folder);
      if (!wasTaken) expect(await post(one.url, events)).toBe(true);
    } else expect(await taken).toBe(true);
  }
  const last = (): Record<string, number> => Object.fromEntries([...ended].sort());
  const all = [...next].sort().map(([user, count]) => [user, count - 1] as const);
  await expect.poll(last, { timeout: 60_000 }).toEqual(Object.fromEntries(all));
  expect(overtaken).toEqual([]);
}, 180_000);
