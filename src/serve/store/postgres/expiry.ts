import type { Clock } from '../../../clock.js';
import { expiryFailure, type OnExpired } from '../service-store.js';
import type { RetryEvent } from '../stored.js';
import type { OutcomeWriter } from './outcome-writer.js';
import type { Taker } from './taker.js';
import type { StoreParts } from './context.js';
import { OrderLease } from './order-lease.js';
import { endedOf, parkedUnit, takeOutcome, type Unit } from './unit.js';
import { UserEvents } from './user-events.js';

/** Blocks and batches of one transaction. */
const unitsAtOnce = 32;
/** Parked events of one transaction. */
const eventsAtOnce = 200;

/**
 * Makes dead letters of the events in the first blocks and batches of a destination that were queued by `before`
 * (milliseconds since 1970). Resolves to whether there may be more in others.
 */
export async function expireFirst(
  taker: Taker,
  writer: OutcomeWriter,
  before: number,
  onExpired: OnExpired,
): Promise<boolean> {
  let isMore = false;
  for (const kind of ['events', 'retries'] as const) {
    const units = await taker.take(kind, unitsAtOnce, true);
    try {
      if ((await expireIn(units, writer, before, onExpired)) !== undefined) isMore = true;
    } finally {
      await taker.release(units);
    }
  }
  return isMore;
}

interface ExpireParkedOptions {
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly writer: OutcomeWriter;
  /** Milliseconds since 1970. */
  readonly before: number;
  readonly onExpired: OnExpired;
}

/**
 * The same for the first events that are parked, where no instance sends to the destination (by its number): that one ends
 * them in their turn.
 */
export async function expireParked(
  parts: StoreParts,
  destination: number,
  { clock, writer, before, onExpired }: ExpireParkedOptions,
): Promise<boolean> {
  const lease = new OrderLease(parts, destination, clock, () => undefined);
  try {
    if (!(await lease.obtain())) return false;
    const events = await new UserEvents(parts, destination).parkedBy(before, eventsAtOnce);
    const units = events.map((event) => parkedUnit(event, lease.job!));
    return ((await expireIn(units, writer, before, onExpired)) ?? 0) > 0;
  } finally {
    await lease.close();
  }
}

/** Ends what has expired. Resolves to how many units were stored; undefined where nothing was to be. */
async function expireIn(
  units: readonly Unit[],
  writer: OutcomeWriter,
  before: number,
  onExpired: OnExpired,
): Promise<number | undefined> {
  const outcomes = units.filter((unit) => endExpired(unit, before, onExpired)).map(takeOutcome);
  if (outcomes.length === 0) return undefined;
  const stored = await writer.write(outcomes);
  for (const { unit, ended } of outcomes) {
    if (stored.has(unit)) for (const { onCommitted } of ended) onCommitted();
  }
  return stored.size;
}

/** Ends what has expired. Returns whether the unit has something to store: endings, or only a job to remove. */
function endExpired(unit: Unit, before: number, onExpired: OnExpired): boolean {
  for (const event of unit.events.values()) {
    if (!event || event.queuedAt > before) continue;
    const failure = expiryFailure((event as Partial<RetryEvent>).endpointDeliveries);
    unit.pending.delete(event.id);
    const onCommitted = (): void => onExpired(event, failure);
    unit.ended.push(endedOf(event, { kind: 'failed', failure }, undefined, onCommitted));
  }
  return unit.ended.length > 0 || unit.pending.size === 0;
}
