import { afterEach, describe, expect, it } from 'vitest';
import { Forwarder } from '../../src/serve/forward/forwarder.js';
import { SqliteStore } from '../../src/serve/store/sqlite/sqlite-store.js';
import type { Destination, Routing } from '../../src/serve/types.js';
import { folderWith } from '../helpers/folder.js';
import { reply, startRawServer, type RawAnswer, type RawRequest } from '../helpers/raw-server.js';
import { VirtualClock } from '../helpers/virtual-clock.js';
import { acceptedOf, destinationOf, sourceOf } from './batches.js';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

const idOf = ({ body }: RawRequest): string =>
  (JSON.parse(body.toString()) as { messageId: string }).messageId;

const open = new Set<Calendar>();
afterEach(async () => {
  for (const one of open) await one.stop();
});

/** A service over days and restarts: its store and queues, a real endpoint, and a virtual clock. */
class Calendar {
  readonly clock = new VirtualClock();
  readonly #folder = folderWith();
  #destination: Destination;
  #running: { readonly store: SqliteStore; readonly forwarder: Forwarder } | undefined;

  private constructor(url: string) {
    this.#destination = destinationOf(url);
    open.add(this);
  }

  static async start(url: string): Promise<Calendar> {
    const calendar = new Calendar(url);
    await calendar.start();
    return calendar;
  }

