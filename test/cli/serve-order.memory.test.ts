import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { folderWith } from '../helpers/folder.js';
import { configuration, receiving, running } from './serve-process.js';

const most = 200 * 1024 * 1024;
const blocked = 20_000;
const batchSize = 100;

/** The most memory that a process has had, in bytes. */
function peakOf(pid: number): number {
  const [, kilobytes] = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))!;
  return Number(kilobytes) * 1024;
}

async function post(url: string, user: (i: number) => string, from: number): Promise<void> {
  const batch = Array.from({ length: batchSize }, (_, i) => ({
    ...{
      type: 'track',
      userId: user(from + i),
      event: 'E',
      messageId: `${user(from + i)}-${from + i}`,
    },
    properties: { text: 'x'.repeat(2_000) },
  }));
  const body = JSON.stringify({ batch, writeKey: 'hush-key' });
  const response = await fetch(`${url}/v1/batch`, { method: 'POST', body });
  await response.text();
  expect(response.status).toBe(200);
}

it.runIf(process.platform === 'linux')(
  'serve with 20,000 events behind one user has at most 200 MB, and those of others flow, after a restart too',
  async () => {
    /** What was sent shortly before a kill is sent once more. */
    const ofOthers = new Set<string>();
    const receiver = await receiving(({ body }) => {
      const { userId, messageId } = JSON.parse(String(body)) as Record<string, string>;
      if (userId !== 'blocked') ofOthers.add(messageId!);
      return { status: userId === 'blocked' ? 500 : 200 };
    });
    const others = (): number => ofOthers.size;
    const config = configuration(receiver.url, '    ordered: user\n');
    const folder = folderWith({ 'evfwd.config.yaml': config });
    const first = await running(folder);
    for (let from = 0; from < blocked; from += batchSize)
      await post(first.url, () => 'blocked', from);
    await post(first.url, (i) => `u${i}`, 0);
    await expect.poll(others, { timeout: 60_000 }).toBe(batchSize);
    const waiting = async (): Promise<number> => {
      const response = await fetch(`${first.url}/_evfwd/api/destinations/crm/users`);
      const {
        users: [queue],
      } = (await response.json()) as { users: { waiting: number }[] };
      return queue?.waiting ?? 0;
    };
    await expect.poll(waiting, { timeout: 60_000 }).toBe(blocked - 1);
    expect(peakOf(first.child.pid!)).toBeLessThan(most);
    await first.stop('SIGKILL');
    const second = await running(folder);
    await post(second.url, (i) => `v${i}`, 0);
    await expect.poll(others, { timeout: 60_000 }).toBe(2 * batchSize);
    expect(peakOf(second.child.pid!)).toBeLessThan(most);
  },
  180_000,
);
