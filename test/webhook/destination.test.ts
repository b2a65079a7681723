import { describe, expect, it, vi } from 'vitest';
import { Delivery } from '../../src/delivery/delivery.js';
import type { AttemptResult } from '../../src/delivery/outcome.js';
import { builtHere, isProblem, type Event } from '../../src/events/event.js';
import { eventFrom } from '../../src/events/given.js';
import { parseEvent } from '../../src/events/parse.js';
import { reply, startRawServer, type RawRequest } from '../helpers/raw-server.js';
import { VirtualClock } from '../helpers/virtual-clock.js';
import { sendNow, someEvent, attemptsOf, webhooks } from '../helpers/webhooks.js';

const second = 1_000;
const hour = 3_600 * second;

/** Retries after exactly 5 s, 15 s, 45 s, … of a clock that is moved by hand. */
function virtual(retryWindowMs = 4 * hour) {
  const clock = new VirtualClock();
  return { clock, retryWindowMs, random: () => 0.5 };
}

/** The same, where a 410 ends the URL. */
function disabling() {
  return { ...virtual(), disablesOnGone: true };
}

/** The messageId in a body. */
function idOf({ body }: RawRequest): string {
  return JSON.parse(body.toString()).messageId;
}

describe('an endpoint that is down for a while', () => {
  it.each([1, 2, 5, 9])(
    'gets the event after %i answers of 503, the same bytes each time',
    async (count) => {
      const server = await startRawServer({
        response: (_request, index) => reply(index < count ? 503 : 200),
      });
      const options = virtual();
      const told: [AttemptResult, string][] = [];
      const destination = webhooks(server.url, {
        ...options,
        sharedSecret: 's',
        onAttempt: (result, messageId) => told.push([result, messageId]),
      });
      const outcome = await options.clock.runUntil(
        destination.deliver({ type: 'page', userId: 'u' }),
      );
      expect(outcome.verdict).toBe('delivered');
      expect(outcome).not.toHaveProperty('code');
      expect(outcome.attempts.map(({ attempt }) => attempt)).toEqual(
        Array.from({ length: count + 1 }, (_, i) => i + 1),
      );
      expect(told).toEqual(outcome.attempts.map((result) => [result, outcome.messageId]));
      const [first, ...others] = server.requests;
      for (const other of others) {
        expect({ ...other, connection: 0 }).toEqual({ ...first, connection: 0 });
      }
      expect(idOf(first!)).toBe(outcome.messageId);
    },
  );

  it('gets it at the times of the schedule', async () => {
    const { clock, ...options } = virtual();
    const times: number[] = [];
    const server = await startRawServer({
      response: () => {
        times.push(Math.round(clock.elapsedMs / second));
        return reply(503);
      },
    });
    const outcome = await clock.runUntil(
      webhooks(server.url, { clock, ...options }).deliver(someEvent),
    );
    expect(outcome).toMatchObject({ verdict: 'failed', code: 'status_503' });
    expect(outcome.message).toBe(
      `${server.url}: HTTP 503 Service Unavailable (${times.length} attempts)`,
    );
    expect(times.slice(0, 5)).toEqual([0, 5, 20, 65, 185]);
    expect(times.length).toBeGreaterThanOrEqual(8);
    expect(times.at(-1)).toBeLessThanOrEqual(4 * 3_600);
    expect(times.at(-1)).toBeGreaterThan(4 * 3_600 - 3);
  });

  it('gets it once only with a window of 0', async () => {
    const server = await startRawServer({ response: () => reply(503, { 'retry-after': '1' }) });
    const { clock } = virtual();
    const outcome = await webhooks(server.url, { clock, retryWindowMs: 0 }).deliver(someEvent);
    expect(outcome).toMatchObject({ verdict: 'failed', code: 'status_503' });
    expect(outcome.message).toBe(`${server.url}: HTTP 503 Service Unavailable (1 attempt)`);
    expect(server.requests.length).toBe(1);
  });

  it.each(['404', '301', '600', '99'])(
    'but answers %s at last is not asked again',
    async (status) => {
      const server = await startRawServer({
        response: (_request, index) => reply(index < 2 ? 503 : status),
      });
      const { clock, ...options } = virtual();
      const destination = webhooks(server.url, { clock, ...options, timeoutMs: 500 });
      const outcome = await clock.runUntil(destination.deliver(someEvent));
      expect(outcome).toMatchObject({ verdict: 'failed', code: `status_${status}` });
      expect(server.requests.length).toBe(3);
    },
  );
});

