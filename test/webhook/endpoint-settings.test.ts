import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import type { Outcome } from '../../src/delivery/outcome.js';
import type { EndpointSettings } from '../../src/webhook/endpoint.js';
import type { Event } from '../../src/events/event.js';
import { eventFrom } from '../../src/events/given.js';
import type { WebhookTarget, WebhookTargetOptions } from '../../src/webhook/target.js';
import { reply, startRawServer, type RawAnswer } from '../helpers/raw-server.js';
import { VirtualClock } from '../helpers/virtual-clock.js';
import { attemptsOf, sendNow, webhooks } from '../helpers/webhooks.js';

type Part = readonly [EndpointSettings, RawAnswer];

async function scene(parts: readonly Part[], options: Partial<WebhookTargetOptions> = {}) {
  const clock = new VirtualClock();
  const servers = await Promise.all(
    parts.map(([, response]) => startRawServer({ response: () => response })),
  );
  const endpoints = servers.map(({ url }, i) => ({ url, ...parts[i]![0] }));
  return { clock, servers, target: webhooks([], { clock, ...options, endpoints }) };
}

/** Lets what has arrived on loopback be handled. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 50; turn++) await nextTurn();
}

describe('the concurrency of an endpoint', () => {
  it('is never exceeded there, while another endpoint has more in flight', async () => {
    const held: Socket[][] = [[], []];
    const most = [0, 0];
    const hold = (server: number) => (socket: Socket) => {
      held[server]!.push(socket);
      most[server] = Math.max(most[server]!, held[server]!.length);
    };
    const { target, servers } = await scene(
      [
        [{ concurrency: 2 }, hold(0)],
        [{}, hold(1)],
      ],
      { allUrls: true, concurrency: 6 },
    );
    const outcomes = Array.from({ length: 6 }, (_, i) => sendNow(target, `m${i}`));
    await Promise.all([servers[0]!.arrived(2), servers[1]!.arrived(6)]);
    await settle();
    expect(held.map((sockets) => sockets.length)).toEqual([2, 6]);
    for (let answered = 0; answered < 6; answered += 2) {
      for (const socket of held[0]!.splice(0)) socket.write(reply(200));
      await servers[0]!.arrived(Math.min(answered + 4, 6));
    }
    for (const socket of held.flat()) socket.write(reply(200));
    const verdicts = (await Promise.all(outcomes)).map(({ verdict }) => verdict);
    expect([most, new Set(verdicts)]).toEqual([[2, 6], new Set(['delivered'])]);
  });

  it('may be more than that of the target', async () => {
    const { target, servers } = await scene([[{ concurrency: 3 }, undefined]], { concurrency: 1 });
    for (let i = 0; i < 3; i++) {
      expect(target.room()).toBeUndefined();
      void sendNow(target, `m${i}`);
    }
    await servers[0]!.arrived(3);
    expect(target.room()).toBeInstanceOf(Promise);
  });
});

describe('an endpoint that is slower than others', () => {
  const eventOf = (type: string): Event => eventFrom({ type, event: 'E', userId: 'u' }) as Event;

  function sender(target: WebhookTarget) {
    return (type: string): Promise<Outcome> => {
      const stamp = { messageId: 'm1', writesMessageId: false };
      return new Promise((resolve) => target.send({ event: eventOf(type), stamp }, resolve));
    };
  }

  it('does not hold up the events of the others, up to 256 that are queued there', async () => {
    const { target, servers } = await scene(
      [
        [{ types: ['identify'], concurrency: 1 }, undefined],
        [{ types: ['track'] }, reply(200)],
      ],
      { concurrency: 4, returnsRetries: true },
    );
    const send = sender(target);
    for (let i = 0; i < 256; i++) {
      expect(target.room()).toBeUndefined();
      void send('identify');
    }
    expect((await send('track')).verdict).toBe('delivered');
    expect(target.room()).toBeUndefined();
    void send('identify');
    expect(target.room()).toBeInstanceOf(Promise);
    expect(servers.map(({ requests }) => requests.length)).toEqual([1, 1]);
  });

  it('sends what was queued in turn, and all of it ends', async () => {
    let most = 0;
    let inFlight = 0;
    const slow = (socket: Socket): void => {
      most = Math.max(most, ++inFlight);
      setImmediate(() => {
        inFlight--;
        socket.write(reply(200));
      });
    };
    const { target } = await scene(
      [
        [{ types: ['identify'], concurrency: 2 }, slow],
        [{ types: ['track'] }, reply(200)],
      ],
      { concurrency: 4, returnsRetries: true },
    );
    const send = sender(target);
    const outcomes = Array.from({ length: 40 }, (_, i) => send(i % 2 ? 'track' : 'identify'));
    await target.drain();
    const verdicts = (await Promise.all(outcomes)).map(({ verdict }) => verdict);
    expect([verdicts.length, new Set(verdicts)]).toEqual([40, new Set(['delivered'])]);
    expect(most).toBeLessThanOrEqual(2);
    expect(target.room()).toBeUndefined();
  });
});

describe('the rate of an endpoint', () => {
  it('spaces its attempts, and not those at another one', async () => {
    const { clock, target, servers } = await scene(
      [
        [{ rate: 10 }, reply(200)],
        [{}, reply(200)],
      ],
      { allUrls: true },
    );
    const outcomes = Array.from({ length: 5 }, (_, i) => sendNow(target, `m${i}`));
    await servers[1]!.arrived(5);
    await settle();
    expect(servers[0]!.requests).toHaveLength(1);
    for (let sent = 2; sent <= 5; sent++) {
      clock.advance(90);
      await settle();
      expect(servers[0]!.requests).toHaveLength(sent - 1);
      clock.advance(10);
      await servers[0]!.arrived(sent);
    }
    for (const outcome of outcomes) expect((await outcome).verdict).toBe('delivered');
  });

  it('counts retries', async () => {
    const { clock, target, servers } = await scene([[{ rate: 0.1 }, reply(503)]], {
      retryWindowMs: 60_000,
      retryDelaysMs: [1_000],
      random: () => 0.5,
    });
    const first = sendNow(target, 'm1');
    await servers[0]!.arrived(1);
    await clock.timers(1);
    // The retry is due after a second, its turn after ten.
    clock.advance(9_000);
    await settle();
    expect(servers[0]!.requests).toHaveLength(1);
    clock.advance(1_000);
    await servers[0]!.arrived(2);
    target.interrupt();
    expect((await first).attempts).toHaveLength(2);
  });

  it('leaves an event that was due within its window its last attempt', async () => {
    const { clock, target, servers } = await scene([[{ rate: 0.1 }, reply(503)]], {
      retryWindowMs: 5_000,
      retryDelaysMs: [4_000],
      random: () => 0.5,
    });
    const first = sendNow(target, 'm1');
    await servers[0]!.arrived(1);
    await clock.timers(1);
    clock.advance(10_000);
    await servers[0]!.arrived(2);
    expect(attemptsOf(await first)).toEqual(['503: retry', '503: retry']);
  });
});

describe('retryStatus of an endpoint', () => {
  it('has these statuses retried there alone', async () => {
    const { target } = await scene(
      [
        [{ retryStatus: [403, 404] }, reply(404)],
        [{}, reply(404)],
      ],
      { returnsRetries: true, retryWindowMs: 60_000 },
    );
    const outcome: Outcome = await sendNow(target);
    expect([outcome.verdict, attemptsOf(outcome).sort()]).toEqual([
      'pending',
      ['404: failed', '404: retry'],
    ]);
  });

  it('keeps a URL that is to be retried after a 410', async () => {
    const { target, servers } = await scene([[{ retryStatus: [410] }, reply(410)]], {
      ...{ returnsRetries: true, retryWindowMs: 60_000, disablesOnGone: true },
    });
    expect((await sendNow(target, 'm1')).verdict).toBe('pending');
    expect((await sendNow(target, 'm2')).verdict).toBe('pending');
    expect(servers[0]!.requests).toHaveLength(2);
  });

  it('waits for a Retry-After of such a response', async () => {
    const { clock, target } = await scene(
      [[{ retryStatus: [403] }, reply(403, { 'retry-after': '20' })]],
      { returnsRetries: true, retryWindowMs: 60_000 },
    );
    const { retry } = await sendNow(target);
    expect(retry!.dueAt - clock.now()).toBeGreaterThanOrEqual(20_000);
  });
});

describe('the timeout of an endpoint', () => {
  it('holds there, and that of the target at the others', async () => {
    const { clock, target, servers } = await scene(
      [
        [{ timeoutMs: 300 }, undefined],
        [{}, undefined],
      ],
      { timeoutMs: 2_000, retryWindowMs: 0 },
    );
    const outcome = sendNow(target);
    await Promise.all(servers.map((server) => server.arrived(1)));
    clock.advance(2_000);
    const { attempts } = await outcome;
    expect(attempts.map(({ error, detail }) => [error, detail])).toEqual([
      ['timeout', 'timed out after 300 ms'],
      ['timeout', 'timed out after 2 s'],
    ]);
  });
});
