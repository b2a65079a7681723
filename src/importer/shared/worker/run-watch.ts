import { systemClock, type Clock } from '../../../clock.js';
import { StopRule } from '../../stop-rule.js';
import type { RunStore } from '../run-store.js';
import type { RunRecord, RunSnapshot } from '../run-record.js';

export interface RunWatchOptions {
  readonly server: Pick<RunStore, 'snapshot' | 'pause' | 'finishIfDone' | 'report'>;
  readonly record: RunRecord;
  /** Id of this worker. */
  readonly worker: string;
  /** Items in hand. */
  readonly items: () => number;
  /** Called with each look at the run while it goes on. */
  readonly onLook: (snapshot: RunSnapshot) => void;
  /** The run has no work for this worker now; without a snapshot, it was removed. */
  readonly onEnd: (snapshot: RunSnapshot | undefined) => void;
  /** The server refuses what cannot be repeated. */
  readonly onFailure: (error: unknown) => void;
  /** Default: the system's. */
  readonly clock?: Clock;
}

const lookEveryMs = 500;
/** Reports are forgotten after some seconds. */
const reportEveryMs = 2_000;

/** Looks at a run twice a second: whether it goes on, has too many failures, or is done. */
export class RunWatch {
  readonly #options: RunWatchOptions;
  readonly #clock: Clock;
  readonly #stopRule: StopRule;
  #reportedAt = -Infinity;
  #isLooking = false;
  /** Something happened while it was looking. */
  #looksAgain = false;
  #isOver = false;
  #cancel: () => void = () => undefined;

  constructor(options: RunWatchOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#stopRule = new StopRule(options.record.plan.stopAfter ?? undefined);
  }

  start(): void {
    this.look();
  }

  stop(): void {
    this.#isOver = true;
    this.#cancel();
  }

  /** Looks now, and again later. */
  look(): void {
    this.#looksAgain = this.#isLooking;
    if (this.#isLooking || this.#isOver) return;
    this.#isLooking = true;
    this.#cancel();
    this.#look()
      .catch((error: unknown) => this.#options.onFailure(error))
      .finally(() => this.#lookLater());
  }

  #lookLater(): void {
    this.#isLooking = false;
    if (this.#isOver) return;
    if (this.#looksAgain) this.look();
    else this.#cancel = this.#clock.after(lookEveryMs, () => this.look());
  }

  async #look(): Promise<void> {
    const { server, record, onLook, onEnd } = this.#options;
    const snapshot = await server.snapshot(record.id);
    if (this.#isOver) return;
    if (snapshot?.record.status !== 'running') {
      this.stop();
      onEnd(snapshot);
      return;
    }
    onLook(snapshot);
    await this.#report();
    await this.#applyStopRule(snapshot);
    if (allEnded(snapshot)) await server.finishIfDone(record.id);
  }

  async #report(): Promise<void> {
    const now = this.#clock.monotonic();
    if (now - this.#reportedAt < reportEveryMs) return;
    this.#reportedAt = now;
    const { server, record, worker, items } = this.#options;
    await server.report(record.id, { id: worker, items: items() });
  }

  async #applyStopRule({ stats, statsAtResume }: RunSnapshot): Promise<void> {
    const { server, record } = this.#options;
    const count = (name: string): number => (stats[name] ?? 0) - (statsAtResume[name] ?? 0);
    if (this.#stopRule.check({ count })) await server.pause(record.id, this.#stopRule.reason!);
  }
}

function allEnded({ record, ranges }: RunSnapshot): boolean {
  return ranges.done + ranges.failed >= record.total;
}
