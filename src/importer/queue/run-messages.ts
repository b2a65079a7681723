import type { Redis } from 'ioredis';
import type { QueueConnection } from './connection.js';
import { RunKeys, runsChannel } from './keys.js';
import type { RunMessage } from './queue-server.js';

type Listener = (message: RunMessage) => void;

/** Messages of runs, on a connection of their own: one that listens may send no other commands. */
export class RunMessages {
  readonly #connection: QueueConnection;
  readonly #prefix: string;
  readonly #listeners = new Map<string, Set<Listener>>();
  #client: Redis | undefined;

  constructor(connection: QueueConnection, prefix: string) {
    this.#connection = connection;
    this.#prefix = prefix;
  }

  subscribe(run: string, listener: Listener): Promise<() => Promise<void>> {
    return this.#listen(new RunKeys(this.#prefix, run).messages, listener);
  }

  /** Calls `listener` when a run was made or goes on, and whenever that may have been missed. */
  subscribeToAll(listener: () => void): Promise<() => Promise<void>> {
    return this.#listen(runsChannel(this.#prefix), listener);
  }

  async #listen(channel: string, listener: Listener): Promise<() => Promise<void>> {
    const listeners = this.#listeners.get(channel) ?? new Set();
    this.#listeners.set(channel, listeners.add(listener));
    const client = (this.#client ??= this.#open());
    await this.#connection.run(() => client.subscribe(channel));
    return async () => {
      listeners.delete(listener);
      if (listeners.size > 0 || this.#listeners.get(channel) !== listeners) return;
      this.#listeners.delete(channel);
      // A lost connection would keep it waiting; without listeners the channel does no harm.
      if (client.status === 'ready') await client.unsubscribe(channel).catch(() => undefined);
    };
  }

  close(): void {
    this.#client?.disconnect();
  }

  #open(): Redis {
    const client = this.#connection.client.duplicate();
    // The main connection reports what is wrong.
    client.on('error', () => undefined);
    client.on('message', (channel: string, text: string) => this.#deliver(channel, text));
    client.on('ready', () => this.#missed());
    // Both may have been cut without a word; without a response, this connection is replaced, too.
    this.#connection.client.on('ready', () => void client.ping().catch(() => undefined));
    return client;
  }

  #deliver(channel: string, text: string): void {
    const message = messageOf(text);
    if (message) for (const listener of this.#listeners.get(channel) ?? []) listener(message);
  }

  /** What was published while the connection was lost is gone. */
  #missed(): void {
    for (const listeners of this.#listeners.values()) {
      for (const listener of listeners) listener({ kind: 'status' });
    }
  }
}

/** Undefined for what no version of ours publishes. */
function messageOf(text: string): RunMessage | undefined {
  try {
    const message = JSON.parse(text) as RunMessage | null;
    return message?.kind === 'status' || message?.kind === 'notice' ? message : undefined;
  } catch {
    return undefined;
  }
}
