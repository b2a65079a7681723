import type { Clock } from '../../../clock.js';
import type { StateFile } from '../../../storage/state-file.js';
import type { NameTable } from './name-table.js';
import { SeenIds } from './seen-ids.js';
import { seenKey } from '../seen-key.js';
import { tickMs } from './seen-tick.js';

/** Used in place of the number of a destination. */
const noDestination = 0;

export interface FailedEvent {
  /** Number. */
  readonly source: number;
  readonly messageId: string;
  /** Milliseconds since 1970. */
  readonly queuedAt: number;
}

/** The destinations for which each event was queued within the last day, by their numbers. */
export class SeenEvents {
  readonly #ids: SeenIds;
  readonly #nameTable: NameTable;

  constructor(connection: StateFile, clock: Clock, nameTable: NameTable) {
    this.#ids = new SeenIds({ connection, clock });
    this.#nameTable = nameTable;
  }

  /**
   * Within a transaction: records the event for those of these destinations for which it was not recorded
   * within a day, and returns them. An event without destinations is recorded for `seenAt` alone.
   */
  note(source: number, messageId: string, destinations: readonly number[]): readonly number[] {
    if (destinations.length === 0) this.#ids.note(seenKey(source, noDestination, messageId));
    return destinations.filter((one) => this.#ids.note(seenKey(source, one, messageId)));
  }

  /**
   * Within a transaction: an event that was queued at this time has failed at a destination, so it is
   * forgotten there, unless another one with its messageId was queued later. `seenAt` still knows it.
   */
  forget(key: string, event: FailedEvent): void {
    const { source, messageId, queuedAt } = event;
    const at = this.#ids.seenAt(key);
    // A tick may begin between the two.
    if (at === undefined || at > queuedAt + tickMs) return;
    this.#ids.forget(key);
    this.#ids.note(seenKey(source, noDestination, messageId));
  }

  /** When an event was last recorded; milliseconds since 1970, rounded down to a tick. */
  seenAt(source: number, messageId: string): number | undefined {
    const known = [noDestination, ...this.#nameTable.ids('destination')]
      .map((destination) => this.#ids.seenAt(seenKey(source, destination, messageId)))
      .filter((time) => time !== undefined);
    return known.length > 0 ? Math.max(...known) : undefined;
  }

  /** At the end of a transaction. */
  write(): void {
    this.#ids.write();
  }

  committed(): void {
    this.#ids.committed();
  }

  rolledBack(): void {
    this.#ids.rolledBack();
  }
}
