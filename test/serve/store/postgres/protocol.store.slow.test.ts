import { describe, expect, it } from 'vitest';
import { StateError } from '../../../../src/errors.js';
import { seeded } from '../../../../src/fixtures/random.js';
import type { Lane } from '../../../../src/serve/store/service-store.js';
import type { QueuedEvent } from '../../../../src/serve/store/stored.js';
import { StoreUnavailable } from '../../../../src/store/postgres/unavailable.js';
import { sharedPostgres, type TestStore } from '../../../helpers/postgres.js';
import { seed } from '../../../helpers/seed.js';
import {
  aroundTransactions,
  delivered,
  failed,
  laneOf,
  postponed,
  put,
  serviceStore,
} from './lane-user.js';
import { countOf, isDrained, rowsOf } from './sharing.js';

const storeOf = sharedPostgres();
const destinations = ['crm', 'ads'];
const actors = 3;
const faultsMs = 12_000;

type Random = ReturnType<typeof seeded>;

/** How an event was said to end, by destination and messageId: each time somebody has sent it. */
type Said = Map<string, SaidOf>;

interface SaidOf {
  delivered: number;
  failed: number;
  committed: number;
  /** Whether its sender has an answer: until then it sends the event again, which is new once it has failed. */
  isAnswered: boolean;
}

/** An instance that takes events, and ends them in its own way after a moment. */
class Actor {
  isFaulty = true;
  readonly #opened: Awaited<ReturnType<typeof serviceStore>>;
  readonly #random: Random;
  readonly #pauses: number;
  readonly #said: Said;
  readonly #lanes: Lane[] = [];
  readonly #loops: Promise<void>[] = [];
  #isRunning = true;

  /** @param pauses the share of the events after which it pauses for some milliseconds, so that others wait in memory */
  static async start(at: TestStore, random: Random, pauses: number, said: Said): Promise<Actor> {
    return new Actor(await serviceStore(at, destinations), random, pauses, said);
  }

  private constructor(
    opened: Awaited<ReturnType<typeof serviceStore>>,
    random: Random,
    pauses: number,
    said: Said,
  ) {
    this.#opened = opened;
    this.#random = random;
    this.#pauses = pauses;
    this.#said = said;
    aroundTransactions(opened.shared, async (begin) => {
      const fault = this.isFaulty ? random.next() : 1;
      if (fault < 0.02) throw new StoreUnavailable('lost', 'before the commit');
      if (fault < 0.1) await pause(random.whole(1, 50));
      const result = await begin();
      if (fault > 0.1 && fault < 0.14) throw new StoreUnavailable('lost', 'after the commit');
      return result;
    });
    for (const destination of destinations) {
      const { lane, taken } = laneOf(opened.store, destination);
      this.#lanes.push(lane);
      this.#loops.push(this.#run(destination, lane, taken));
    }
  }

  get defects(): readonly unknown[] {
    return this.#opened.defects;
  }

  get shared() {
    return this.#opened.shared;
  }

