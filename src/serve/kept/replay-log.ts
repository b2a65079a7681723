import type { Log } from '../log.js';
import type { Destination } from '../types.js';
import { skippedOf, type StoredReplay } from './replay-store.js';

/** Says in the log of the service how its replays go. */
export class ReplayLog {
  readonly #log: Log;
  /** Ids of those that this process works on, also while their store is away. */
  readonly #begun = new Set<string>();
  /** Ids of those that wait for a destination that takes nothing. */
  readonly #waiting = new Set<string>();

  constructor(log: Log) {
    this.#log = log;
  }

  /** This process works on a replay from now on. @param total how many events it sends in all */
  began({ id, request, sent, position }: StoredReplay, total: number): void {
    if (this.#begun.has(id)) return;
    this.#begun.add(id);
    const fields = { replay: id, destination: request.destination, total };
    // Counted by another process, or before a restart.
    if (position.total === undefined) this.#log.info(fields, 'replay started');
    else this.#log.info({ ...fields, sent }, 'replay resumed');
  }

  /** Nothing more can be queued for its destination now. Logged once, and only if nothing is sent to the destination. */
  waits({ id, request }: StoredReplay, { isEnabled, isHeldUp }: Destination): void {
    if (isEnabled || this.#waiting.has(id)) return;
    this.#waiting.add(id);
    const why = isHeldUp ? 'its certificates cannot be used' : 'it is switched off';
    this.#log.warn(
      { replay: id, destination: request.destination },
      `replay waits for its destination: ${why}`,
    );
  }

  /** It can queue events again. */
  goesOn({ id }: StoredReplay): void {
    this.#waiting.delete(id);
  }

  /** This process does not work on it any more. */
  left({ id }: StoredReplay): void {
    this.#begun.delete(id);
    this.#waiting.delete(id);
  }

  ended(replay: StoredReplay): void {
    const { id, request, sent, state, message } = replay;
    const skipped = skippedOf(replay);
    const fields = {
      ...{ replay: id, destination: request.destination, sent },
      ...(skipped > 0 && { skipped }),
    };
    if (state === 'failed') this.#log.warn(fields, `replay failed: ${message ?? 'no reason'}`);
    else if (state !== 'running') this.#log.info(fields, `replay ${state}`);
  }
}