describe('a URL with a query', () => {
  it('is never shown with it', async () => {
    const server = await startRawServer({ response: () => reply(404) });
    const told: AttemptResult[] = [];
    const destination = webhooks(`${server.url}?key=SECRET`, {
      onAttempt: (result) => told.push(result),
    });
    const outcome = await destination.deliver(someEvent);
    expect(JSON.stringify([outcome, told, destination.urls])).not.toContain('SECRET');
    expect(server.requests[0]!.path).toBe('/hook?key=SECRET');
  });
});

describe('a Retry-After', () => {
  it.each([429, 503])('of a %i puts the next try off to the millisecond', async (status) => {
    const { clock, ...options } = virtual();
    const times: number[] = [];
    const server = await startRawServer({
      response: (_request, index) => {
        times.push(clock.elapsedMs);
        return index === 0 ? reply(status, { 'retry-after': '1234' }) : reply(200);
      },
    });
    await clock.runUntil(webhooks(server.url, { clock, ...options }).deliver(someEvent));
    expect(times).toEqual([0, 1_234_000]);
  });

  it.each(['0', '-1', 'soon', 'Wed, 21 Oct 2015 07:28:00 GMT', '9'.repeat(400)])(
    'of %s leaves the schedule as it is',
    async (value) => {
      const { clock, ...options } = virtual();
      const server = await startRawServer({ response: () => reply(429, { 'retry-after': value }) });
      const destination = webhooks(server.url, { clock, ...options });
      const delivery = destination.deliver(someEvent);
      await clock.timers(1);
      expect(clock.waits).toEqual([5 * second]);
      destination.interrupt();
      await delivery;
    },
  );

  it.each(['14401', '9'.repeat(300)])(
    'past the window (%s) leaves one last attempt at its end',
    async (value) => {
      const { clock, ...options } = virtual();
      const times: number[] = [];
      const server = await startRawServer({
        response: () => {
          times.push(clock.elapsedMs);
          return reply(429, { 'retry-after': value });
        },
      });
      const destination = webhooks(server.url, { clock, ...options });
      const outcome = await clock.runUntil(destination.deliver(someEvent));
      expect(outcome).toMatchObject({ verdict: 'failed', code: 'status_429' });
      expect(times).toEqual([0, 4 * hour - second]);
    },
  );

  it('pauses the whole URL: new events wait, and go when it is over', async () => {
    const { clock, ...options } = virtual();
    const server = await startRawServer({
      response: (_request, index) =>
        index === 0 ? reply(429, { 'retry-after': '60' }) : reply(200),
    });
    const destination = webhooks(server.url, { clock, ...options });
    const first = destination.deliver(someEvent);
    await clock.timers(2);
    const second = destination.deliver({ ...someEvent, messageId: 'm2' });
    clock.advance(59_999);
    await turns();
    expect(server.requests.length).toBe(1);
    clock.advance(1);
    expect(attemptsOf(await first)).toEqual(['429: retry', '200: delivered']);
    expect(attemptsOf(await second)).toEqual(['200: delivered']);
    expect(server.requests.map(idOf).sort()).toEqual(['m1', 'm1', 'm2']);
  });

  it('lasts as long as the longest of several', async () => {
    const { clock, ...options } = virtual();
    const waits = ['10', '60', '20'];
    const server = await startRawServer({
      response: (_request, index) => {
        const wait = waits[index];
        return wait === undefined ? reply(200) : reply(429, { 'retry-after': wait });
      },
    });
    const destination = webhooks(server.url, { clock, ...options });
    const deliveries = waits.map((_, i) =>
      destination.deliver({ ...someEvent, messageId: `m${i}` }),
    );
    await server.arrived(3);
    await clock.timers(4);
    clock.advance(59_999);
    await turns();
    expect(server.requests.length).toBe(3);
    clock.advance(1);
    const outcomes = await Promise.all(deliveries);
    expect(outcomes.map(({ verdict }) => verdict)).toEqual(['delivered', 'delivered', 'delivered']);
  });

  it('that would outlast the last attempt of another event ends before it', async () => {
    const { clock, ...options } = virtual(60 * second);
    const responses = [reply(503), reply(429, { 'retry-after': '59' })];
    const server = await startRawServer({
      response: (_request, index) => responses[index] ?? reply(200),
    });
    const destination = webhooks(server.url, { clock, ...options });
    const early = destination.deliver({ ...someEvent, messageId: 'early' });
    await clock.timers(1);
    clock.advance(4 * second);
    const late = destination.deliver({ ...someEvent, messageId: 'late' });
    await clock.timers(3);
    // The early one comes due at 5 s, and may not go before 63 s; its last attempt is at 59 s.
    clock.advance(54_999);
    expect(server.requests.length).toBe(2);
    clock.advance(1);
    expect(attemptsOf(await early)).toEqual(['503: retry', '200: delivered']);
    clock.advance(4 * second);
    expect(attemptsOf(await late)).toEqual(['429: retry', '200: delivered']);
    expect(server.requests.map(idOf)).toEqual(['early', 'late', 'early', 'late']);
  });
});

