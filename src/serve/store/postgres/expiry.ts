import { expiryFailure, type OnExpired } from '../service-store.js';
import type { RetryEvent } from '../stored.js';
import type { OutcomeWriter } from './outcome-writer.js';
import type { Taker } from './taker.js';
import { outcomeOf } from './unit.js';

/**
 * Makes dead letters of the events in the first block and the first batch of a destination that were queued by `before`
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
    const [unit] = await taker.take(kind, 1, true);
    if (!unit) continue;
    try {
      const old = [...unit.events.values()].filter(({ queuedAt }) => queuedAt <= before);
      const endings = old.map((event) => {
        unit.pending.delete(event.id);
        const failure = expiryFailure((event as Partial<RetryEvent>).endpointDeliveries);
        return {
          event,
          ending: { kind: 'failed', failure } as const,
          onCommitted: () => onExpired(event, failure),
        };
      });
      unit.ended.push(...endings);
      // One without events is only a job.
      if (endings.length > 0 || unit.pending.size === 0) {
        const stored = await writer.write([outcomeOf(unit)]);
        if (stored.has(unit)) for (const { onCommitted } of endings) onCommitted();
        isMore = true;
      }
    } finally {
      await taker.release([unit]);
    }
  }
  return isMore;
}
