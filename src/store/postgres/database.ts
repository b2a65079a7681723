import { randomBytes } from 'node:crypto';
import type { ClientBase, Pool, PoolClient, QueryConfig } from 'pg';
import type { Clock } from '../../clock.js';
import { clientConfig, prepareSession, type ConnectionSettings } from './connection.js';
import { Listener } from './listener.js';
import type { StorePackages } from './packages.js';
import type { Queries, Transaction } from './queries.js';
import { StoreClock } from './store-clock.js';
import { inTransaction } from './transaction.js';
import { StoreHealth } from './store-health.js';
import {
  StoreUnavailable,
  codeOf,
  storeErrorOf,
  isConflict,
  tooManyConnections,
} from './unavailable.js';

export interface DatabaseOptions extends ConnectionSettings {
  readonly packages: StorePackages;
  /**
   * Tables that must be usable, with their schema: `evfwd.part`. After a refusal, the store counts as available only
   * when all exist and the user may read and write them. Default: none.
   */
  readonly tables?: readonly string[];
  /** Whether `whenAvailable` waits for a server that refuses statements, as by default. Default true. */
  readonly waitsForRefusal?: boolean | undefined;
  /** Connections at most, beside the one that listens. */
  readonly max: number;
  /** How long a statement may take, in milliseconds. Default 6,000. */
  readonly statementMs?: number;
  readonly clock: Clock;
  readonly onOutage: (message: string) => void;
  readonly onRecovered: (message: string) => void;
}

export interface QueryOptions {
  /**
   * Prepares each statement once for a connection. For frequent statements that find rows by their keys: what a table
   * holds later may not change the plan. Default false.
   */
  readonly isPrepared?: boolean;
}

export interface WaitOptions {
  /** Ends the waiting: the last error is thrown. */
  readonly signal?: AbortSignal | undefined;
  /** Whether a server that refuses writes is waited for, too. Default: as of the database. */
  readonly waitsForRefusal?: boolean;
}

interface ClientOptions {
  readonly keeps?: (error: unknown) => boolean;
  readonly endsOnError?: boolean;
}

const conflictsAtMost = 5;
const firstBackoffMs = 50;
const maxBackoffMs = 1_000;
/** A server that had no more connections may have some again. */
const growAfterMs = 30_000;
/** Texts beyond them, as of very many destinations, are planned each time: the server keeps plans in memory. */
const maxPrepared = 100;
/** Names of one process: a pooler may hand its connections to others. */
const preparedPrefix = `evfwd_${randomBytes(4).toString('hex')}`;
/** The prepared statements of a connection are not those that the driver remembers: it is closed, since they fail each time. */
const stalePlans = ['0A000', '26000', '42P05'];

/** A pool of connections to PostgreSQL. Each call is one attempt, unless it is in `whenAvailable`. */
export class Database implements Queries {
  /** `postgres://host:5432/db`, without user and password. */
  readonly shown: string;
  readonly #pool: Pool;
  readonly #clock: Clock;
  readonly #health: StoreHealth;
  readonly #listener: Listener;
  readonly #serverClock: StoreClock;
  /** Names of prepared statements, by their text. */
  readonly #prepared = new Map<string, string>();
  readonly #waitsForRefusal: boolean;
  readonly #max: number;
  #cancelGrowth: () => void = () => undefined;
  #isClosed = false;