describe('410', () => {
  it('is final for its event, and nothing more', async () => {
    const responses = [reply(410), reply(200), reply(410), reply(503), reply(200)];
    const server = await startRawServer({ response: (_request, index) => responses[index] });
    const { clock, ...options } = virtual();
    const told: unknown[] = [];
    const onNotice = (...notice: unknown[]): void => void told.push(notice);
    const destination = webhooks(server.url, { clock, ...options, onNotice });
    destination.applyNotice(0, { kind: 'gone' });
    const codes: unknown[] = [];
    for (let i = 0; i < 4; i++) {
      const { verdict, code } = await clock.runUntil(destination.deliver(someEvent));
      codes.push(code ?? verdict);
    }
    expect(codes).toEqual(['status_410', 'delivered', 'status_410', 'delivered']);
    expect([server.requests.length, told]).toEqual([5, []]);
  });
});

describe('410, where it disables its URL', () => {
  it('is final, and the URL gets nothing more', async () => {
    const server = await startRawServer({ response: () => reply(410) });
    const { clock, ...options } = disabling();
    const destination = webhooks(server.url, { clock, ...options });
    expect(await destination.deliver(someEvent)).toMatchObject({
      verdict: 'failed',
      code: 'status_410',
    });
    const second = await destination.deliver(someEvent);
    expect(second).toMatchObject({ verdict: 'failed', code: 'gone' });
    expect(attemptsOf(second)).toEqual(['gone: failed']);
    expect(server.requests.length).toBe(1);
  });

  it('ends what waits for its turn, too', async () => {
    const server = await startRawServer({ response: () => reply(410) });
    const destination = webhooks(server.url, { concurrency: 1, disablesOnGone: true });
    const outcomes = await Promise.all([1, 2, 3].map(() => destination.deliver(someEvent)));
    expect(outcomes.map(({ code }) => code)).toEqual(['status_410', 'gone', 'gone']);
    expect(server.requests.length).toBe(1);
  });

  it('ends what waits for a retry, at once', async () => {
    const server = await startRawServer({
      response: (request) => reply(idOf(request) === 'm1' ? 503 : 410),
    });
    const { clock, ...options } = disabling();
    const destination = webhooks(server.url, { clock, ...options });
    const waiting = destination.deliver(someEvent);
    await clock.timers(1);
    expect((await destination.deliver({ ...someEvent, messageId: 'm2' })).code).toBe('status_410');
    expect(attemptsOf(await waiting)).toEqual(['503: retry', 'gone: failed']);
    expect(clock.elapsedMs).toBe(0);
    expect(server.requests.length).toBe(2);
  });

  it('ends what waits for the end of a pause, at once', async () => {
    const responses = [reply(410), reply(429, { 'retry-after': '600' })];
    const held: (() => void)[] = [];
    const server = await startRawServer({
      response: (_request, index) => (socket) => held.push(() => socket.write(responses[index]!)),
    });
    const { clock, ...options } = disabling();
    const destination = webhooks(server.url, { clock, ...options, concurrency: 2 });
    const deliveries = [1, 2, 3].map(() => sendNow(destination));
    await server.arrived(2);
    held[1]!();
    await clock.timers(2);
    held[0]!();
    const outcomes = await Promise.all(deliveries);
    expect(outcomes.map(({ code }) => code)).toEqual(['status_410', 'gone', 'gone']);
    expect(clock.elapsedMs).toBe(0);
  });
});

