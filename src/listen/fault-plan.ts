import { seeded, type Random } from '../fixtures/random.js';
import type { FaultPlan } from '../api/listen.js';
import { parseFault, type Fault } from './fault.js';
import type { EventNote } from './notes.js';
import { pathWithoutQuery } from '../receive/rules/path-pattern.js';

/** The parts of a request that a fault can match. */
export interface Target {
  readonly events: readonly Pick<EventNote, 'type'>[];
  /** With or without its query. */
  readonly path: string;
}

interface Entry {
  readonly fault: Fault;
  /** Drawn once for each request that the fault matches, so that faults do not change each other's sequence. */
  readonly random: Random;
  /** How many requests it was applied to. */
  fired: number;
}

/** Chooses the fault for each request. The same requests and seed have the same faults. */
export class Faults {
  #entries: readonly Entry[] = [];
  #seed = 0;

  /** @throws UsageError when a fault is wrong */
  constructor(plan: FaultPlan) {
    this.replace(plan);
  }

  get plan(): FaultPlan {
    return { faults: this.#entries.map(({ fault }) => fault.text), seed: this.#seed };
  }

  /**
   * Replaces the faults and resets their counters.
   *
   * @throws UsageError if one of them is wrong; then nothing changes
   */
  replace({ faults, seed }: FaultPlan): void {
    this.#entries = faults.map((text, i) => ({
      fault: parseFault(text),
      random: seeded((seed + Math.imul(i, 0x9e3779b1)) | 0),
      fired: 0,
    }));
    this.#seed = seed;
  }

  /** The first fault that matches and fires: not one that its rate excludes, or that is used up. */
  choose(target: Target): Fault | undefined {
    let chosen: Entry | undefined;
    for (const entry of this.#entries) {
      if (!matches(entry.fault, target)) continue;
      const { rate = 1, first = Infinity } = entry.fault;
      const isDrawn = entry.random.next() < rate;
      if (!chosen && isDrawn && entry.fired < first) chosen = entry;
    }
    if (chosen) chosen.fired++;
    return chosen?.fault;
  }
}

function matches({ type, path }: Fault, target: Target): boolean {
  if (path !== undefined && pathWithoutQuery(target.path) !== path) return false;
  return type === undefined || target.events.some((event) => event.type === type);
}
