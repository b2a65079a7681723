import type { Clock } from '../../../clock.js';
import type { Lane, LaneUser, OrderedStoreLane } from '../service-store.js';
import type { StoreParts } from './context.js';
import { PostgresLane } from './lane.js';
import { OrderLease } from './order-lease.js';
import { PostgresOrderedLane } from './ordered-lane.js';
import { OutcomeWriter } from './outcome-writer.js';
import type { StoreStatistics } from './statistics.js';
import { Taker } from './taker.js';

export interface LanesOptions {
  readonly parts: StoreParts;
  readonly clock: Clock;
  readonly statistics: StoreStatistics;
  readonly onDefect: (error: unknown) => void;
  /** Events of a destination cannot be read and were set aside. */
  readonly onDamaged: (destination: string, events: number) => void;
}

type StoreLane = PostgresLane | PostgresOrderedLane;

/** The lanes of the destinations of this instance. */
export class Lanes {
  readonly #options: LanesOptions;
  /** The newest one of each destination. */
  readonly #newest = new Map<string, StoreLane>();
  /** Destinations whose newest lane keeps no order. */
  readonly #unordered = new Set<string>();
  /** Also those that are closing: a destination that has changed gets its new one before. */
  readonly #open = new Set<StoreLane>();

  constructor(options: LanesOptions) {
    this.#options = options;
  }

  open(destination: string, { share, onMore, onLost }: LaneUser): Lane {
    const lane: PostgresLane = new PostgresLane({
      ...{ share, onMore },
      ...this.#partsOf(destination, () => lane),
      onLost: (wasSending) => {
        if (wasSending) onLost();
      },
    });
    this.#unordered.add(destination);
    return this.#opened(destination, lane);
  }

  openOrdered(destination: string, user: LaneUser): OrderedStoreLane {
    const lane: PostgresOrderedLane = new PostgresOrderedLane({
      ...{ ...user, parts: this.#options.parts, destination: this.#numberOf(destination) },
      ...this.#partsOf(destination, () => lane),
    });
    this.#unordered.delete(destination);
    return this.#opened(destination, lane);
  }

  takerOf(destination: string): Taker {
    const { parts, onDamaged } = this.#options;
    return new Taker(parts, this.#numberOf(destination), (events) =>
      onDamaged(destination, events),
    );
  }

  writerOf(destination: string): OutcomeWriter {
    return new OutcomeWriter(this.#options.parts, this.#numberOf(destination));
  }

  /** Something was put for these destinations. */
  poke(destinations: Iterable<string>): void {
    for (const name of destinations) this.#newest.get(name)?.poke();
  }

  /** What other instances have put. */
  pokeWaiting(): void {
    const { parts, statistics } = this.#options;
    const now = parts.shared.database.now();
    for (const [name, lane] of this.#newest) {
      const { length, nextRetryAt = Infinity } = statistics.of(this.#numberOf(name));
      if (length.waiting > 0) lane.poke(nextRetryAt - now);
    }
  }

  /** Lets the parked events of destinations go that are not ordered anymore. */
  async unpark(): Promise<void> {
    const { parts, clock, statistics } = this.#options;
    for (const name of this.#unordered) {
      const number = this.#numberOf(name);
      if (!statistics.hasParked(number)) continue;
      // Where a lane of before still sends, in this instance or another one, it has the lease.
      const lease = new OrderLease(parts, number, clock, () => undefined);
      try {
        if (!(await lease.obtain())) continue;
        const writer = this.writerOf(name);
        await parts.shared.database.transaction((tx) => writer.unpark(tx));
      } finally {
        await lease.close();
      }
    }
  }

  /** Makes durable what was ended so far. */
  async flush(): Promise<void> {
    await Promise.all([...this.#open].map((lane) => lane.flush()));
  }

  async close(): Promise<void> {
    await Promise.all([...this.#open].map((lane) => lane.close()));
  }

  #partsOf(destination: string, lane: () => StoreLane) {
    const { clock, onDefect } = this.#options;
    return {
      ...{ clock, onDefect, taker: this.takerOf(destination), writer: this.writerOf(destination) },
      onClosed: () => {
        this.#open.delete(lane());
        if (this.#newest.get(destination) === lane()) this.#newest.delete(destination);
      },
    };
  }

  #opened<L extends StoreLane>(destination: string, lane: L): L {
    this.#newest.set(destination, lane);
    this.#open.add(lane);
    return lane;
  }

  #numberOf(destination: string): number {
    return this.#options.parts.names.find('destination', destination);
  }
}