describe('a Retry-After', () => {
  it('is told as a pause: until when, when it is extended, and when it has ended', async () => {
    const server = await startRawServer({
      response: (_request, index) =>
        reply(index < 2 ? 429 : 200, { 'retry-after': `${index + 1}0` }),
    });
    const { clock, ...options } = virtual();
    const told: [url: string, untilSecond: number | undefined][] = [];
    const destination = webhooks(`${server.url}?secret=x`, {
      clock,
      ...options,
      onPause: (url, untilMs) =>
        told.push([url, untilMs === undefined ? undefined : (untilMs - clock.startedAt) / second]),
    });
    const deliveries = [sendNow(destination), sendNow(destination, 'm2')];
    await clock.timers(3);
    clock.advance(19 * second);
    expect(told).toEqual([
      [server.url, 10],
      [server.url, 20],
    ]);
    clock.advance(second);
    expect(told.at(-1)).toEqual([server.url, undefined]);
    await Promise.all(deliveries);
    expect([told.length, clock.elapsedMs]).toEqual([3, 20 * second]);
  });

  it.each([-hour, hour])('pauses as long when the time of day is set %i ms off', async (ms) => {
    const server = await startRawServer({
      response: (_request, index) => reply(index === 0 ? 429 : 200, { 'retry-after': '60' }),
    });
    const { clock, ...options } = virtual();
    const destination = webhooks(server.url, { clock, ...options });
    const delivery = destination.deliver(someEvent);
    await clock.timers(2);
    clock.set(ms);
    void sendNow(destination, 'm2');
    expect(server.requests.length).toBe(1);
    clock.advance(59_999);
    expect(clock.waits).toEqual([1, 1]);
    clock.advance(1);
    expect((await delivery).verdict).toBe('delivered');
  });

  it('is reported once for all responses that ask for it at the same time', async () => {
    const server = await startRawServer({ response: () => reply(429, { 'retry-after': '10' }) });
    const { clock, ...options } = virtual();
    const onPause = vi.fn();
    const destination = webhooks(server.url, { clock, ...options, onPause, returnsRetries: true });
    const outcomes = Array.from({ length: 16 }, (_, i) => sendNow(destination, `m${i}`));
    await server.arrived(16);
    clock.advance(3);
    await Promise.all(outcomes);
    expect(onPause).toHaveBeenCalledTimes(1);
  });

  it('that asks for ages pauses for the retry window at most', async () => {
    const server = await startRawServer({
      response: () => reply(429, { 'retry-after': '9'.repeat(300) }),
    });
    const { clock, ...options } = virtual();
    const untils: (number | undefined)[] = [];
    const onPause = (_url: string, untilMs: number | undefined): void => void untils.push(untilMs);
    const destination = webhooks(server.url, { clock, ...options, onPause, returnsRetries: true });
    const outcome = await sendNow(destination);
    expect(attemptsOf(outcome)).toEqual(['429: retry']);
    const lastAttemptAt = clock.startedAt + 4 * hour - second;
    expect(untils).toEqual([clock.startedAt + 4 * hour, lastAttemptAt]);
    expect(outcome.retry!.dueAt).toBe(lastAttemptAt);
  });
});

describe('deliver', () => {
  it('lets in no more events at once than may be in flight, however many call', async () => {
    const held: (() => void)[] = [];
    const server = await startRawServer({
      response: (_request, index) => (socket) => {
        if (index < 16) held.push(() => socket.write(reply(200)));
        else socket.write(reply(200));
      },
    });
    const destination = webhooks(server.url, { clock: new VirtualClock(), concurrency: 16 });
    let entered = 0;
    const outcomes = Array.from({ length: 10_000 }, (_, i) =>
      destination.deliver(watched(`m${i}`, () => entered++)),
    );
    await server.arrived(16);
    await new Promise((resolve) => setImmediate(resolve));
    expect(entered).toBe(16);
    for (const answer of held) answer();
    const verdicts = new Set((await Promise.all(outcomes)).map(({ verdict }) => verdict));
    expect([[...verdicts], entered, server.requests.length]).toEqual([
      ['delivered'],
      10_000,
      10_000,
    ]);
    // In the order in which they called.
    expect(idOf(server.requests[0]!)).toBe('m0');
    expect(idOf(server.requests[9_999]!)).toMatch(/^m99[89]\d$/);
  });

  it('ends at once those that wait to be let in, when it is interrupted', async () => {
    const server = await startRawServer({ response: () => undefined });
    const destination = webhooks(server.url, { clock: new VirtualClock(), concurrency: 1 });
    const [, ...waiting] = [1, 2, 3].map(() => destination.deliver(someEvent));
    await server.arrived(1);
    destination.interrupt();
    const outcomes = await Promise.all(waiting);
    expect(outcomes.map(({ code }) => code)).toEqual(['interrupted', 'interrupted']);
  });

  it('lets others in behind an event that is left out', async () => {
    const server = await startRawServer();
    const destination = webhooks(server.url, { concurrency: 1 });
    const off = { ...someEvent, integrations: { Webhooks: false } };
    const outcomes = await Promise.all(
      [off, someEvent, off, someEvent].map((event) => destination.deliver(event)),
    );
    const expected = ['skipped', 'delivered', 'skipped', 'delivered'];
    expect(outcomes.map(({ verdict }) => verdict)).toEqual(expected);
    await destination.drain();
  });
});

