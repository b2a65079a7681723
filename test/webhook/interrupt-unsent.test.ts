import { describe, expect, it } from 'vitest';
import type { EndpointDeliveryState, Outcome } from '../../src/delivery/outcome.js';
import { parseEvent } from '../../src/events/parse.js';
import { builtHere, type Event } from '../../src/events/event.js';
import type { WebhookTargetOptions } from '../../src/webhook/target.js';
import { reply, startRawServer, type RawServer } from '../helpers/raw-server.js';
import { VirtualClock } from '../helpers/virtual-clock.js';
import { sendNow, someEvent, attemptsOf, webhooks } from '../helpers/webhooks.js';

const second = 1_000;
const hour = 3_600 * second;

/** Servers that answer with these statuses, one after the other; the last one repeats. */
function serversOf(statuses: readonly (readonly (number | string)[])[]): Promise<RawServer[]> {
  return Promise.all(
    statuses.map((list) =>
      startRawServer({
        response: (_request, index) => {
          const status = list[Math.min(index, list.length - 1)]!;
          if (typeof status === 'number') return reply(status);
          return reply(429, { 'retry-after': status });
        },
      }),
    ),
  );
}

async function scene(
  statuses: readonly (readonly (number | string)[])[],
  options: Partial<WebhookTargetOptions> = {},
) {
  const servers = await serversOf(statuses);
  const clock = new VirtualClock();
  const destination = webhooks(
    servers.map(({ url }) => url),
    { clock, returnsRetries: true, retryWindowMs: 4 * hour, random: () => 0.5, ...options },
  );
  const send = (endpointDeliveries?: readonly EndpointDeliveryState[]): Promise<Outcome> =>
    new Promise((resolve) => {
      const text = Buffer.from(JSON.stringify(someEvent));
      const event = parseEvent(text, builtHere('test', text.length)) as Event;
      const stamp = { messageId: 'm1', writesMessageId: false };
      destination.send(
        { event, stamp, ...(endpointDeliveries && { endpointDeliveries }) },
        resolve,
      );
    });
  const counts = () => servers.map(({ requests }) => requests.length);
  return { servers, clock, destination, send, counts };
}

/** Each URL in short: attempts, and seconds until the next one. */
function short({ retry }: Outcome, clock: VirtualClock): string[] | undefined {
  return retry?.endpointDeliveries.map(({ attempts, dueAt, isDelivered }) => {
    if (isDelivered) return `${attempts} delivered`;
    return dueAt === undefined
      ? `${attempts} failed`
      : `${attempts} in ${Math.round((dueAt - clock.now()) / second)}`;
  });
}

