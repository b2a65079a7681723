import { randomUUID } from 'node:crypto';
import type { QueueConnection } from './connection.js';
import { RunKeys } from './keys.js';
import type { RateLease } from './queue-server.js';
import { leaseScript } from './scripts/lease.js';

/** A lease is worth 10 ms, so that a second is shared fairly, but not one round trip per event. */
const leasesPerSecond = 100;
const maxTurns = 1_000;
const probeEveryMs = 1_000;

/** What all workers of a run share in time: turns of the rate, and probes of URLs that are down. */
export class RateStore {
  readonly #connection: QueueConnection;
  readonly #prefix: string;
  /** Tells its calls from those of others. */
  readonly #client = randomUUID();
  #calls = 0;

  constructor(connection: QueueConnection, prefix: string) {
    this.#connection = connection;
    this.#prefix = prefix;
  }

  async lease(run: string, perSecond: number, unused: number): Promise<RateLease> {
    const turns = turnsOf(perSecond);
    const inMs = await this.#take(run, perSecond, turns, unused);
    return { inMs, turns, intervalMs: 1_000 / perSecond };
  }

  async returnTurns(run: string, perSecond: number, unused: number): Promise<void> {
    await this.#take(run, perSecond, 0, unused);
  }

  async #take(run: string, perSecond: number, turns: number, unused: number): Promise<number> {
    const { bucket } = new RunKeys(this.#prefix, run);
    const args = [perSecond, turns, unused, this.#client, ++this.#calls];
    return Number(await this.#connection.script(leaseScript, [bucket], args));
  }

  async mayProbe(run: string, url: number): Promise<boolean> {
    const key = new RunKeys(this.#prefix, run).probe(url);
    const { client } = this.#connection;
    const set = () => client.set(key, '1', 'PX', probeEveryMs, 'NX');
    return (await this.#connection.run(set)) === 'OK';
  }
}

function turnsOf(perSecond: number): number {
  return Math.max(1, Math.min(maxTurns, Math.floor(perSecond / leasesPerSecond)));
}