describe('an error of the program itself', () => {
  it('takes no room from other events, and is thrown to the caller', async () => {
    const server = await startRawServer();
    const destination = webhooks(server.url, { concurrency: 1 });
    const start = vi.spyOn(Delivery.prototype, 'start').mockImplementationOnce(() => {
      throw new Error('a bug');
    });
    await expect(destination.deliver(someEvent)).rejects.toThrow('a bug');
    start.mockRestore();
    expect(destination.room()).toBeUndefined();
    expect((await destination.deliver(someEvent)).verdict).toBe('delivered');
    await destination.drain();
  });
});

describe('concurrency', () => {
  it('is never exceeded, and is used', async () => {
    let inFlight = 0;
    let most = 0;
    const server = await startRawServer({
      response: () => (socket) => {
        most = Math.max(most, ++inFlight);
        setTimeout(() => {
          inFlight--;
          socket.write(reply(200));
        }, 1);
      },
    });
    const destination = webhooks(server.url, { concurrency: 7 });
    await Promise.all(Array.from({ length: 300 }, () => destination.deliver(someEvent)));
    expect(most).toBe(7);
    expect(server.requests.length).toBe(300);
    expect(server.sockets.length).toBe(7);
  });

  it('holds for retries that come due together, too', async () => {
    let inFlight = 0;
    let most = 0;
    const server = await startRawServer({
      response: (_request, index) => (socket) => {
        most = Math.max(most, ++inFlight);
        setTimeout(() => {
          inFlight--;
          socket.write(reply(index < 12 ? 503 : 200));
        }, 1);
      },
    });
    const { clock, ...options } = virtual();
    const destination = webhooks(server.url, { clock, ...options, concurrency: 5 });
    const deliveries = Array.from({ length: 12 }, () => destination.deliver(someEvent));
    await clock.timers(12);
    clock.advance(5 * second);
    const outcomes = await Promise.all(deliveries);
    expect(outcomes.every(({ verdict }) => verdict === 'delivered')).toBe(true);
    expect(most).toBe(5);
  });
});

/** An event that tells when it is first looked into, which is when it is let in. */
function watched(messageId: string, onEnter: () => void): Event {
  const event = eventFrom({ ...someEvent, messageId }) as Event;
  const find = event.find.bind(event);
  let isInside = false;
  event.find = (name) => {
    if (!isInside) onEnter();
    isInside = true;
    return find(name);
  };
  return event;
}

function outgoing(messageId: string): {
  event: Event;
  stamp: { messageId: string; writesMessageId: boolean };
} {
  const event = eventFrom({ ...someEvent, messageId });
  if (isProblem(event)) throw new Error(event.message);
  return { event, stamp: { messageId, writesMessageId: false } };
}

