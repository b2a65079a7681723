import type { Change } from '../../../storage/group-commit.js';
import type { StoreContext } from './store-context.js';
import { memoryOf, unlessDamaged } from '../stored.js';
import type { Ending, EndOptions } from '../service-store.js';

export interface EndChangeOptions extends EndOptions {
  /** Name. */
  readonly destination: string;
}

/** Records how an event ended at a destination or when it is retried; repeated until durable. */
export class EndChange implements Change {
  readonly rows = 1;
  readonly #context: StoreContext;
  readonly #options: EndChangeOptions;

  constructor(context: StoreContext, options: EndChangeOptions) {
    this.#context = context;
    this.#options = options;
  }

  get bytes(): number {
    const { event, ending } = this.#options;
    return keepsText(ending) ? (unlessDamaged(() => memoryOf(event)) ?? 0) : 0;
  }

  write(): void {
    const { event, ending } = this.#options;
    const { nameTable, counts, queue } = this.#context;
    const destination = nameTable.id('destination', this.#options.destination);
    // A text that is not in memory is read again now, since the changes below delete it. A damaged event stays as it is.
    if (keepsText(ending) && !unlessDamaged(() => event.event.bytes)) return;
    if (ending.kind === 'postponed') {
      this.#postpone(destination, ending);
      return;
    }
    // It may have expired meanwhile.
    if (!queue.remove(destination, event.id)) return;
    if (ending.kind === 'failed')
      this.#context.deadLetters.keep(destination, event, ending.failure);
    if (ending.kind === 'delivered') this.#context.deadLetters.drop(destination, event);
    counts.add(nameTable.id('source', event.source), destination, ending.kind);
  }

  committed(): void {
    this.#options.onCommitted();
  }

  #postpone(destination: number, ending: Ending & { kind: 'postponed' }): void {
    const { queue, clock } = this.#context;
    const { retry, delayMs, code, message } = ending;
    // The clock may have been set back since the attempt ended.
    const dueAt = Math.min(retry.dueAt, clock.now() + delayMs);
    const { endpointDeliveries } = retry;
    const next = { endpointDeliveries, dueAt, delayMs, code, message };
    queue.postpone(destination, this.#options.event, next, this.#options.user);
  }
}

/** Whether the text of the event is written with its ending. */
function keepsText({ kind }: Ending): boolean {
  return kind === 'postponed' || kind === 'failed';
}
