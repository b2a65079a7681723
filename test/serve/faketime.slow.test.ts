import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, describe, expect, it } from 'vitest';
import { start } from '../helpers/cli.js';
import { FakeTime, findFaketime } from '../helpers/faketime.js';
import { folderWith } from '../helpers/folder.js';
import { startReceiver, type ReceiverResponse } from '../helpers/receiver.js';
import { until } from './serving.js';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** `evfwd serve` as a process, with its own clock, and an endpoint. */
async function scene(response: () => ReceiverResponse = () => ({})) {
  const receiver = await startReceiver(response);
  cleanups.push(receiver.close);
  const folder = folderWith({
    'evfwd.config.yaml': `sources: { web: { writeKey: k, destinations: [crm] } }
destinations:
  crm: { type: Webhooks, allowPrivateNetworks: true, endpoints: [{ url: '${receiver.url}' }] }
`,
  });
  const time = new FakeTime(join(folder, 'time'));
  const run = async () => {
    const child = start(['serve', '--port', '0', '--json'], { cwd: folder, env: time.env });
    cleanups.push(() => child.kill('SIGKILL'));
    child.stderr.resume();
    const end = once(child, 'close');
    const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
    const { url } = JSON.parse(line) as { url: string };
    return {
      send: async (messageId: string): Promise<number> => {
        const event = { writeKey: 'k', userId: 'u', event: 'E', messageId };
        const body = JSON.stringify(event);
        return (await fetch(`${url}/v1/track`, { method: 'POST', body })).status;
      },
      // eslint-disable-next-line @typescript-eslint/no-explicit-any -- tests look into whatever came
      crm: async (): Promise<any> =>
        ((await (await fetch(`${url}/_evfwd/api/overview`)).json()) as { destinations: unknown[] })
          .destinations[0],
      stop: async (): Promise<void> => {
        child.kill();
        await end;
      },
    };
  };
  return { receiver, time, run };
}

describe.skipIf(findFaketime() === undefined)('a service whose clock is moved', () => {
  it('by eight days between two starts, with nothing waiting, delivers new events', async () => {
    const { receiver, time, run } = await scene();
    for (const [days, messageId] of ['m0', 'm1', 'm2'].entries()) {
      time.set(`+${8 * days}d`);
      const service = await run();
      expect(await service.send(messageId)).toBe(200);
      await until(service.crm, ({ queued, retrying }) => queued === 0 && retrying === 0);
      expect(await service.crm()).toMatchObject({ deadLetters: 0, delivered: 1 });
      await service.stop();
    }
    expect(receiver.json().map(({ messageId }) => messageId)).toEqual(['m0', 'm1', 'm2']);
  });

  it('back by two hours while a retry waits sends it within its own delay', async () => {
    let status = 503;
    const { receiver, time, run } = await scene(() => ({ status }));
    const service = await run();
    await service.send('m1');
    await until(service.crm, ({ retrying }) => retrying === 1);
    status = 200;
    time.set('-2h');
    // After 6 s at most; the test ends long before the clock has caught up.
    await until(service.crm, ({ delivered }) => delivered === 1);
    expect(receiver.requests.length).toBe(2);
    await service.stop();
  });

  it('back by a day between two starts sends waiting events, and expires nothing', async () => {
    let status = 503;
    const { receiver, time, run } = await scene(() => ({ status }));
    time.set('+1d');
    const first = await run();
    await first.send('m1');
    await until(first.crm, ({ retrying }) => retrying === 1);
    await first.stop();
    status = 200;
    time.set('+0');
    const second = await run();
    await until(second.crm, ({ delivered }) => delivered === 1);
    expect(receiver.requests.length).toBe(2);
    await second.stop();
  });
});
