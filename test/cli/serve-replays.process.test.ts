import { expect, it } from 'vitest';
import { folderFor, ids, receiving, running, send } from './serve-process.js';

const count = 300;
/** What is in flight, and what was delivered and not recorded yet. */
const maxRepeats = 128 + 64;

interface Listed {
  readonly replays: readonly {
    readonly id: string;
    readonly state: string;
    readonly sent: number;
  }[];
}

it('a replay that was killed goes on at the next start, and leaves nothing out', async () => {
  const receiver = await receiving();
  const cwd = folderFor(receiver);
  const first = await running(cwd);
  expect(await send(first.url, 0, count)).toBe(200);
  await receiver.atLeast(count);
  // Until then the last ones may still wait, and are left out.
  const replays = `/_evfwd/api/replays`;
  const asked = (rate?: string): RequestInit => ({
    ...{ method: 'POST', headers: { 'Content-Type': 'application/json' } },
    body: JSON.stringify({ destination: 'crm', ...(rate !== undefined && { rate }) }),
  });
  await expect
    .poll(async () => (await fetch(`${first.url}${replays}?preview`, asked())).json())
    .toMatchObject({ events: count, isComplete: true });
  expect((await fetch(`${first.url}${replays}`, asked('400/s'))).status).toBe(202);
  await receiver.atLeast(count + count / 4);
  await first.stop('SIGKILL');
  expect(receiver.requests.length).toBeLessThan(2 * count);

  const second = await running(cwd);
  await expect
    .poll(
      async () => {
        const { replays: listed } = (await (
          await fetch(`${second.url}${replays}`)
        ).json()) as Listed;
        return listed.map(({ state, sent }) => ({ state, sent }));
      },
      { timeout: 20_000 },
    )
    .toEqual([{ state: 'finished', sent: count }]);
  await expect
    .poll(() => new Set(ids(receiver).slice(count)).size, { timeout: 20_000 })
    .toBe(count);
  expect(receiver.requests.length).toBeLessThanOrEqual(2 * count + maxRepeats);
});
