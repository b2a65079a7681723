import { StateError } from '../../../errors.js';
import type { SharedStore } from '../../../store/postgres/open.js';
import { StoreUnavailable } from '../../../store/postgres/unavailable.js';
import { applySwitches, type DestinationSwitches, type Switch } from '../../switches.js';
import type { Destination, Routing } from '../../types.js';

/** Destinations that were switched on or off by hand, for all instances. */
export class PostgresSwitches implements DestinationSwitches {
  onChange?: () => void;
  readonly #shared: SharedStore;
  readonly #channel: string;
  #switches: ReadonlyMap<string, Switch> = new Map();
  #text = '';

  constructor(shared: SharedStore) {
    this.#shared = shared;
    this.#channel = `${shared.schema}_switches`;
  }

  /** Reads the switches, also those of other instances at once when they change. */
  async start(): Promise<void> {
    await this.refresh();
    const refresh = (): void => void this.refresh().catch(() => undefined);
    await this.#shared.database.listen(this.#channel, refresh, refresh);
  }

  async refresh(): Promise<void> {
    const { database, schema } = this.#shared;
    const rows = await database.query<Switch & { readonly name: string }>(
      `SELECT name, is_enabled AS "isEnabled", configured FROM ${schema}.destination_switch ORDER BY name`,
    );
    const text = JSON.stringify(rows);
    if (text === this.#text) return;
    this.#text = text;
    this.#switches = new Map(rows.map((row) => [row.name, row]));
    this.onChange?.();
  }

  apply(routing: Routing): Routing {
    return applySwitches(routing, (name) => this.#switches.get(name));
  }

  async set({ name, isEnabled: configured }: Destination, isEnabled: boolean): Promise<void> {
    const { database, schema } = this.#shared;
    try {
      await database.transaction(async (tx) => {
        if (isEnabled === configured) {
          await tx.query(`DELETE FROM ${schema}.destination_switch WHERE name = $1`, [name]);
        } else {
          await tx.query(
            `INSERT INTO ${schema}.destination_switch (name, is_enabled, configured) VALUES ($1, $2, $3)
             ON CONFLICT (name) DO UPDATE SET is_enabled = $2, configured = $3`,
            [name, isEnabled, configured],
          );
        }
        await database.notify(tx, this.#channel, '');
      });
      await this.refresh();
    } catch (cause) {
      const why = cause instanceof StoreUnavailable ? cause.problem : (cause as Error).message;
      throw new StateError(`the switch cannot be stored: ${why}; try again later`, { cause });
    }
  }
}
