import { describe, expect, it } from 'vitest';
import {
  reply,
  reset,
  startRawServer,
  type RawAnswer,
  type RawServer,
} from '../helpers/raw-server.js';
import { VirtualClock } from '../helpers/virtual-clock.js';
import { someEvent, attemptsOf, webhooks } from '../helpers/webhooks.js';

const ok = reply(200);
const down = reply(503);

/** A server for each list of answers; the last one repeats. */
async function serversResponding(...lists: RawAnswer[][]): Promise<RawServer[]> {
  return Promise.all(
    lists.map((responses) =>
      startRawServer({ response: (_request, i) => responses[Math.min(i, responses.length - 1)] }),
    ),
  );
}

function destinationOf(servers: readonly RawServer[], options: { allUrls?: boolean } = {}) {
  const clock = new VirtualClock();
  const destination = webhooks(
    servers.map(({ url }) => url),
    { clock, retryWindowMs: 60_000, random: () => 0.5, ...options },
  );
  return { clock, destination };
}

const counts = (servers: readonly RawServer[]): number[] =>
  servers.map(({ requests }) => requests.length);

describe('of several URLs, by default', () => {
  it.each<[string, RawAnswer[][], string, number[]]>([
    ['all get the event', [[ok], [ok], [ok]], 'delivered', [1, 1, 1]],
    ['five get it', [[ok], [ok], [ok], [ok], [ok]], 'delivered', [1, 1, 1, 1, 1]],
    [
      'one success is enough, and the others are not retried',
      [[down], [ok], [reset]],
      'delivered',
      [1, 1, 1],
    ],
    ['one success is enough beside refusals', [[reply(404)], [ok]], 'delivered', [1, 1]],
    ['all whose failure is temporary are retried', [[down, ok], [down]], 'delivered', [2, 2]],
    ['those that refused are not retried', [[down, ok], [reply(404)]], 'delivered', [2, 1]],
    ['refusals of all end it', [[reply(404)], [reply(301)]], 'failed', [1, 1]],
    ['410 at one leaves the others', [[reply(410)], [down, ok]], 'delivered', [1, 2]],
  ])('%s', async (_title, responses, verdict, expected) => {
    const servers = await serversResponding(...responses);
    const { clock, destination } = destinationOf(servers);
    const delivery = destination.deliver(someEvent);
    const retried = responses.every(([first]) => first !== ok) && verdict === 'delivered';
    if (retried) {
      await clock.timers(responses.filter(([first]) => first === down).length);
      clock.advance(6_000);
    }
    expect((await delivery).verdict).toBe(verdict);
    clock.advance(100_000);
    expect(counts(servers)).toEqual(expected);
  });

  it('each gets the same bytes, with its own headers', async () => {
    const servers = await serversResponding([ok], [ok]);
    const { destination } = destinationOf(servers);
    await destination.deliver(someEvent);
    expect(servers[0]!.requests[0]!.body).toEqual(servers[1]!.requests[0]!.body);
  });

  it('every attempt is in the outcome, with its URL', async () => {
    const servers = await serversResponding([reply(404)], [reply(400)]);
    const { destination } = destinationOf(servers);
    const outcome = await destination.deliver(someEvent);
    expect(outcome.attempts.map(({ url, status }) => `${url} ${status ?? ''}`).sort()).toEqual(
      [`${servers[0]!.url} 404`, `${servers[1]!.url} 400`].sort(),
    );
  });

  it('the reported reason is the one that a retry could still have fixed', async () => {
    const servers = await serversResponding([reply(404)], [down]);
    const { clock, destination } = destinationOf(servers);
    const outcome = await clock.runUntil(destination.deliver(someEvent));
    expect(outcome).toMatchObject({ verdict: 'failed', code: 'status_503' });
    expect(outcome.message).toContain(servers[1]!.url);
  });

  it('a success of one ends the retry of another that waits for the end of a pause', async () => {
    const pause = reply(429, { 'retry-after': '50' });
    const [one, other] = await serversResponding([down, ok, ok], [down, pause, ok]);
    const { clock, destination } = destinationOf([one!, other!]);
    const first = destination.deliver(someEvent);
    await clock.timers(2);
    const second = destination.deliver({ ...someEvent, messageId: 'm2' });
    expect((await second).verdict).toBe('delivered');
    clock.advance(5_000);
    expect(attemptsOf(await first).sort()).toEqual(['200: delivered', '503: retry', '503: retry']);
    expect(clock.elapsedMs).toBe(5_000);
    expect(counts([one!, other!])).toEqual([3, 2]);
  });
});

describe('of several URLs, with allUrls', () => {
  it.each<[string, RawAnswer[][], string, number[]]>([
    ['all must take the event', [[ok], [ok]], 'delivered', [1, 1]],
    ['each is retried on its own', [[ok], [down, ok]], 'delivered', [1, 2]],
    [
      'one refusal fails the event, and the others still get it',
      [[reply(404)], [down, ok]],
      'failed',
      [1, 2],
    ],
  ])('%s', async (_title, responses, verdict, expected) => {
    const servers = await serversResponding(...responses);
    const { clock, destination } = destinationOf(servers, { allUrls: true });
    const outcome = await clock.runUntil(destination.deliver(someEvent));
    expect(outcome.verdict).toBe(verdict);
    expect(counts(servers)).toEqual(expected);
  });

  it('a URL that stays down fails the event at the end of its window', async () => {
    const servers = await serversResponding([ok], [down]);
    const { clock, destination } = destinationOf(servers, { allUrls: true });
    const outcome = await clock.runUntil(destination.deliver(someEvent));
    expect(outcome).toMatchObject({ verdict: 'failed', code: 'status_503' });
    expect(counts(servers)).toEqual([1, 4]);
  });
});