  constructor(options: DatabaseOptions) {
    const { packages, clock, address, max } = options;
    this.shown = address.shown;
    this.#clock = clock;
    this.#max = max;
    const onConnect: (client: ClientBase) => unknown = (client) => {
      // Also while the pool hands it from one to the next: an error that nobody listens to ends the process.
      client.on('error', () => undefined);
      return prepareSession(client, options.statementMs);
    };
    this.#pool = new packages.pg.Pool({
      ...clientConfig(options, packages),
      max,
      ...(options.statementMs !== undefined && { query_timeout: options.statementMs }),
      // Statements that do not wait for each other are sent together.
      pipeline: true,
      idleTimeoutMillis: 30_000,
      // The pool waits for what it returns, which its types do not say.
      onConnect,
    });
    // Of a connection that nobody uses: the next one that does finds out, or gets another.
    this.#pool.on('error', () => undefined);
    this.#waitsForRefusal = options.waitsForRefusal ?? true;
    this.#health = new StoreHealth({
      ...options,
      shown: this.shown,
      probe: (kind) =>
        kind === 'lost' ? this.query('SELECT 1') : this.#probeWrites(options.tables ?? []),
    });
    this.#listener = new Listener({
      ...{ clock, onLost: (error) => this.#note(error) },
      connect: () => new packages.pg.Client(clientConfig(options, packages)),
    });
    this.#serverClock = new StoreClock(this, clock);
  }

  /** Measures the clock of the server for the first time. */
  async start(): Promise<void> {
    await this.#serverClock.start();
  }

  /** Why the store cannot be used now; undefined while it can. */
  get failure(): StoreUnavailable | undefined {
    return this.#health.failure;
  }

  /** Milliseconds since 1970 by the clock of the server, with fractions. */
  now(): number {
    return this.#serverClock.now();
  }

  /** One statement, which is repeated after a deadlock or a serialization failure, up to 5 times. */
  async query<Row = Record<string, unknown>>(
    text: string,
    values: readonly unknown[] = [],
    { isPrepared = false }: QueryOptions = {},
  ): Promise<Row[]> {
    const name = isPrepared ? this.#nameOf(text) : undefined;
    const statement = { text, values: [...values], ...(name !== undefined && { name }) };
    const { rows } = await this.#repeatConflicting(() =>
      this.#withClient((client) => client.query(statement), {
        keeps: isConflict,
        endsOnError: true,
      }),
    );
    return rows as Row[];
  }

  /** What the driver returns: a list of results for a text of several statements. */
  async execute(text: string, values: readonly unknown[] = []): Promise<{ rows: unknown[] }> {
    // A text of several statements that fails may leave its transaction open.
    return this.#withClient((client) => client.query(text, [...values]), { endsOnError: true });
  }

  /** A statement that may take longer than others: what changes the schema, or removes much. */
  async longQuery<Row>(
    text: string,
    values: readonly unknown[] = [],
    withinMs = 600_000,
  ): Promise<Row[]> {
    return this.#withClient(async (client) => {
      await client.query(`SET statement_timeout = ${withinMs}`);
      try {
        const config = { text, values: [...values], query_timeout: withinMs };
        const result = await client.query(config as QueryConfig);
        return result.rows as Row[];
      } finally {
        await prepareSession(client).catch(() => undefined);
      }
    });
  }

  /**
   * All of `work` or nothing, READ COMMITTED. `work` is called again when another transaction was in its
   * way. A connection that breaks during the commit leaves unknown whether it was done.
   */
  async transaction<T>(
    work: (tx: Transaction) => Promise<T>,
    { isPrepared = false }: QueryOptions = {},
  ): Promise<T> {
    const nameOf = isPrepared ? (text: string) => this.#nameOf(text) : undefined;
    return this.#repeatConflicting(() =>
      this.#withClient((client) => inTransaction(client, work, nameOf), { keeps: isConflict }),
    );
  }

  /**
   * Repeats `work`, which must be safe to repeat, for as long as the store is not available: after 50 ms, then twice as
   * long each time, up to 1 s. `signal` ends the pauses, not an attempt.
   */
  async whenAvailable<T>(
    work: () => Promise<T>,
    { signal, waitsForRefusal = this.#waitsForRefusal }: WaitOptions = {},
  ): Promise<T> {
    let ended: ((hasSucceeded: boolean) => void) | undefined;
    let hasSucceeded = false;
    try {
      for (let backoffMs = firstBackoffMs; ; backoffMs = Math.min(backoffMs * 2, maxBackoffMs)) {
        try {
          const result = await work();
          hasSucceeded = true;
          return result;
        } catch (error) {
          if (!(error instanceof StoreUnavailable) || this.#isClosed || signal?.aborted)
            throw error;
          if (error.kind === 'refused' && !waitsForRefusal) throw error;
          if (error.kind === 'refused') ended ??= this.#health.waits();
          await this.#pause(backoffMs, signal);
        }
      }
    } finally {
      ended?.(hasSucceeded);
    }
  }

  /**
   * Calls `onNotify` for each message of a channel, and `onReconnect` when some may have been missed;
   * the returned function ends it.
   */
  listen(
    channel: string,
    onNotify: (payload: string) => void,
    onReconnect: () => void = () => undefined,
  ): Promise<() => Promise<void>> {
    return this.#listener.add(channel, { onNotify, onReconnect });
  }

  /** Sends a message to all that listen, when the transaction is committed. At most 7,999 bytes. */
  async notify(queries: Queries, channel: string, payload: string): Promise<void> {
    await queries.query('SELECT pg_notify($1, $2)', [channel, payload]);
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#health.stop();
    this.#serverClock.stop();
    this.#cancelGrowth();
    await this.#listener.close();
    await this.#pool.end();
  }

  /** Repeats work after a deadlock or a serialization failure (40P01, 40001): nothing of it was stored. */
  async #repeatConflicting<T>(work: () => Promise<T>): Promise<T> {
    for (let conflicts = 0; ; conflicts++) {
      try {
        return await work();
      } catch (error) {
        if (!isConflict(error)) throw error;
        if (conflicts >= conflictsAtMost) throw this.#note(error);
      }
    }
  }

  /**
   * `keeps`: errors after which the connection is as good as before. `endsOnError`: it is used no more after any other
   * one.
   */
  async #withClient<T>(
    work: (client: PoolClient) => Promise<T>,
    { keeps = () => false, endsOnError = false }: ClientOptions = {},
  ): Promise<T> {
    let client: PoolClient;
    try {
      client = await this.#connect();
    } catch (error) {
      throw this.#note(error);
    }
    let isBroken = true;
    try {
      const result = await work(client);
      isBroken = false;
      this.#health.succeeded();
      return result;
    } catch (error) {
      if (keeps(error)) {
        isBroken = false;
        throw error;
      }
      const known = this.#note(error);
      isBroken =
        endsOnError ||
        stalePlans.includes(codeOf(known)) ||
        (known instanceof StoreUnavailable && known.kind === 'lost');
      throw known;
    } finally {
      client.release(isBroken);
    }
  }

  /** Where the server has no more connections for us, those that are there do the work. */
  async #connect(): Promise<PoolClient> {
    const { options } = this.#pool;
    for (;;) {
      try {
        return await this.#pool.connect();
      } catch (error) {
        const fewer = Math.min(this.#pool.totalCount, options.max - 1);
        if (codeOf(error) !== tooManyConnections || fewer < 1) throw error;
        options.max = fewer;
        this.#growLater();
      }
    }
  }

  #growLater(): void {
    this.#cancelGrowth();
    const grow = (): void => {
      this.#pool.options.max = this.#max;
    };
    this.#cancelGrowth = this.#clock.after(growAfterMs, grow, { keepsAlive: false });
  }

  async #probeWrites(tables: readonly string[]): Promise<void> {
    await this.query(writeProbe);
    const unusable = await this.query(selectUnusableTables, [tables]);
    if (unusable.length > 0) throw new Error('a table is missing, or a right on it');
  }

  #nameOf(text: string): string | undefined {
    const known = this.#prepared.get(text);
    if (known !== undefined || this.#prepared.size >= maxPrepared) return known;
    const name = `${preparedPrefix}_${this.#prepared.size}`;
    this.#prepared.set(text, name);
    return name;
  }

  #note(error: unknown): unknown {
    const known = this.#isClosed ? error : storeErrorOf(error, this.shown);
    if (known instanceof StoreUnavailable) this.#health.failed(known);
    return known;
  }

  #pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve) => {
      const end = (): void => {
        cancel();
        signal?.removeEventListener('abort', end);
        resolve();
      };
      const cancel = this.#clock.after(ms, end);
      signal?.addEventListener('abort', end, { once: true });
    });
  }
}

/** Needs a transaction of the server's, which a read-only one refuses, and writes to its log. */
const writeProbe = `SELECT pg_logical_emit_message(true, 'evfwd', repeat('x', 65536))`;

const selectUnusableTables = `SELECT name FROM unnest($1::text[]) AS name, to_regclass(name) AS found
  WHERE NOT coalesce(has_table_privilege(found, 'SELECT') AND has_table_privilege(found, 'INSERT')
    AND has_table_privilege(found, 'UPDATE') AND has_table_privilege(found, 'DELETE'), false)`;
