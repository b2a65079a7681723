import { describe, expect, it } from 'vitest';
import { sharedPostgres } from '../../../helpers/postgres.js';
import { startReceiver, type Receiver } from '../../../helpers/receiver.js';
import { json, serving, simple, track, until } from '../../serving.js';
import { isDrained, sharing, type SharingInstance } from './sharing.js';

const storeOf = sharedPostgres();

const batchOf = (from: number, count: number): object[] =>
  Array.from({ length: count }, (_, i) => track(from + i));

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

function idsOf(receiver: Receiver): string[] {
  return receiver.json().map(({ messageId }) => messageId as string);
}

function sendText({ url }: { readonly url: string }, event: string): Promise<Response> {
  const body = `{"writeKey":"k-web","batch":[${event}]}`;
  return fetch(`${url}/v1/batch`, { method: 'POST', body });
}

interface Shown {
  readonly enabled: boolean;
  readonly queued: number;
  readonly endpoints: readonly { readonly probing: boolean; readonly pausedUntil: string | null }[];
}

/** Resolves when each instance says so of its destination. */
async function allSee(
  all: readonly SharingInstance[],
  isMet: (destination: Shown) => boolean,
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
    await allSee(all, ({ endpoints }) => endpoints[0]!.probing);
    // What was in flight ends.
    await pause(1_000);
    const before = receiver.requests.length;
    await pause(6_000);
    const probes = receiver.requests.length - before;
    expect(probes).toBeGreaterThan(0);
    expect(probes).toBeLessThanOrEqual(8);
    status = 200;
    await allSee(all, ({ endpoints }) => !endpoints[0]!.probing);
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
    await allSee(all, ({ endpoints }) => endpoints[0]!.pausedUntil !== null);
    expect(performance.now() - toldAt).toBeLessThan(5_000);
    const heldAt = performance.now();
    isBusy = false;
    await all[1]!.send(batchOf(1, 20));
    await receiver.atLeast(22);
    expect(times.filter((at) => at > heldAt && at < toldAt + 5_000)).toEqual([]);
    await until(() => isDrained(all[0]!), Boolean);
    expect(receiver.requests).toHaveLength(22);
  });

  it('have one rate over all', async () => {
    const times: number[] = [];
    const receiver = await startReceiver(() => {
      times.push(performance.now());
      return {};
    });
    const { sources, destinations } = simple(receiver.url);
    const [crm] = destinations;
    const endpoints = [{ url: receiver.url, rate: 20 }];
    const all = await sharing(await storeOf(), { sources, destinations: [{ ...crm!, endpoints }] });
    await Promise.all(all.map(({ send }, i) => send(batchOf(i * 20, 20))));
    await receiver.atLeast(40);
    expect(new Set(idsOf(receiver)).size).toBe(40);
    // Each instance for itself would take half of this.
    expect(times.at(-1)! - times[0]!).toBeGreaterThan((39 / 20 / 1.05) * 1_000);
    await until(() => isDrained(all[0]!), Boolean);
  });

  it('get what waited while they were switched off once they are on again', async () => {
    let open: () => void = () => undefined;
    const opened = new Promise<void>((resolve) => (open = resolve));
    const receiver = await startReceiver(() => opened.then(() => ({})));
    const all = await sharing(await storeOf(), simple(receiver.url), 2, {
      delivery: { concurrency: 1 },
    });
    for (const [i, { send }] of all.entries()) await send(batchOf(i * 10, 10));
    await receiver.atLeast(1);
    const switched = all[0]!.api('destinations/crm', json('PUT', { enabled: false }));
    await allSee(all, ({ enabled }) => !enabled);
    open();
    await switched;
    // Each has one in flight at most.
    const before = receiver.requests.length;
    expect(before).toBeLessThanOrEqual(2);
    await allSee(all, ({ queued }) => queued === 20 - before);
    expect(receiver.requests).toHaveLength(before);
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

  it('get the same bytes as from one that has its store in a file', async () => {
    const receiver = await startReceiver();
    const all = await sharing(await storeOf(), simple(receiver.url));
    const events = [
      String.raw`{"type":"track","userId":"u","event":"E","timestamp":"2026-01-01T00:00:00Z","messageId":"nul","properties":{"a":"x\u0000y"}}`,
      String.raw`{"type":"track","userId":"u","event":"E","timestamp":"2026-01-01T00:00:00Z","messageId":"lone","properties":{"a":"\ud800","b":"\udc00\ud800"}}`,
      String.raw`{"type":"track","userId":"u","event":"E","timestamp":"2026-01-01T00:00:00Z","messageId":"\ud83d","properties":{"n":1.0e2,  "n2":-0}}`,
      String.raw`{"type":"track","userId":"ü\u0000","event":"E","timestamp":"2026-01-01T00:00:00Z","messageId":"id \u0000 ☃ 𝒳","properties":{}}`,
      `{"type":"track","userId":"u","event":"E","timestamp":"2026-01-01T00:00:00Z","messageId":"large","properties":{"a":"${'ä'.repeat(12_000)}"}}`,
      String.raw`{"userId":"\"","type":"track","event":"☃\\","timestamp":"2026-01-01T00:00:00Z","messageId":"backslash\\"}`,
    ];
    const responses = await Promise.all(events.map((event, i) => sendText(all[i % 2]!, event)));
    expect(responses.map(({ status }) => status)).toEqual(events.map(() => 200));
    await receiver.atLeast(events.length);
    const other = await startReceiver();
    const alone = await serving(simple(other.url));
    for (const event of events) await sendText(alone, event);
    await other.atLeast(events.length);
    const bodiesOf = ({ requests }: Receiver): string[] =>
      requests.map(({ body }) => body.toString('latin1')).sort();
    expect(bodiesOf(receiver)).toEqual(bodiesOf(other));
  });

  it('fail events whose ids and texts PostgreSQL would not take, and get them again', async () => {
    let status = 404;
    const receiver = await startReceiver(() => ({ status }));
    const all = await sharing(await storeOf(), simple(receiver.url));
    const event = String.raw`{"type":"track","userId":"\u0000\ud800","event":"\u0000","timestamp":"2026-01-01T00:00:00Z","messageId":"a\u0000\ud800"}`;
    await sendText(all[0]!, event);
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
