import { endedInRun, type RunCounts } from '../../ledger/summary.js';
import type { OutcomeCounts } from '../../ledger/store.js';
import type { RunSnapshot } from './run-record.js';

/** The progress of a run over all its workers, for display: what its last snapshot says. */
export class SnapshotCounts implements RunCounts {
  #snapshot: RunSnapshot;

  /** `clockOffsetMs`: by how much the server's clock is ahead of this machine's. */
  constructor(
    snapshot: RunSnapshot,
    private readonly clockOffsetMs: () => number,
  ) {
    this.#snapshot = snapshot;
  }

  update(snapshot: RunSnapshot): void {
    this.#snapshot = snapshot;
  }

  get read(): number {
    return this.ended + this.waiting;
  }

  get ended(): number {
    return endedInRun(this);
  }

  get waiting(): number {
    return this.#snapshot.stats.retrying ?? 0;
  }

  get nextDueAt(): number {
    return this.#snapshot.nextDueAt - this.clockOffsetMs();
  }

  get isReading(): boolean {
    const { record, ranges } = this.#snapshot;
    return ranges.done + ranges.failed < record.total;
  }

  readonly eventsPerLine = 1;

  get medianMs(): number | null {
    return this.#snapshot.latency.percentile(0.5);
  }

  /** Workers that are at work on the run. */
  get workers(): number {
    return this.#snapshot.workers.length;
  }

  count(finalStatus: keyof OutcomeCounts): number {
    return this.#snapshot.stats[finalStatus] ?? 0;
  }
}
