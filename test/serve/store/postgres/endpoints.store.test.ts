import { describe, expect, it } from 'vitest';
import { sharedPostgres } from '../../../helpers/postgres.js';
import { startReceiver, type Receiver } from '../../../helpers/receiver.js';
import { json, simple, track, until } from '../../serving.js';
import { isDrained, sharing, type SharingInstance } from './sharing.js';

const storeOf = sharedPostgres();

const batchOf = (from: number, count: number): object[] =>
  Array.from({ length: count }, (_, i) => track(from + i));

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

function idsOf(receiver: Receiver): string[] {
  return receiver.json().map(({ messageId }) => messageId as string);
}

/** Resolves when each instance says so of its destination. */
async function allSee(
  all: readonly SharingInstance[],
  isMet: (destination: Record<string, never[]>) => boolean,
): Promise<void> {
  for (const { api } of all) {
    await until(
      () => api('overview'),
      ({ destinations }) => isMet(destinations[0]),
    );
  }
}

describe('endpoints of instances that share a store', () => {
  it('are probed about once a second while they are down, and by all again when they are up', async () => {
    let status = 503;
    const accepted: string[] = [];
    const receiver = await startReceiver(({ body }) => {
      const { messageId } = JSON.parse(body.toString()) as { messageId: string };
      if (status === 200) accepted.push(messageId);
      return { status };
    });
    const all = await sharing(await storeOf(), simple(receiver.url));
    for (let i = 0; i < 8; i++) await all[i % 2]!.send(batchOf(i * 50, 50));
    await allSee(all, ({ down }) => down!.length === 1);
    // What was in flight ends.
    await pause(1_000);
    const before = receiver.requests.length;
    await pause(6_000);
    const probes = receiver.requests.length - before;
    expect(probes).toBeGreaterThan(0);
    expect(probes).toBeLessThanOrEqual(8);
    status = 200;
    await allSee(all, ({ down }) => down!.length === 0);
    await until(() => isDrained(all[0]!), Boolean);
    expect(accepted).toHaveLength(400);
    expect(new Set(accepted).size).toBe(400);
  });

  it('are left alone by all while one of them was told to wait', async () => {
    let isBusy = true;
    const times: number[] = [];
    const receiver = await startReceiver(() => {
      times.push(performance.now());
      return isBusy ? { status: 429, headers: { 'retry-after': '6' } } : {};
    });
    const all = await sharing(await storeOf(), simple(receiver.url));
    await all[0]!.send(batchOf(0, 1));
    await receiver.atLeast(1);
    const toldAt = performance.now();
    await allSee(all, ({ paused }) => Object.keys(paused ?? {}).length > 0);
    expect(performance.now() - toldAt).toBeLessThan(5_000);
    const heldAt = performance.now();
    isBusy = false;
    await all[1]!.send(batchOf(1, 20));
    await receiver.atLeast(22);
    expect(times.filter((at) => at > heldAt && at < toldAt + 5_000)).toEqual([]);
    await until(() => isDrained(all[0]!), Boolean);
    expect(receiver.requests).toHaveLength(22);
  });

  it('get what came while they were switched off once they are on again', async () => {
    const receiver = await startReceiver();
    const all = await sharing(await storeOf(), simple(receiver.url));
    await all[0]!.api('destinations/crm', json('PUT', { enabled: false }));
    await allSee(all, ({ enabled }) => !enabled);
    for (const [i, { send }] of all.entries()) expect((await send(batchOf(i * 10, 10))).status).toBe(200);
    await allSee(all, ({ waiting }) => Number(waiting) === 20);
    expect(receiver.requests).toEqual([]);
    await all[1]!.api('destinations/crm', json('PUT', { enabled: true }));
    await receiver.atLeast(20);
    await until(() => isDrained(all[0]!), Boolean);
    expect(new Set(idsOf(receiver)).size).toBe(20);
    expect(receiver.requests).toHaveLength(20);
  });

  it('get each event once when their destination changes under load', async () => {
    const receiver = await startReceiver();
    const all = await sharing(await storeOf(), simple(receiver.url));
    const load = async (): Promise<void> => {
      for (let i = 0; i < 30; i++) await all[i % 2]!.send(batchOf(i * 50, 50));
    };
    const reroute = async (): Promise<void> => {
      for (let i = 0; i < 8; i++) {
        await all[i % 2]!.reroute(simple(`${receiver.url}?version=${i}`));
        await pause(50);
      }
    };
    await Promise.all([load(), reroute()]);
    await receiver.atLeast(1_500);
    await until(() => isDrained(all[0]!), Boolean);
    expect(new Set(idsOf(receiver)).size).toBe(1_500);
    expect(receiver.requests).toHaveLength(1_500);
  });

  it('get the bytes of events as they came', async () => {
    const receiver = await startReceiver();
    const all = await sharing(await storeOf(), simple(receiver.url));
    const events = [
      String.raw`{"type":"track","userId":"u","event":"E","messageId":"nul","properties":{"a":"x\u0000y"}}`,
      String.raw`{"type":"track","userId":"u","event":"E","messageId":"lone","properties":{"a":"\ud800","b":"\udc00\ud800"}}`,
      String.raw`{"type":"track","userId":"u","event":"E","messageId":"\ud83d","properties":{"n":1.0e2,  "n2":-0}}`,
      String.raw`{"type":"track","userId":"ü\u0000","event":"E","messageId":"id \u0000 ☃ 𝒳","properties":{}}`,
      `{"type":"track","userId":"u","event":"E","messageId":"large","properties":{"a":"${'ä'.repeat(12_000)}"}}`,
      String.raw`{"userId":"\"","type":"track","event":"☃\\","messageId":"backslash\\"}`,
    ];
    const sent = async (batch: string, { url }: SharingInstance): Promise<Response> =>
      fetch(`${url}/v1/batch`, { method: 'POST', body: `{"writeKey":"k-web","batch":[${batch}]}` });
    const responses = await Promise.all(events.map((event, i) => sent(event, all[i % 2]!)));
    expect(responses.map(({ status }) => status)).toEqual(events.map(() => 200));
    await receiver.atLeast(events.length);
    await until(() => isDrained(all[0]!), Boolean);
    const received = receiver.requests.map(({ body }) => body.toString());
    for (const event of events) {
      // A timestamp is added, nothing else.
      const inner = event.slice(1, -1);
      expect(received.filter((body) => body.includes(inner))).toHaveLength(1);
    }
  });

  it('fail events whose ids and texts PostgreSQL would not take, and get them again', async () => {
    let status = 404;
    const receiver = await startReceiver(() => ({ status, body: 'a\0b\ud800' }));
    const all = await sharing(await storeOf(), simple(receiver.url));
    const event = String.raw`{"type":"track","userId":"\u0000\ud800","event":"\u0000","messageId":"a\u0000\ud800"}`;
    await fetch(`${all[0]!.url}/v1/batch`, {
      method: 'POST',
      body: `{"writeKey":"k-web","batch":[${event}]}`,
    });
    const { rows } = await until(
      () => all[1]!.api('dead-letters'),
      ({ rows }) => rows.length === 1,
    );
    status = 200;
    await all[1]!.api('redeliveries', json('POST', { ids: [rows[0].id] }));
    await receiver.atLeast(2);
    await until(() => isDrained(all[0]!), Boolean);
    const bodies = receiver.requests.map(({ body }) => body.toString());
    expect(bodies[1]).toBe(bodies[0]);
  });
});
