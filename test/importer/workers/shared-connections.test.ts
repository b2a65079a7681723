import { describe, expect, it } from 'vitest';
import { ProbeRequests } from '../../../src/importer/workers/probe-requests.js';
import { SharedConnections } from '../../../src/importer/workers/shared-connections.js';
import { WebhookConnections } from '../../../src/webhook/connections.js';
import { VirtualClock } from '../../helpers/virtual-clock.js';

function opening() {
  const opened: WebhookConnections[] = [];
  const open = (): Promise<WebhookConnections> => {
    opened.push(new WebhookConnections({ endpoints: [{ url: 'http://127.0.0.1:9/' }] }));
    return Promise.resolve(opened.at(-1)!);
  };
  return { opened, open };
}

describe('connections that jobs share', () => {
  it('are opened once for each name', async () => {
    const shared = new SharedConnections(new VirtualClock());
    const { opened, open } = opening();
    const joined = ['a', 'a', 'b'].map((name) => shared.join(name, open));
    const [first, second, other] = await Promise.all(joined);
    expect(first).toBe(second);
    expect(other).not.toBe(first);
    expect(opened).toHaveLength(2);
  });

  it.each([
    ['stay open for a job that comes soon', 900, 1],
    ['are closed a second after the last job', 1_100, 2],
  ])('%s', async (_title, passedMs, expected) => {
    const clock = new VirtualClock();
    const shared = new SharedConnections(clock);
    const { opened, open } = opening();
    await Promise.all([shared.join('a', open), shared.join('a', open)]);
    shared.leave('a');
    clock.advance(5_000);
    shared.leave('a');
    clock.advance(passedMs);
    await shared.join('a', open);
    expect(opened).toHaveLength(expected);
  });
});

it('refuses the probes that a job has asked for when the job has ended', async () => {
  const requests = new ProbeRequests(() => undefined);
  const asked = requests.ask(0);
  requests.end();
  expect(await asked).toBe(false);
  expect(await requests.ask(0)).toBe(false);
});
