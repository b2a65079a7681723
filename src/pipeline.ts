import type { Pace } from './deliver/pace.js';
import { rejection, type Outcome } from './deliver/outcome.js';
import { isProblem, type Event, type Problem } from './events/event.js';
import { stampEvent, type StampOptions } from './events/stamp.js';
import type { Transform } from './events/transform.js';
import type { Ledger } from './ledger/ledger.js';
import type { Target } from './target.js';

/** The stages that a command picks. */
export interface Pipeline {
  /** Events and problems, in batches, in the order of the files. */
  readonly source: AsyncIterable<readonly (Event | Problem)[]>;
  readonly isSelected: (event: Event) => boolean;
  readonly transform?: Transform | undefined;
  /** No more than so many events are sent. */
  readonly limit: number;
  readonly stamp: Omit<StampOptions, 'now'>;
  readonly pace?: Pace | undefined;
  readonly target: Target;
  readonly ledger: Ledger;
  readonly now: () => number;
  /** Waits; cut short when the run is interrupted. */
  readonly sleep: (ms: number) => Promise<void>;
  /** Aborted at the first Ctrl-C: nothing new is sent then. */
  readonly interrupted: AbortSignal;
}

/**
 * The whole flow: read → select → transform → pace → send → one outcome each in the ledger.
 *
 * @throws StateError when an outcome cannot be recorded; then nothing new is sent.
 */
export async function run(pipeline: Pipeline): Promise<void> {
  const stage = new Stage(pipeline);
  const { target, interrupted } = pipeline;
  const interrupt = (): void => target.interrupt();
  interrupted.addEventListener('abort', interrupt);
  try {
    for await (const batch of pipeline.source) {
      await stage.take(batch);
      if (stage.isOver()) break;
    }
    await target.drain();
    stage.throwIfBroken();
  } finally {
    interrupted.removeEventListener('abort', interrupt);
  }
}

/** Takes events from the source to the target, and their outcomes to the ledger. */
class Stage {
  readonly #pipeline: Pipeline;
  #sent = 0;
  #broken: unknown;

  constructor(pipeline: Pipeline) {
    this.#pipeline = pipeline;
  }

  /** Whether nothing more is to be read. */
  isOver(): boolean {
    const { limit, interrupted } = this.#pipeline;
    return this.#sent >= limit || interrupted.aborted || this.#broken !== undefined;
  }

  throwIfBroken(): void {
    if (this.#broken !== undefined) throw this.#broken as Error;
  }

  async take(batch: readonly (Event | Problem)[]): Promise<void> {
    for (const item of batch) {
      if (this.isOver()) return;
      const room = this.#pipeline.target.room();
      if (room) {
        await room;
        if (this.isOver()) return;
      }
      const wait = this.#handle(item);
      if (wait) await wait;
    }
  }

  /** A promise only where a stage needs one: most events pass without. */
  #handle(item: Event | Problem): Promise<void> | undefined {
    const { ledger, isSelected, transform, pace } = this.#pipeline;
    if (isProblem(item)) {
      ledger.open();
      this.#close(item, rejection(item));
    } else if (!isSelected(item)) {
      ledger.open();
      this.#close(item, leftOut);
    } else if (transform || pace) {
      return this.#handleSlowly(item);
    } else {
      this.#send(item);
    }
    return undefined;
  }

  async #handleSlowly(event: Event): Promise<void> {
    const { ledger, transform } = this.#pipeline;
    const items = transform ? await transform(event) : [event];
    if (items.length === 0) {
      ledger.open();
      this.#close(event, leftOut);
    }
    for (const item of items) {
      if (isProblem(item)) {
        ledger.open();
        this.#close(item, rejection(item));
      } else {
        await this.#keepPace();
        if (this.isOver()) return;
        this.#send(item);
      }
    }
  }

  async #keepPace(): Promise<void> {
    const { pace, sleep, target } = this.#pipeline;
    const waitMs = pace?.turn() ?? 0;
    if (waitMs > 0) await sleep(waitMs);
    await target.room();
  }

  #send(event: Event): void {
    const { ledger, target, stamp: options, now } = this.#pipeline;
    ledger.open();
    this.#sent++;
    const stamp = stampEvent(event, { ...options, now: now() });
    const outgoing = { event, stamp };
    target.send(outgoing, (outcome) => {
      this.#record(() => ledger.close(outgoing.event, stamp, outcome));
    });
  }

  #close(item: Event | Problem, outcome: Outcome): void {
    this.#record(() => this.#pipeline.ledger.close(item, undefined, outcome));
  }

  /** Outcomes arrive from callbacks, where nobody could catch: the run ends at its next step. */
  #record(write: () => void): void {
    try {
      write();
    } catch (error) {
      this.#broken ??= error;
      this.#pipeline.target.interrupt();
    }
  }
}

const leftOut: Outcome = { verdict: 'skipped', messageId: undefined, attempts: [] };