describe('a destination that hands back', () => {
  it.each<[string, (number | string)[][], boolean, string, string[] | undefined]>([
    ['one URL, down', [[503]], false, 'pending', ['1 in 5']],
    ['one URL, refusing', [[404]], false, 'failed', undefined],
    ['two, one takes it', [[503], [200]], false, 'delivered', undefined],
    ['two, one refuses', [[503], [404]], false, 'pending', ['1 in 5', '1 failed']],
    ['two, both refuse', [[400], [404]], false, 'failed', undefined],
    ['two, one is gone', [[410], [503]], false, 'pending', ['1 failed', '1 in 5']],
    ['all must take it', [[503], [200]], true, 'pending', ['1 in 5', '1 delivered']],
    ['all must, one refuses', [[404], [200]], true, 'failed', undefined],
    ['all must, all do', [[200], [200]], true, 'delivered', undefined],
    ['asked to wait', [['77']], false, 'pending', ['1 in 77']],
    ['asked to wait for too long', [['14401']], false, 'pending', ['1 in 14399']],
  ])(
    'ends an event at its first attempt: %s',
    async (_what, statuses, allUrls, verdict, endpointDeliveries) => {
      const { send, clock } = await scene(statuses, { allUrls });
      const outcome = await send();
      expect([outcome.verdict, short(outcome, clock)]).toEqual([verdict, endpointDeliveries]);
      expect(outcome.attemptCount ?? outcome.attempts.length).toBe(statuses.length);
    },
  );

  it('waits until a date that it is asked to wait for', async () => {
    const date = new Date(new VirtualClock().now() + 77 * second).toUTCString();
    const { send, clock } = await scene([[date]]);
    expect(short(await send(), clock)).toEqual(['1 in 77']);
  });

  it('continues where it was: only URLs that are due get a request, and all their attempts count', async () => {
    const { send, clock, counts } = await scene([[503], ['60', 503], [404]], { allUrls: false });
    const first = await send();
    clock.advance(first.retry!.dueAt - clock.now());
    const second = await send(first.retry!.endpointDeliveries);
    expect(counts()).toEqual([2, 1, 1]);
    expect(short(second, clock)).toEqual(['2 in 15', '1 in 55', '1 failed']);
    expect(second.attempts.map(({ attempt }) => attempt)).toEqual([2]);
    expect(second.retry!.endpointDeliveries.map(({ firstAt }) => firstAt)).toEqual(
      first.retry!.endpointDeliveries.map(({ firstAt }) => firstAt),
    );
    expect(second.attemptCount).toBe(4);
  });

  it('never sends again to a URL that has taken it', async () => {
    const { send, clock, counts } = await scene([[503, 200], [200]], { allUrls: true });
    const first = await send();
    clock.advance(5 * second);
    expect((await send(first.retry!.endpointDeliveries)).verdict).toBe('delivered');
    expect(counts()).toEqual([2, 1]);
  });

  it('makes at least 8 attempts in 4 hours and none after, over any number of runs', async () => {
    const { send, clock, counts } = await scene([[503]]);
    let outcome = await send();
    while (outcome.retry) {
      clock.advance(outcome.retry.dueAt - clock.now());
      expect(clock.elapsedMs).toBeLessThanOrEqual(4 * hour);
      outcome = await send(outcome.retry.endpointDeliveries);
    }
    expect(outcome).toMatchObject({ verdict: 'failed', code: 'status_503' });
    expect([counts()[0]! >= 8, outcome.attemptCount]).toEqual([true, counts()[0]]);
  });

  it('does not try what was due while nothing ran, when its window has ended', async () => {
    const { send, clock, counts } = await scene([[503]]);
    const { retry } = await send();
    clock.advance(4 * hour + second);
    const outcome = await send(retry!.endpointDeliveries);
    expect([outcome.verdict, outcome.code, outcome.attempts]).toEqual(['failed', 'status_503', []]);
    expect(counts()).toEqual([1]);
  });

  it('makes the last attempt of what came due in its window and waited for a turn of the rate', async () => {
    const { send, clock, counts } = await scene([[503]]);
    const { retry } = await send();
    clock.advance(4 * hour + 2 * second);
    const held = retry!.endpointDeliveries.map((state) => ({ ...state, lateMs: 3 * second }));
    const outcome = await send(held);
    expect([outcome.verdict, attemptsOf(outcome), outcome.retry]).toEqual([
      'failed',
      ['503: retry'],
      undefined,
    ]);
    expect(counts()).toEqual([2]);
  });

  it('sends an event that one URL has taken to the other one, too, when a short pause of that ends', async () => {
    const { send, servers, clock, counts } = await scene([[200], ['5', 200]], {
      allUrls: false,
      reportsAtOnce: true,
    });
    await send();
    await servers[1]!.arrived(1);
    await clock.timers(1);
    expect((await send()).verdict).toBe('delivered');
    expect(counts()).toEqual([2, 1]);
    clock.advance(5 * second);
    await servers[1]!.arrived(2);
    expect(counts()).toEqual([2, 2]);
  });

  it('sends nothing more of an event that it has handed back when another URL accepts it', async () => {
    const prompt = await startRawServer({ response: () => undefined });
    const slow = await startRawServer({
      response: (_request, index) => (index > 0 ? reply(200) : undefined),
    });
    const target = webhooks([prompt.url, slow.url], {
      ...{ clock: new VirtualClock(), returnsRetries: true, retryWindowMs: hour },
      ...{ concurrency: 1, reportsAtOnce: true },
    });
    const first = sendNow(target, 'm1');
    await Promise.all([prompt.arrived(1), slow.arrived(1)]);
    prompt.sockets[0]!.write(reply(200));
    expect((await first).verdict).toBe('delivered');
    // In flight at one URL, and queued at the other one.
    const second = sendNow(target, 'm2');
    await prompt.arrived(2);
    target.interruptUnsent();
    prompt.sockets[0]!.write(reply(200));
    expect((await second).verdict).toBe('delivered');
    slow.sockets[0]!.write(reply(200));
    await target.drain();
    expect(slow.requests).toHaveLength(1);
  });

  it('ends what waits for a URL that is gone, and goes on with the others', async () => {
    const { send, clock, counts } = await scene([[503, 410], [503]], { disablesOnGone: true });
    const [one, other] = [await send(), await send()];
    expect(short(one, clock)).toEqual(['1 in 5', '1 in 5']);
    expect(short(other, clock)).toEqual(['1 failed', '1 in 5']);
    // Not due yet, but there is nothing to wait for at the one that is gone.
    const outcome = await send(one.retry!.endpointDeliveries);
    expect(short(outcome, clock)).toEqual(['2 failed', '1 in 5']);
    expect(attemptsOf(outcome)).toEqual(['gone: failed']);
    expect(counts()).toEqual([2, 2]);
  });

  it('hands back at an interruption what was tried, and leaves what was not', async () => {
    const { send, clock, destination, counts, servers } = await scene(
      [[503], [undefined as never]],
      {
        concurrency: 1,
      },
    );
    const first = send();
    const second = send();
    await servers[1]!.arrived(1);
    destination.interrupt();
    await destination.close();
    expect(short(await first, clock)).toBeDefined();
    expect(await second).toMatchObject({ verdict: 'pending' });
    expect(counts()[1]).toBe(1);
    expect(await send()).toMatchObject({ verdict: 'pending', code: 'interrupted', attempts: [] });
    expect(clock.waits).toEqual([]);
  });

  it('says of what was due and had no turn that it is due, also where the clock was set back', async () => {
    const { clock, send, destination, servers } = await scene([[500]], { concurrency: 1 });
    const due = { attempts: 1, firstAt: clock.now(), status: 500, error: null, dueAt: clock.now() };
    const outcomes = [send([due]), send([due])];
    await servers[0]!.arrived(1);
    clock.set(-2 * hour);
    destination.interrupt();
    const second = await outcomes[1]!;
    expect(second.retry!.dueAt).toBe(clock.now());
    await outcomes[0];
  });
});
