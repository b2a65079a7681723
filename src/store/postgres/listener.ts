import type { Client } from 'pg';
import type { Clock } from '../../clock.js';

interface Subscriber {
  readonly onNotify: (payload: string) => void;
  readonly onReconnect: () => void;
}

export interface ListenerOptions {
  readonly clock: Clock;
  /** A client that is not connected yet. */
  readonly connect: () => Client;
  readonly onLost: (error: unknown) => void;
}

const checkEveryMs = 2_000;
const repeatAfterMs = 500;

/** One connection for all channels that somebody listens to; made when the first one does. */
export class Listener {
  readonly #options: ListenerOptions;
  readonly #channels = new Map<string, Set<Subscriber>>();
  #client: Client | undefined;
  #connecting: Promise<void> | undefined;
  #cancel: () => void = () => undefined;
  #isClosed = false;

  constructor(options: ListenerOptions) {
    this.#options = options;
  }

  async add(channel: string, subscriber: Subscriber): Promise<() => Promise<void>> {
    const known = this.#channels.get(channel);
    if (known) known.add(subscriber);
    else this.#channels.set(channel, new Set([subscriber]));
    const client = this.#client;
    // A subscriber that is added without a connection is called when there is one.
    if (!client) await this.#connect();
    else if (!known)
      await client.query(`LISTEN ${quoted(channel)}`).catch(() => this.#lose(client));
    return () => this.#remove(channel, subscriber);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancel();
    await this.#connecting?.catch(() => undefined);
    await this.#client?.end().catch(() => undefined);
    this.#client = undefined;
  }

  async #remove(channel: string, subscriber: Subscriber): Promise<void> {
    const left = this.#channels.get(channel);
    if (!left?.delete(subscriber) || left.size > 0) return;
    this.#channels.delete(channel);
    await this.#client?.query(`UNLISTEN ${quoted(channel)}`).catch(() => undefined);
  }

  #connect(): Promise<void> {
    this.#connecting ??= this.#open().finally(() => (this.#connecting = undefined));
    return this.#connecting;
  }

  /** Never throws: what fails is tried again in a moment. */
  async #open(): Promise<void> {
    if (this.#isClosed) return;
    const client = this.#options.connect();
    client.on('error', () => this.#lose(client));
    client.on('end', () => this.#lose(client));
    client.on('notification', ({ channel, payload }) => {
      for (const { onNotify } of [...(this.#channels.get(channel) ?? [])]) onNotify(payload ?? '');
    });
    try {
      await client.connect();
      for (const channel of this.#channels.keys()) await client.query(`LISTEN ${quoted(channel)}`);
    } catch (error) {
      this.#options.onLost(error);
      client.end().catch(() => undefined);
      this.#later(repeatAfterMs, () => void this.#connect());
      return;
    }
    this.#client = client;
    this.#later(checkEveryMs, () => void this.#check(client));
    for (const subscribers of this.#channels.values()) {
      for (const { onReconnect } of [...subscribers]) onReconnect();
    }
  }

  /** A connection that says nothing may be dead. */
  async #check(client: Client): Promise<void> {
    try {
      await client.query('SELECT 1');
      if (client === this.#client) this.#later(checkEveryMs, () => void this.#check(client));
    } catch (error) {
      this.#options.onLost(error);
      this.#lose(client);
    }
  }

  #lose(client: Client): void {
    if (client !== this.#client || this.#isClosed) return;
    this.#client = undefined;
    client.end().catch(() => undefined);
    this.#later(repeatAfterMs, () => void this.#connect());
  }

  #later(ms: number, action: () => void): void {
    this.#cancel();
    if (!this.#isClosed) {
      this.#cancel = this.#options.clock.after(ms, action, { keepsAlive: false });
    }
  }
}

function quoted(channel: string): string {
  return `"${channel.replaceAll('"', '""')}"`;
}
