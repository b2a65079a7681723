import type { TargetSettings } from '../../../config/open-target.js';
import { systemClock } from '../../../clock.js';
import { TurnPool } from '../../../delivery/turn-pool.js';
import type { RunRecord } from '../run-record.js';
import type { RunStore } from '../run-store.js';

/** The turns of one run, and of its URLs with a rate, that the jobs of this worker share. */
export class RunTurns {
  readonly #server: RunStore;
  readonly #run: string;
  readonly #rate: number;
  readonly #settings: TargetSettings;
  readonly #ofRun: TurnPool;
  readonly #ofUrls = new Map<number, TurnPool>();

  constructor(server: RunStore, { id, plan }: RunRecord, settings: TargetSettings) {
    this.#server = server;
    this.#run = id;
    this.#rate = plan.rate ?? Infinity;
    this.#settings = settings;
    this.#ofRun = new TurnPool((request) => server.lease(id, this.#rate, request), systemClock);
  }

  /** Those of the URL at this position; undefined: of the run. */
  of(url: number | undefined): TurnPool {
    if (url === undefined) return this.#ofRun;
    const known = this.#ofUrls.get(url);
    if (known) return known;
    const rate = rateOf(this.#settings, url);
    const pool = new TurnPool(
      (request) => this.#server.leaseOf(this.#run, url, rate, request),
      systemClock,
    );
    this.#ofUrls.set(url, pool);
    return pool;
  }

  /** Returns those of the run to the store, for other workers; of a URL they are few, and pass unused. */
  async end(): Promise<void> {
    const left = this.#ofRun.end();
    if (left > 0) await this.#server.returnTurns(this.#run, this.#rate, left);
  }
}

function rateOf(settings: TargetSettings, url: number): number {
  const endpoint = settings.kind === 'webhooks' ? settings.endpoints[url] : undefined;
  return endpoint?.rate ?? Infinity;
}
