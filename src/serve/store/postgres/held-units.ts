import type { LoadShare } from '../../forward/load-share.js';
import { memoryOf, type StoredEvent } from '../stored.js';
import type { Unit } from './unit.js';

/** The units that a lane has in hand, found by their events, and counted in its share of the memory. */
export class HeldUnits {
  readonly #loads: LoadShare;
  readonly #units = new Set<Unit>();
  readonly #unitOf = new Map<number, Unit>();

  constructor(loads: LoadShare) {
    this.#loads = loads;
  }

  get all(): Unit[] {
    return [...this.#units];
  }

  has(unit: Unit): boolean {
    return this.#units.has(unit);
  }

  count(kind: Unit['kind']): number {
    let count = 0;
    for (const unit of this.#units) if (unit.kind === kind) count++;
    return count;
  }

  /** The unit of an event, by the id of that one. */
  unitOf(eventId: number): Unit | undefined {
    return this.#unitOf.get(eventId);
  }

  /** Those in hand that share a pending event with this one. */
  overlapping({ pending }: Unit): Unit[] {
    const found = new Set<Unit>();
    for (const id of pending) {
      const held = this.#unitOf.get(id);
      if (held?.pending.has(id)) found.add(held);
    }
    return [...found];
  }

  /** Returns the event, which is being sent from now on, until `takeBack`. */
  handOut<E extends StoredEvent>(event: E): E {
    this.#unitOf.get(event.id)!.taken.set(event.id, event);
    return event;
  }

  /**
   * Returns the unit that an event was handed out of; undefined where that unit was lost. The event may be in another
   * unit by now, which hands out a copy of its own.
   */
  takeBack(event: StoredEvent): Unit | undefined {
    const unit = this.#unitOf.get(event.id);
    if (unit?.taken.get(event.id) !== event) return undefined;
    unit.taken.delete(event.id);
    return unit;
  }

  add(unit: Unit): void {
    this.#units.add(unit);
    this.#loads.add(unit.heldBytes);
    for (const id of unit.events.keys()) this.#unitOf.set(id, unit);
  }

  /** Returns false if it was not in hand. */
  delete(unit: Unit): boolean {
    if (!this.#units.delete(unit)) return false;
    this.#loads.add(-unit.heldBytes);
    for (const id of unit.events.keys()) {
      if (this.#unitOf.get(id) === unit) this.#unitOf.delete(id);
    }
    return true;
  }

  /** The text of this event is not needed anymore. */
  dropText(unit: Unit, event: StoredEvent): void {
    // What is left of a batch is stored again, also what ends while that is written.
    if (unit.kind === 'retries') return;
    const bytes = memoryOf(event);
    unit.events.set(event.id, undefined);
    unit.heldBytes -= bytes;
    // What was lost is counted no longer.
    if (this.#units.has(unit)) this.#loads.add(-bytes);
  }
}
