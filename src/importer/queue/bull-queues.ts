import type { Queue } from 'bullmq';
import type { QueueConnection } from './connection.js';
import type { ItemKind } from './item.js';
import { queueName } from './keys.js';
import type { QueuePackages } from './packages.js';

/** Entries that the event stream of a BullMQ queue keeps, which nothing of ours reads. */
export const eventStreamLength = 100;

/** The BullMQ queues of the runs in use; they share one connection. */
export class BullQueues {
  readonly #connection: QueueConnection;
  readonly #packages: QueuePackages;
  readonly #prefix: string;
  readonly #queues = new Map<string, Queue>();

  constructor(connection: QueueConnection, packages: QueuePackages, prefix: string) {
    this.#connection = connection;
    this.#packages = packages;
    this.#prefix = prefix;
  }

  of(run: string, kind: ItemKind): Queue {
    const name = queueName(run, kind);
    const queue = this.#queues.get(name) ?? this.#open(name);
    this.#queues.set(name, queue);
    return queue;
  }

  /** For runs that have ended. */
  forget(run: string): Promise<void> {
    return this.#close([queueName(run, 'ranges'), queueName(run, 'retries')]);
  }

  close(): Promise<void> {
    return this.#close([...this.#queues.keys()]);
  }

  #open(name: string): Queue {
    const queue = new this.#packages.bullmq.Queue(name, {
      connection: this.#connection.client,
      prefix: this.#prefix,
      skipVersionCheck: true,
      // Written when a run is made; later writes could bring back a run that was removed.
      skipMetasUpdate: true,
      streams: { events: { maxLen: eventStreamLength } },
    });
    // Errors of the connection, which `QueueConnection` reports.
    queue.on('error', () => undefined);
    return queue;
  }

  async #close(names: readonly string[]): Promise<void> {
    for (const name of names) {
      const queue = this.#queues.get(name);
      this.#queues.delete(name);
      await queue?.close();
    }
  }
}
