import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { systemClock, type Clock } from '../../../src/clock.js';
import { folderWith } from '../../helpers/folder.js';
import { startReceiver, type Receiver, type ReceiverResponse } from '../../helpers/receiver.js';
import {
  destination,
  json,
  serving,
  simple,
  source,
  track,
  until,
  type Serving,
} from '../serving.js';

const receivers: Receiver[] = [];
afterEach(async () => {
  await Promise.all(receivers.splice(0).map((receiver) => receiver.close()));
});

async function responding(response: ReceiverResponse): Promise<Receiver> {
  const receiver = await startReceiver(() => response);
  receivers.push(receiver);
  return receiver;
}

const dead = 'http://127.0.0.1:9/hook';
const hour = 3_600_000;

/** The values of the gauges by their names and labels. */
async function gauges({ url }: Serving): Promise<Record<string, number>> {
  const text = await (await fetch(`${url}/_evfwd/metrics`)).text();
  const lines = text.split('\n').filter((line) => line.startsWith('evfwd_'));
  return Object.fromEntries(
    lines.map((line) => [line.replace(/ \S+$/, ''), Number(/\S+$/.exec(line)![0])]),
  );
}

/** Waits until a gauge has this value. */
async function has(served: Serving, name: string, value: number): Promise<Record<string, number>> {
  return until(
    () => gauges(served),
    (all) => all[name] === value,
  );
}

const waiting = (name: string): string => `evfwd_events_waiting{destination="${name}"}`;
const oldest = (name: string): string => `evfwd_oldest_waiting_seconds{destination="${name}"}`;
const letters = (name: string): string => `evfwd_dead_letters{destination="${name}"}`;

/** The states of an endpoint that are 1. */
async function stateOf(served: Serving, url: string): Promise<string[]> {
  const all = await gauges(served);
  const of = `evfwd_endpoint_state{destination="crm",endpoint="${url}",state="`;
  const states = Object.entries(all).filter(([name]) => name.startsWith(of));
  expect(states.map(([name]) => name.slice(of.length, -2))).toEqual([
    ...['unused', 'up', 'failing', 'down', 'gone', 'paused'],
  ]);
  return states.filter(([, value]) => value === 1).map(([name]) => name.slice(of.length, -2));
}

/** The time of day can be set; timers run as usual. */
class ShiftedClock implements Clock {
  shiftMs = 0;
  readonly monotonic = (): number => systemClock.monotonic();
  readonly after: Clock['after'] = (...timer) => systemClock.after(...timer);
  now(): number {
    return systemClock.now() + this.shiftMs;
  }
}