  /** Until it is accepted. */
  async put(ids: readonly string[], to: readonly string[]): Promise<boolean> {
    try {
      await put(this.#opened.store, ids, { destinations: to });
      return true;
    } catch (error) {
      if (error instanceof StateError || !this.#isRunning) return false;
      throw error;
    }
  }

  /** What a busy service does at any time. */
  disturb(): void {
    const { store } = this.#opened;
    const lane = this.#random.pick(this.#lanes);
    if (this.#random.next() < 0.5) lane.backlog.unload();
    else void Promise.all([store.commit(), store.commit()]).catch(() => undefined);
  }

  /** Gives back what it has. */
  async stop(): Promise<void> {
    this.#isRunning = false;
    await this.#opened.store.close();
  }

  /** Without giving anything back: its connections are closed, and what it says later is not heard. */
  async kill(): Promise<void> {
    this.#isRunning = false;
    this.isFaulty = false;
    await this.#opened.shared.close();
  }

  async #run(destination: string, lane: Lane, taken: () => Promise<QueuedEvent>): Promise<void> {
    while (this.#isRunning) {
      const event = await taken();
      void this.#send(destination, lane, event);
      if (this.#random.next() < this.#pauses) await pause(this.#random.whole(1, 10));
    }
  }

  async #send(destination: string, lane: Lane, event: QueuedEvent): Promise<void> {
    const random = this.#random;
    await pause(random.next() < 0.02 ? random.whole(1_000, 2_000) : random.whole(0, 20));
    if (!this.#isRunning) return;
    const said = this.#said.get(`${destination} ${event.stamp.messageId}`)!;
    const choice = random.next();
    if (choice < 0.05) {
      if (event.endpointDeliveries) lane.retries.release(event);
      else lane.backlog.release(event);
      return;
    }
    if (choice < 0.2) {
      const delayMs = random.whole(0, 500);
      const ending = postponed(this.#opened.shared.database.now() + delayMs, delayMs);
      lane.end({
        event,
        ending,
        onCommitted: () => lane.retries.postponed(event.id, delayMs),
      });
      return;
    }
    const ending = choice < 0.3 && said.isAnswered ? failed : delivered;
    if (ending === failed) said.failed++;
    else said.delivered++;
    lane.end({ event, ending, onCommitted: () => said.committed++ });
  }
}

describe('the protocol of a store that instances share', () => {
  it.each([
    ['quick', 0.1],
    ['slow', 0.6],
  ])('ends each event exactly once, whatever happens, by %s senders', async (_, pauses) => {
    const random = seeded(seed);
    const at = await storeOf();
    const said: Said = new Map();
    const all: Actor[] = [];
    for (let i = 0; i < actors; i++) all.push(await Actor.start(at, random, pauses, said));
    const defects: unknown[] = [];
    let sent = 0;
    const expected = { deliveries: 0 };

    const load = async (): Promise<void> => {
      const until = performance.now() + faultsMs;
      while (performance.now() < until) {
        const ids = Array.from({ length: random.whole(1, 60) }, () => `m${sent++}`);
        const to = random.pick([destinations, ['crm'], ['ads']]);
        for (const id of ids) {
          for (const name of to) {
            said.set(`${name} ${id}`, { delivered: 0, failed: 0, committed: 0, isAnswered: false });
          }
        }
        expected.deliveries += ids.length * to.length;
        while (!(await random.pick(all).put(ids, to))) await pause(10);
        for (const id of ids) {
          for (const name of to) said.get(`${name} ${id}`)!.isAnswered = true;
        }
        await pause(random.whole(0, 60));
      }
    };
    const trouble = async (): Promise<void> => {
      const until = performance.now() + faultsMs;
      while (performance.now() < until) {
        await pause(random.whole(50, 400));
        const choice = random.next();
        if (choice < 0.3) await loseLeases(at, random);
        else if (choice < 0.4) await breakConnections(at, random);
        else if (choice < 0.8) random.pick(all).disturb();
        else {
          const index = random.whole(0, actors - 1);
          const old = all[index]!;
          all[index] = await Actor.start(at, random, pauses, said);
          await (choice < 0.9 ? old.stop() : old.kill());
          if (choice < 0.9) defects.push(...old.defects);
        }
      }
    };
    await Promise.all([load(), load(), trouble()]);
    for (const actor of all) actor.isFaulty = false;
    const { shared } = all[0]!;
    while (!(await isDrained({ shared }))) await pause(100);

    const dead = await rowsOf({ shared }, 'dead_letter');
    const counts = await Promise.all(
      ['delivered', 'failed'].map((what) => countOf({ shared }, what)),
    );
    expect(said.size).toBe(expected.deliveries);
    const numbers = new Map(
      (await rowsOf({ shared }, 'name')).map(({ id, name }) => [id, name as string]),
    );
    const isDead = new Set(
      dead.map((row) => {
        const id = JSON.parse(row.message_id as string) as string;
        return `${numbers.get(row.destination)} ${id}`;
      }),
    );
    expect(isDead.size).toBe(dead.length);
    // Each has ended in a way that somebody has said, and nobody was told twice.
    const wrong = [...said].filter(
      ([key, { delivered, failed, committed }]) =>
        (isDead.has(key) ? failed : delivered) === 0 || committed > 1,
    );
    expect(wrong).toEqual([]);
    expect(counts[0]! + counts[1]!).toBe(expected.deliveries);
    expect(counts[1]).toBe(dead.length);
    expect([...defects, ...all.flatMap((actor) => actor.defects)]).toEqual([]);
    for (const actor of all) await actor.stop();
  });
});

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** As if the holders of some jobs had been silent for a minute. */
async function loseLeases({ server, schema }: TestStore, random: Random): Promise<void> {
  await server.sql(
    `UPDATE ${schema}_jobs.job SET heartbeat_on = heartbeat_on - interval '1 minute'
     WHERE id IN (SELECT id FROM ${schema}_jobs.job WHERE state = 'active' AND random() < $1
       FOR UPDATE SKIP LOCKED)`,
    [random.next()],
  );
}

async function breakConnections({ server }: TestStore, random: Random): Promise<void> {
  await server.sql(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
     WHERE application_name = 'evfwd' AND random() < $1`,
    [random.next()],
  );
}