  async start(): Promise<void> {
    const { clock } = this;
    const store = await SqliteStore.open(this.#folder, { clock });
    const delivery = { random: () => 0.5 };
    const forwarder = new Forwarder({ store, routing: this.#routing, clock, delivery });
    this.#running = { store, forwarder };
    forwarder.start();
    await this.#quiet();
  }

  async stop(): Promise<void> {
    if (!this.#running) return;
    const { store, forwarder } = this.#running;
    this.#running = undefined;
    const stopped = forwarder.stop(0);
    this.clock.advance(0);
    await stopped;
    store.close();
  }

  /** Stops, is down for this time, and starts again. */
  async restartAfter(ms: number): Promise<void> {
    await this.stop();
    this.clock.advance(ms);
    await this.start();
  }

  async accept(...messageIds: string[]): Promise<void> {
    const { store, forwarder } = this.#now;
    const accepted = messageIds.map((id) => acceptedOf(id));
    const receivedAt = this.clock.now();
    const taken = forwarder.accept({ source: sourceOf(), receivedAt, accepted, rejected: [] });
    store.commit();
    await taken;
    await this.#quiet();
  }

  /** Advances time in steps, and handles what comes due. */
  async pass(ms: number, stepMs = 10 * minute): Promise<void> {
    for (let rest = ms; rest > 0; rest -= stepMs) {
      this.clock.advance(Math.min(stepMs, rest));
      await this.#quiet();
    }
  }

  async switch(isEnabled: boolean): Promise<void> {
    this.#destination = { ...this.#destination, isEnabled };
    const changed = this.#now.forwarder.reconfigure(this.#routing);
    this.clock.advance(0);
    await changed;
    await this.#quiet();
  }

  /** Redelivers all dead letters. */
  async redeliver(): Promise<void> {
    const { store, forwarder } = this.#now;
    const again = forwarder.redeliver(store.views.deadLetters({ limit: 999 }).map(({ id }) => id));
    store.commit();
    await again;
    await this.#quiet();
  }

  /** messageId and reason of each dead letter. */
  get dead(): (readonly [string, string])[] {
    const deadLetters = this.#now.store.views.deadLetters({ limit: 999 });
    return deadLetters.map(({ messageId, code }) => [messageId, code] as const);
  }

  get state() {
    return this.#now.forwarder.destinations()[0]!;
  }

  get #now() {
    if (!this.#running) throw new Error('the service does not run');
    return this.#running;
  }

  get #routing(): Routing {
    return { sources: [sourceOf()], destinations: [this.#destination] };
  }

  /** Resolves when nothing is in flight and all results are durable. */
  async #quiet(): Promise<void> {
    const { store } = this.#now;
    for (;;) {
      store.commit();
      await new Promise((resolve) => setImmediate(resolve));
      store.commit();
      // Events held back by a pause count as in flight.
      if (this.state.inFlight === 0 || this.state.paused.size > 0) return;
    }
  }
}

async function scene(answer: (request: RawRequest) => RawAnswer = () => reply(200)) {
  const server = await startRawServer({ response: answer });
  const calendar = await Calendar.start(server.url);
  const sent = (): string[] => server.requests.map(idOf);
  return { calendar, server, sent };
}

const dates = Array.from({ length: 30 }, (_, i) => `day-${i}`);

describe('over weeks', () => {
  it('a service that restarts each day delivers all events', async () => {
    const { calendar, sent } = await scene();
    for (const date of dates) {
      await calendar.accept(date);
      await calendar.restartAfter(day);
    }
    expect([sent(), calendar.dead]).toEqual([dates, []]);
  });

  it('one that runs without a restart delivers all events', async () => {
    const { calendar, sent } = await scene();
    for (const date of dates) {
      await calendar.accept(date);
      await calendar.pass(day, hour);
    }
    expect([sent(), calendar.dead]).toEqual([dates, []]);
  });

  it('one that was off for a month delivers new events', async () => {
    const { calendar, sent } = await scene();
    await calendar.accept('before');
    await calendar.restartAfter(30 * day);
    await calendar.accept('after');
    expect([sent(), calendar.dead]).toEqual([['before', 'after'], []]);
  });
});

describe('a destination that is off', () => {
  it('keeps waiting events for a week, over restarts, and again after redelivery', async () => {
    let status = 503;
    const { calendar, sent } = await scene(() => reply(status));
    await calendar.accept('waits');
    await calendar.switch(false);
    await calendar.pass(3 * day, hour);
    await calendar.restartAfter(4 * day - hour);
    expect([calendar.dead, calendar.state.waiting]).toEqual([[], 1]);
    await calendar.pass(2 * hour);
    expect([calendar.dead, calendar.state.waiting]).toEqual([[['waits', 'expired']], 0]);
    await calendar.redeliver();
    await calendar.restartAfter(6 * day);
    expect([calendar.dead, calendar.state.waiting]).toEqual([[], 1]);
    status = 200;
    await calendar.switch(true);
    expect([sent().at(-1), calendar.state.waiting]).toEqual(['waits', 0]);
  });

  it('gets events received meanwhile when they are redelivered after it was switched on', async () => {
    const { calendar, sent } = await scene();
    await calendar.switch(false);
    await calendar.accept('m1', 'm2');
    await calendar.switch(true);
    await calendar.accept('m1', 'm2', 'm1');
    await calendar.restartAfter(minute);
    await calendar.accept('m2');
    expect(sent().sort()).toEqual(['m1', 'm2']);
  });
});

describe('a clock that jumps', () => {
  it.each([
    [[-2 * hour]],
    [[2 * hour, -2 * hour]],
    [[-hour, -hour, -hour, 3 * hour]],
    [[-3 * day]],
    [[hour, -2 * day]],
  ])('by %j keeps retries in their own time', async (jumps) => {
    let status = 503;
    const { calendar, server } = await scene(() => reply(status));
    await calendar.accept('m1');
    for (const byMs of jumps) {
      calendar.clock.set(byMs);
      await calendar.pass(30_000, 1_000);
    }
    const before = server.requests.length;
    status = 200;
    // The delays of the first few attempts are not longer.
    await calendar.pass(6 * minute, 1_000);
    expect([server.requests.length, calendar.state.waiting]).toEqual([before + 1, 0]);
    expect(calendar.dead).toEqual([]);
  });

  it('ahead by a day ends the retries of a day, which can be redelivered', async () => {
    let status = 503;
    const { calendar, sent } = await scene(() => reply(status));
    await calendar.accept('m1');
    calendar.clock.set(day);
    await calendar.pass(minute, 1_000);
    expect([calendar.dead, calendar.state.waiting]).toEqual([[['m1', 'status_503']], 0]);
    status = 200;
    await calendar.redeliver();
    expect([sent().at(-1), calendar.dead]).toEqual(['m1', []]);
  });

  it('back by a day while the service is down keeps all, and sends at once', async () => {
    let status = 503;
    const { calendar, sent } = await scene(() => reply(status));
    await calendar.accept('m1');
    await calendar.stop();
    calendar.clock.set(-day);
    status = 200;
    await calendar.start();
    await calendar.accept('m2');
    await calendar.pass(10_000, 1_000);
    expect([sent(), calendar.dead]).toEqual([['m1', 'm2', 'm1'], []]);
  });

  it('ahead by two weeks and back expires nothing that was received afterwards', async () => {
    const { calendar, sent } = await scene();
    calendar.clock.set(14 * day);
    await calendar.accept('ahead');
    calendar.clock.set(-14 * day);
    await calendar.switch(false);
    await calendar.switch(true);
    await calendar.accept('back');
    await calendar.restartAfter(hour);
    await calendar.accept('later');
    expect([sent(), calendar.dead]).toEqual([['ahead', 'back', 'later'], []]);
  });
});

describe('a clock that is wrong for a short time', () => {
  /** m1 was attempted, the others were not: the endpoint has asked for a pause. */
  const waiting = Array.from({ length: 100 }, (_, i) => `w${i}`);
  async function paused() {
    const responses = [reply(429, { 'retry-after': '3600' })];
    const all = await scene(() => responses.shift() ?? reply(200));
    await all.calendar.accept('m1');
    await all.calendar.accept(...waiting);
    return all;
  }

  it('10 days behind at the start, and corrected then, expires nothing', async () => {
    const { calendar, sent } = await paused();
    await calendar.switch(false);
    await calendar.stop();
    calendar.clock.set(-10 * day);
    await calendar.start();
    calendar.clock.set(10 * day);
    await calendar.pass(20 * minute, minute);
    expect([calendar.dead, calendar.state.waiting]).toEqual([[], 101]);
    await calendar.switch(true);
    // The pause is over.
    await calendar.pass(hour, 10_000);
    expect(new Set(sent())).toEqual(new Set(['m1', ...waiting]));
    expect([calendar.dead, calendar.state.waiting]).toEqual([[], 0]);
  });

  it('back by 10 days and forth within a minute expires nothing at a destination that is off', async () => {
    const { calendar, sent } = await paused();
    await calendar.switch(false);
    calendar.clock.set(-10 * day);
    await calendar.accept('not for it');
    await calendar.pass(30_000, 1_000);
    calendar.clock.set(10 * day);
    await calendar.pass(20 * minute, minute);
    expect([calendar.dead, calendar.state.waiting]).toEqual([[], 101]);
    await calendar.switch(true);
    // The pause is over.
    await calendar.pass(hour, 10_000);
    expect(new Set(sent())).toEqual(new Set(['m1', ...waiting]));
    expect([calendar.dead, calendar.state.waiting]).toEqual([[], 0]);
  });

  it('a day behind at a restart has a retry delivered in time', async () => {
    let status = 503;
    const { calendar, sent } = await scene(() => reply(status));
    await calendar.accept('m1');
    await calendar.stop();
    calendar.clock.set(-day);
    await calendar.start();
    await calendar.pass(1_000);
    calendar.clock.set(day);
    status = 200;
    await calendar.pass(6_000, 1_000);
    expect([sent(), calendar.dead, calendar.state.waiting]).toEqual([['m1', 'm1'], [], 0]);
  });
});

describe('a clock that was ahead', () => {
  it('keeps events queued then, and expires events queued afterwards in time', async () => {
    const { calendar, sent } = await scene(() => reply(429, { 'retry-after': '3600' }));
    calendar.clock.set(30 * day);
    await calendar.accept('tried');
    // More than are examined at once.
    await calendar.accept(...Array.from({ length: 450 }, (_, i) => `ahead-${i}`));
    calendar.clock.set(-30 * day);
    await calendar.accept('back');
    await calendar.switch(false);
    await calendar.pass(7 * day - hour, hour);
    expect([calendar.dead, calendar.state.waiting]).toEqual([[], 452]);
    await calendar.pass(2 * hour);
    expect([calendar.dead, calendar.state.waiting]).toEqual([[['back', 'expired']], 451]);
    expect(sent()).toEqual(['tried']);
  });
});

describe('an endpoint', () => {
  it('that responds 410 to one event gets the next ones, and that one when it is redelivered', async () => {
    let isGone = true;
    const { calendar, sent } = await scene((request) =>
      reply(isGone && idOf(request) === 'gone' ? 410 : 200),
    );
    await calendar.accept('before');
    await calendar.accept('gone');
    await calendar.accept('after');
    expect(sent()).toEqual(['before', 'gone', 'after']);
    expect([calendar.dead, calendar.state.down]).toEqual([[['gone', 'status_410']], []]);
    await calendar.redeliver();
    expect(calendar.dead).toEqual([['gone', 'status_410']]);
    isGone = false;
    await calendar.redeliver();
    expect([sent().slice(3), calendar.dead]).toEqual([['gone', 'gone'], []]);
  });

  it('that asks for a pause gets nothing until then, and all of it afterwards', async () => {
    const responses = [reply(429, { 'retry-after': '3600' })];
    const { calendar, sent } = await scene(() => responses.shift() ?? reply(200));
    await calendar.accept('m1');
    const until = calendar.clock.now() + hour;
    expect([...calendar.state.paused.values()]).toEqual([until]);
    await calendar.accept('m2');
    await calendar.pass(hour - minute);
    expect([sent(), calendar.state.waiting]).toEqual([['m1'], 2]);
    await calendar.pass(2 * minute, minute);
    expect(sent().sort()).toEqual(['m1', 'm1', 'm2']);
    expect([calendar.state.waiting, calendar.state.paused.size]).toEqual([0, 0]);
  });

  it('whose pause outlasts a clock that is set back gets all of it in its own time', async () => {
    const responses = [reply(429, { 'retry-after': '600' })];
    const { calendar, sent } = await scene(() => responses.shift() ?? reply(200));
    await calendar.accept('m1');
    calendar.clock.set(-2 * hour);
    await calendar.pass(12 * minute, minute);
    expect([sent(), calendar.state.waiting]).toEqual([['m1', 'm1'], 0]);
  });
});
