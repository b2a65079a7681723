import { UsageError } from '../../errors.js';
import type { BullQueues } from './bull-queues.js';
import type { QueueConnection } from './connection.js';
import { pointerKey, RunKeys, runsKey } from './keys.js';
import { refusalOf } from './reply-error.js';
import type { RunStore } from './run-store.js';

/** A run that has ended can be looked at for so long. */
const keptMs = 7 * 24 * 60 * 60 * 1_000;

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

  /** Before the record: what an interruption leaves can be removed again. */
  async #removeQueues(run: string): Promise<void> {
    for (const kind of ['ranges', 'retries'] as const) {
      await this.#queues.of(run, kind).obliterate({ force: true });
    }
    await this.#queues.forget(run);
  }

  async #removeRecord(run: string): Promise<void> {
    const { client } = this.#connection;
    const keys = new RunKeys(this.#prefix, run);
    const identity = await this.#connection.run(() => client.hget(keys.record, 'identity'));
    const pointer = pointerKey(this.#prefix, identity ?? '');
    const current = await this.#connection.run(() => client.get(pointer));
    const metas = [keys.queue('ranges', 'meta'), keys.queue('retries', 'meta')];
    await this.#connection.transaction((transaction) => {
      transaction.unlink(...keys.all, ...metas).zrem(runsKey(this.#prefix), run);
      // A newer run of the same import keeps its pointer.
      if (current === run) transaction.unlink(pointer);
    });
  }
}
