import type { EndpointNotice } from '../../../delivery/endpoint-notice.js';
import type { LeaseRequest, TurnLease } from '../../../turn-lease.js';
import type { SharedStore } from '../../../store/postgres/open.js';
import { destinationScope, takeProbe } from '../../../store/postgres/probes.js';
import { endpointRate, leaseTurns } from '../../../store/postgres/turns.js';
import type { EndpointListener, SharedEndpoints } from '../service-store.js';

interface StateRow {
  readonly destination: string;
  readonly url: string;
  readonly notice: EndpointNotice;
}

/** A URL that was reported as down, and not as up since, is tried again after this time. */
const forgetAfterMs = 60 * 60 * 1000;

/** What instances know of the URLs of destinations: gone, paused, down. By the clock of the server. */
export class PostgresEndpoints implements SharedEndpoints {
  readonly #shared: SharedStore;
  readonly #channel: string;
  readonly #listeners = new Map<string, EndpointListener>();
  /** The last notice that was published or passed on, by destination, URL and kind. */
  readonly #lastNotices = new Map<string, string>();
  /** Notices are stored in the order in which they came. */
  #publishing: Promise<void> = Promise.resolve();
  /** Number of the last notice of each key whose storing has begun or ended. */
  readonly #published = new Map<string, number>();
  #notices = 0;

  constructor(shared: SharedStore) {
    this.#shared = shared;
    this.#channel = `${shared.schema}_endpoints`;
  }

  async start(): Promise<void> {
    const refresh = (): void => void this.refresh().catch(() => undefined);
    await this.#shared.database.listen(this.#channel, refresh, refresh);
  }

  subscribe(destination: string, listener: EndpointListener): () => void {
    this.#listeners.set(destination, listener);
    for (const key of this.#lastNotices.keys())
      if (key.startsWith(`${destination} `)) this.#lastNotices.delete(key);
    void this.refresh().catch(() => undefined);
    return () => {
      if (this.#listeners.get(destination) === listener) this.#listeners.delete(destination);
    };
  }

  /** Errors are ignored: each instance finds out by itself, too. */
  publish(destination: string, url: string, notice: EndpointNotice): void {
    const key = keyOf(destination, url, kindOf(notice));
    this.#lastNotices.set(key, JSON.stringify(notice));
    const noteChange = (): unknown => this.#published.set(key, ++this.#notices);
    noteChange();
    this.#publishing = this.#publishing
      .then(() => this.#store(destination, url, notice))
      .catch(() => undefined)
      .finally(noteChange);
  }

  mayProbe(destination: string, url: string): Promise<boolean> {
    const { database, schema } = this.#shared;
    return takeProbe(database, schema, destinationScope(destination), url).catch(() => false);
  }

  leaseTurns(
    destination: string,
    url: number,
    perSecond: number,
    request: LeaseRequest,
  ): Promise<TurnLease | undefined> {
    const { database, schema } = this.#shared;
    const row = endpointRate(destinationScope(destination), url);
    return leaseTurns(database, schema, row, perSecond, request).catch(() => undefined);
  }

  /** Reads what has changed, and passes it to the listeners of the destinations. */
  async refresh(): Promise<void> {
    const { database, schema } = this.#shared;
    if (this.#listeners.size === 0) return;
    await this.#publishing;
    const begun = this.#notices;
    const rows = await database.query<StateRow & Record<string, unknown>>(
      `SELECT destination, url, notice FROM ${schema}.endpoint_state WHERE at > $1`,
      [database.now() - forgetAfterMs],
    );
    for (const { destination, url, notice } of rows) {
      const key = keyOf(destination, url, kindOf(notice));
      const text = JSON.stringify(notice);
      // What this instance has found out meanwhile is newer.
      if (this.#lastNotices.get(key) === text || (this.#published.get(key) ?? 0) > begun) continue;
      const listener = this.#listeners.get(destination);
      if (!listener) continue;
      const isNews = this.#lastNotices.has(key);
      this.#lastNotices.set(key, text);
      // A URL without any notice is up.
      if (notice.kind !== 'up' || isNews) listener(url, notice);
    }
  }

  async #store(destination: string, url: string, notice: EndpointNotice): Promise<void> {
    const { database, schema } = this.#shared;
    // A URL that is gone is so until the configuration changes, and each process finds that out with one request.
    if (notice.kind === 'gone') return;
    await database.transaction(async (tx) => {
      await tx.query(
        `INSERT INTO ${schema}.endpoint_state (destination, url, kind, at, notice) VALUES ($1, $2, $3, $4, $5)
         ON CONFLICT (destination, url, kind) DO UPDATE SET at = EXCLUDED.at, notice = EXCLUDED.notice`,
        [destination, url, kindOf(notice), database.now(), JSON.stringify(notice)],
      );
      await database.notify(tx, this.#channel, '');
    });
  }
}

/** A pause is apart from whether a URL is down or up. */
function kindOf({ kind }: EndpointNotice): string {
  return kind === 'paused' ? 'pause' : 'health';
}

function keyOf(destination: string, url: string, kind: string): string {
  return `${destination} ${url} ${kind}`;
}