describe('room and drain', () => {
  it('say that it is full while so many are in flight, and empty when all have ended', async () => {
    const held: (() => void)[] = [];
    const server = await startRawServer({
      response: () => (socket) => held.push(() => socket.write(reply(200))),
    });
    const destination = webhooks(server.url, { concurrency: 2 });
    const ended: string[] = [];
    const send = (id: string): void => destination.send(outgoing(id), () => ended.push(id));
    expect(destination.room()).toBeUndefined();
    send('a');
    expect(destination.room()).toBeUndefined();
    send('b');
    const room = destination.room();
    expect(room).toBeInstanceOf(Promise);
    await server.arrived(2);
    held[0]!();
    await room;
    expect(ended.length).toBe(1);
    const drained = destination.drain().then(() => ended.length);
    held[1]!();
    expect(await drained).toBe(2);
    await destination.drain();
  });

  it('let others go while some wait for a retry, and drain waits for those', async () => {
    const server = await startRawServer({
      response: (request) => reply(idOf(request) === 'a' ? 503 : 200),
    });
    const { clock, ...options } = virtual();
    const destination = webhooks(server.url, { clock, ...options, concurrency: 1 });
    const finalStatuses: string[] = [];
    destination.send(outgoing('a'), ({ verdict }) => finalStatuses.push(`a ${verdict}`));
    await destination.room();
    destination.send(outgoing('b'), ({ verdict }) => finalStatuses.push(`b ${verdict}`));
    await destination.room();
    expect(finalStatuses).toEqual(['b delivered']);
    await clock.runUntil(destination.drain());
    expect(finalStatuses).toEqual(['b delivered', 'a failed']);
  });

  it('a URL that is wholly down gets single probes, and the rest of the stream is handed back unsent', async () => {
    const server = await startRawServer({ response: () => reply(503) });
    const { clock, ...options } = virtual();
    const told: boolean[] = [];
    const destination = webhooks(server.url, {
      ...{ clock, ...options, concurrency: 4, returnsRetries: true },
      onDown: (_url, isDown) => told.push(isDown),
    });
    const finalStatuses: string[] = [];
    for (let i = 0; i < 80; i++) {
      destination.send(outgoing(`m${i}`), ({ verdict, retry }) =>
        finalStatuses.push(`${verdict} ${retry ? 'again' : 'unsent'}`),
      );
    }
    await destination.drain();
    expect([told, server.requests.length]).toEqual([[true], 16]);
    expect(finalStatuses).toEqual(Array(80).fill('pending again'));
    expect([destination.isUnavailable, destination.wantsProbe]).toEqual([true, false]);
    for (const probe of [1, 2, 3]) {
      clock.advance(second);
      expect(destination.wantsProbe).toBe(true);
      const outcomes = [sendNow(destination, 'probe'), sendNow(destination, 'early')];
      const [probed, early] = await Promise.all(outcomes);
      expect([probed!.attempts.length, early!.attempts.length]).toEqual([1, 0]);
      expect(server.requests.length).toBe(16 + probe);
    }
    expect(destination.room()).toBeUndefined();
  });

  it('a waiting event does not hold on to the buffer of its file', async () => {
    const server = await startRawServer({ response: () => reply(503) });
    const { clock, ...options } = virtual();
    const destination = webhooks(server.url, { clock, ...options });
    const text = JSON.stringify(someEvent);
    const file = Buffer.alloc(100_000, text);
    const event = parseEvent(file.subarray(0, text.length), builtHere('file', 0)) as Event;
    const waiting = { event, stamp: { messageId: 'm1', writesMessageId: false } };
    destination.send(waiting, () => undefined);
    await clock.timers(1);
    expect(waiting.event).not.toBe(event);
    expect(waiting.event.bytes).toEqual(event.bytes);
    expect(event.bytes.buffer === file.buffer).toBe(true);
    expect(waiting.event.bytes.buffer === file.buffer).toBe(false);
    destination.interrupt();
  });
});

describe('a bad event', () => {
  it.each<[unknown, string]>([
    ['{', 'not_json'],
    ['[]', 'not_an_event'],
    [{ type: 'track', userId: 'u' }, 'missing_event'],
    [undefined, 'not_json'],
    [5, 'not_an_event'],
    [{ type: 'page', userId: 'u', n: 1n }, 'not_serializable'],
  ])('%s is rejected, never thrown, and nothing is sent', async (input, code) => {
    const server = await startRawServer();
    const outcome = await webhooks(server.url).deliver(input as string);
    expect(outcome).toMatchObject({ verdict: 'rejected', attempts: [], code });
    expect(server.sockets.length).toBe(0);
  });
});

/** Time for whatever is under way on loopback to happen. */
async function turns(): Promise<void> {
  for (let i = 0; i < 20; i++) await new Promise((resolve) => setImmediate(resolve));
}