describe('the gauges of what waits', () => {
  it('are 0 for a destination for which nothing waits, also before its first event', async () => {
    const served = await serving(simple((await responding({})).url));
    const none = { [waiting('crm')]: 0, [oldest('crm')]: 0, [letters('crm')]: 0 };
    expect(await gauges(served)).toMatchObject(none);
    await served.send([track(1)]);
    const delivered = 'evfwd_deliveries_total{destination="crm",verdict="delivered"}';
    await has(served, delivered, 1);
    expect(await has(served, waiting('crm'), 0)).toMatchObject(none);
  });

  it('count queued events and those that wait for a retry, from when they were queued', async () => {
    const clock = new ShiftedClock();
    const served = await serving(simple(dead), { clock });
    await served.send([track(1)]);
    await has(served, 'evfwd_retries_waiting{destination="crm"}', 1);
    clock.shiftMs = hour;
    await served.send([track(2), track(3)]);
    const { [waiting('crm')]: count, [oldest('crm')]: age } = await gauges(served);
    expect(count).toBe(3);
    expect(age).toBeGreaterThanOrEqual(3_600);
    expect(age).toBeLessThan(3_700);
  });

  it('stay after a restart, for a destination that is off, removed or renamed', async () => {
    const clock = new ShiftedClock();
    const stateDir = folderWith();
    const first = await serving(simple(dead), { clock, stateDir });
    await first.send([track(1), track(2)]);
    await has(first, 'evfwd_retries_waiting{destination="crm"}', 2);
    await first.stop();
    clock.shiftMs = hour;
    const off = await serving(simple(dead, { isEnabled: false }), { clock, stateDir });
    const all = await gauges(off);
    expect(all[waiting('crm')]).toBe(2);
    expect(all[oldest('crm')]).toBeGreaterThanOrEqual(3_600);
    await off.reroute({
      sources: [source('web', { destinations: ['renamed'] })],
      destinations: [destination('renamed', dead)],
    });
    const renamed = await gauges(off);
    expect(renamed[waiting('crm')]).toBe(2);
    expect(renamed[oldest('crm')]).toBeGreaterThanOrEqual(3_600);
    expect(renamed).toMatchObject({ [waiting('renamed')]: 0, [oldest('renamed')]: 0 });
    const endpoints = Object.keys(renamed).filter((name) => name.startsWith('evfwd_endpoint'));
    expect(endpoints.filter((name) => name.includes('"crm"'))).toEqual([]);
  });

  it('have an age that is never negative, and grows, when the clock is set back', async () => {
    const clock = new ShiftedClock();
    const served = await serving(simple(dead), { clock });
    await served.send([track(1)]);
    await has(served, waiting('crm'), 1);
    clock.shiftMs = -48 * hour;
    const { [oldest('crm')]: before } = await gauges(served);
    expect(before).toBeGreaterThanOrEqual(0);
    expect(before).toBeLessThan(60);
    await until(
      () => gauges(served),
      (all) => all[oldest('crm')]! > before!,
    );
  });

  it('count dead letters until they are sent again, also of removed destinations', async () => {
    let status = 404;
    const receiver = await startReceiver(() => ({ status }));
    receivers.push(receiver);
    const served = await serving(simple(receiver.url));
    await served.send([track(1), track(2)]);
    await has(served, letters('crm'), 2);
    await served.reroute({ sources: [source('web', { destinations: [] })], destinations: [] });
    expect(await gauges(served)).toMatchObject({ [letters('crm')]: 2 });
    status = 200;
    await served.reroute(simple(receiver.url));
    await served.api('redeliveries', json('POST', { destination: 'crm' }));
    await has(served, letters('crm'), 0);
  });
});

describe('the state of an endpoint', () => {
  it.each<[state: string, response: ReceiverResponse]>([
    ['up', {}],
    ['failing', { status: 503 }],
    ['gone', { status: 410 }],
    ['paused', { status: 429, headers: { 'retry-after': '3600' } }],
  ])('is %s after the response %j', async (state, response) => {
    const { url } = await responding(response);
    const served = await serving(simple(`${url}?token=hush`));
    expect(await stateOf(served, url)).toEqual(['unused']);
    await served.send([track(1)]);
    await until(
      () => stateOf(served, url),
      ([now]) => now !== 'unused',
    );
    expect(await stateOf(served, url)).toEqual([state]);
  });

  it('is down without a response, and of one of two endpoints, too', async () => {
    const { url } = await responding({});
    const served = await serving(simple('', { endpoints: [{ url: dead }, { url }] }));
    await served.send([track(1)]);
    await until(
      () => stateOf(served, dead),
      ([now]) => now === 'down',
    );
    await until(
      () => stateOf(served, url),
      ([now]) => now === 'up',
    );
  });
});

it('evfwd_state_ok is 0 while the state cannot be written', async () => {
  const served = await serving(simple(dead));
  expect(await gauges(served)).toMatchObject({ evfwd_state_ok: 1 });
  rmSync(join(served.stateDir, 'serve.db'));
  expect((await served.send([track(1)])).status).toBe(503);
  expect(await gauges(served)).toMatchObject({ evfwd_state_ok: 0 });
});

it('the metrics of the process are those of all services in it', async () => {
  for (let service = 0; service < 2; service++) {
    const { url } = await serving(simple(dead));
    const text = await (await fetch(`${url}/_evfwd/metrics`)).text();
    expect(text.match(/^process_cpu_seconds_total /gm)).toHaveLength(1);
    expect(text).toContain('# TYPE nodejs_gc_duration_seconds histogram');
  }
});
