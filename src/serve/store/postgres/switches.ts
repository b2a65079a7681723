import { StateError } from '../../../errors.js';
import type { SharedStore } from '../../../store/postgres/open.js';
import { withSwitch, type DestinationSwitches } from '../../switches.js';
import type { Destination, Routing } from '../../types.js';

interface SwitchRow {
  readonly name: string;
  readonly is_enabled: boolean;
  /** The value in the configuration file at that time; when it changes, the switch is dropped. */
  readonly configured: boolean;
}

/** Destinations that were switched on or off by hand, for all instances. */
export class PostgresSwitches implements DestinationSwitches {
  onChange?: () => void;
  readonly #shared: SharedStore;
  readonly #channel: string;
  #rows: ReadonlyMap<string, SwitchRow> = new Map();
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
    const rows = await database.query<SwitchRow & Record<string, unknown>>(
      `SELECT name, is_enabled, configured FROM ${schema}.destination_switch ORDER BY name`,
    );
    const text = JSON.stringify(rows);
    if (text === this.#text) return;
    this.#text = text;
    this.#rows = new Map(rows.map((row) => [row.name, row]));
    this.onChange?.();
  }

  apply(routing: Routing): Routing {
    return {
      ...routing,
      destinations: routing.destinations.map((one) => withSwitch(one, this.#isEnabled(one))),
    };
  }

  async set({ name, isEnabled: configured }: Destination, isEnabled: boolean): Promise<void> {
    const { database, schema, name: shown } = this.#shared;
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
      throw new StateError(`${shown}: the switch cannot be stored (${(cause as Error).message})`, {
        cause,
      });
    }
  }

  #isEnabled({ name, isEnabled }: Destination): boolean {
    const byHand = this.#rows.get(name);
    return byHand?.configured === isEnabled ? byHand.is_enabled : isEnabled;
  }
}
