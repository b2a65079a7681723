import { UsageError } from '../../errors.js';
import type { BullQueues } from './bull-queues.js';
import type { QueueConnection } from './connection.js';
import { pointerKey, RunKeys, runsKey } from './keys.js';
import { refusalOf } from './reply-error.js';
import type { RunStore } from './run-store.js';
import { removeScript } from './scripts/remove.js';

/** A run that has ended can be looked at for so long. */
const keptMs = 7 * 24 * 60 * 60 * 1_000;

const kinds = ['ranges', 'retries'] as const;
/** Where BullMQ has the ids of its jobs. */
const bullLists = ['wait', 'active', 'delayed', 'completed', 'failed', 'stalled'] as const;
/** Keys of the server that are looked at in one step. */
const scanCount = 1_000;

/** Removes runs. */
export class RunCleanup {
  readonly #connection: QueueConnection;
  readonly #queues: BullQueues;
  readonly #runs: RunStore;
  readonly #prefix: string;

  constructor(
    connection: QueueConnection,
    queues: BullQueues,
    { runs, prefix }: { readonly runs: RunStore; readonly prefix: string },
  ) {
    this.#connection = connection;
    this.#queues = queues;
    this.#runs = runs;
    this.#prefix = prefix;
  }

  async remove(run: string): Promise<void> {
    const { status } = await this.#runs.get(run);
    if (status === 'running') {
      throw new UsageError(
        `run ${run} is running; stop it first: evfwd runs cancel ${run}`,
        'run_is_running',
      );
    }
    await this.#connection.run(() => this.#removeQueues(run));
    await this.#removeRecord(run);
  }

  /** A server that refuses it is left as it is: whoever comes next removes these runs. */
  async removeExpired(now: number): Promise<void> {
    const { client } = this.#connection;
    const runs = await this.#connection.run(() => client.zrange(runsKey(this.#prefix), '0', '-1'));
    // Without the plans, which may be long.
    const ends = await this.#connection.pipeline((pipeline) => {
      for (const run of runs) pipeline.hget(new RunKeys(this.#prefix, run).record, 'endedAt');
    });
    const expired = runs.filter((_run, i) => ends[i] !== null && now - Number(ends[i]) >= keptMs);
    try {
      for (const run of expired) await this.#removeIfAccepted(run);
    } catch (error) {
      if (refusalOf(error) === undefined) throw error;
    }
  }

  async #removeIfAccepted(run: string): Promise<void> {
    // Another process may remove it at the same time.
    if (!(await this.#runs.find(run))) return;
    await this.#connection.runUnlessRefused(() => this.#removeQueues(run));
    await this.#removeRecord(run);
  }

  /**
   * Before the record: what an interruption leaves can be removed again. Only by commands that a full server
   * takes, which BullMQ's own removal is not.
   */
  async #removeQueues(run: string): Promise<void> {
    const { client } = this.#connection;
    const keys = new RunKeys(this.#prefix, run);
    await this.#queues.forget(run);
    // First the lists, in one step: no worker takes an item whose job is not there any more.
    await client.unlink(
      ...kinds.flatMap((kind) => bullLists.map((name) => keys.queue(kind, name))),
    );
    const prefixes = kinds.map((kind) => keys.queue(kind, ''));
    let cursor = '0';
    do {
      const scanned = await client.scan(cursor, 'MATCH', keys.ofQueues, 'COUNT', scanCount);
      const found = scanned[1].filter((key) => prefixes.some((prefix) => key.startsWith(prefix)));
      if (found.length > 0) await client.unlink(...found);
      [cursor] = scanned;
    } while (cursor !== '0');
  }

  async #removeRecord(run: string): Promise<void> {
    const { client } = this.#connection;
    const keys = new RunKeys(this.#prefix, run);
    const identity = await this.#connection.run(() => client.hget(keys.record, 'identity'));
    const pointer = pointerKey(this.#prefix, identity ?? '');
    const all = [runsKey(this.#prefix), pointer, ...keys.all];
    await this.#connection.script(removeScript, all, [run]);
  }
}
