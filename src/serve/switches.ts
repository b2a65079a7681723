import { StateError } from '../errors.js';
import { readJsonFile, writeJsonFile } from '../storage/json-file.js';
import type { Destination, Routing } from './types.js';
import type { Awaitable } from './store/awaitable.js';

/** A destination that was switched by hand. */
export interface Switch {
  readonly isEnabled: boolean;
  /** The value in the configuration file at that time; when it changes, the switch is dropped. */
  readonly configured: boolean;
}

/** Destinations that were switched on or off by hand. */
export interface DestinationSwitches {
  /** Called when a switch was read that differs. */
  onChange?: () => void;
  /** The active routing. */
  apply(routing: Routing): Routing;
  /**
   * @param configured the destination as the configuration has it, not as `apply` returns it
   * @throws StateError when it cannot be stored; then nothing has changed.
   */
  set(configured: Destination, isEnabled: boolean): Awaitable<void>;
}

/** The routing of the configuration with what was switched by hand. */
export function applySwitches(
  configured: Routing,
  switchOf: (destination: string) => Switch | undefined,
): Routing {
  const destinations = configured.destinations.map((destination) => {
    const byHand = switchOf(destination.name);
    const isWanted =
      byHand?.configured === destination.isEnabled ? byHand.isEnabled : destination.isEnabled;
    const isEnabled = isWanted && destination.refusal === undefined;
    const keepsEvents = (destination.isEnabled || isWanted) && !isEnabled;
    const isHeldUp = isWanted && !isEnabled;
    return { ...destination, isEnabled, isSwitchedOff: keepsEvents, isHeldUp };
  });
  return { ...configured, destinations };
}

/** Whether events are queued for it, to be sent now or when it is on again. */
export function queuesEvents({ isEnabled, isSwitchedOff = false }: Destination): boolean {
  return isEnabled || isSwitchedOff;
}

/** Switches in a JSON file beside the store, for one process. */
export class Switches implements DestinationSwitches {
  readonly #path: string;
  readonly #switches: Map<string, Switch>;

  private constructor(path: string, switches: Map<string, Switch>) {
    this.#path = path;
    this.#switches = switches;
  }

  /** @throws StateError when there is a file that cannot be read */
  static open(path: string): Switches {
    try {
      const switches = (readJsonFile(path) ?? {}) as Record<string, Switch>;
      return new Switches(path, new Map(Object.entries(switches)));
    } catch (cause) {
      throw new StateError(`${path}: cannot be read; remove it to start as configured`, {
        cause,
      });
    }
  }

  /** The active routing. */
  apply(routing: Routing): Routing {
    return applySwitches(routing, (name) => this.#switches.get(name));
  }

  /** @throws StateError when it cannot be stored; then nothing has changed. */
  set({ name, isEnabled: configured }: Destination, isEnabled: boolean): void {
    const before = this.#switches.get(name);
    if (isEnabled === configured) this.#switches.delete(name);
    else this.#switches.set(name, { isEnabled, configured });
    try {
      writeJsonFile(this.#path, Object.fromEntries(this.#switches));
    } catch (cause) {
      if (before) this.#switches.set(name, before);
      else this.#switches.delete(name);
      throw new StateError(`${this.#path}: cannot be written; make room or make it writable`, {
        cause,
      });
    }
  }
}
