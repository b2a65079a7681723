import type { Clock } from '../clock.js';
import type { Outcome } from '../delivery/outcome.js';
import type { Event, Problem } from '../events/event.js';
import { StoreCommitter, type Committer, type CommitStep } from '../ledger/committer.js';
import { Ledger } from '../ledger/ledger.js';
import type { DeadLetterFile } from '../ledger/dead-letter-file.js';
import type { StateChanges, ImportStore } from '../ledger/store.js';
import type { Summary } from '../ledger/summary.js';
import { runPipeline } from '../importer/pipeline.js';
import type { Rate } from '../importer/turns.js';
import type { CommitGroup } from '../storage/commit-timer.js';
import type { Target } from '../delivery/target.js';
import type { AudienceName } from './identify.js';
import { planFiles, readPlan } from './plan-source.js';
import type { AudienceStore, Plan } from './store.js';

export interface PlanParts {
  readonly name: AudienceName;
  readonly plan: Plan;
  readonly store: AudienceStore;
  /** The progress of sending this plan. */
  readonly progress: ImportStore;
  readonly deadLetters: DeadLetterFile;
  /** The URLs of the target, without queries. */
  readonly urls?: readonly string[];
  readonly clock: Clock;
  readonly group?: CommitGroup | undefined;
  /** Called for every event that was not delivered. */
  readonly onProblem?: (outcome: Outcome, item: Event | Problem) => void;
  /** Called at each step of a commit, for tests that kill the process between two of them. */
  readonly onStep?: ((step: CommitStep) => void) | undefined;
}

export interface Sending {
  readonly target: Target;
  readonly rate?: Rate | undefined;
  /** Waits; cut short when the run is interrupted. */
  readonly sleep: (ms: number) => Promise<void>;
  readonly interrupted: AbortSignal;
}

/**
 * Sends a plan like an import of its events, with the same ledger, so that it is resumable. When all
 * changes have a final status, they are applied to the state of the users.
 */
export class PlanRun {
  readonly ledger: Ledger;
  readonly #parts: PlanParts;

  /** @throws StateError when the state cannot be written. */
  constructor(parts: PlanParts) {
    const { name, plan, store, progress, deadLetters, clock, group, onProblem, onStep, urls } =
      parts;
    const files = planFiles(plan, name);
    const committer = new FailureCommitter(
      new StoreCommitter(progress, deadLetters, { onStep }),
      store,
    );
    this.#parts = parts;
    this.ledger = new Ledger({
      store: progress,
      committer,
      deadLetterPath: deadLetters.path,
      files,
      canReread: () => false,
      isResumable: true,
      clock,
      ...(group && { group }),
      ...(urls && { urls }),
      onProblem: (outcome, item) => {
        if (item.origin.file === files[1]) committer.failed(item.origin.line);
        onProblem?.(outcome, item);
      },
    });
  }

  /**
   * Resolves when everything is sent, or when interrupted.
   * @throws StateError when an outcome cannot be recorded.
   */
  async send({ target, rate, sleep, interrupted }: Sending): Promise<Summary> {
    const { name, plan, store, progress, clock } = this.#parts;
    await runPipeline({
      source: readPlan(store, plan, name, progress.checkpoint()),
      isSelected: () => true,
      limit: Infinity,
      stamp: { ids: 'keep', seed: '' },
      rate,
      target,
      ledger: this.ledger,
      clock,
      sleep,
      interrupted,
    });
    const hasReadAll = !interrupted.aborted;
    const summary = this.ledger.finish(hasReadAll);
    if (hasReadAll && summary.pending === 0) store.applyPlan();
    return summary;
  }
}

/**
 * Marks failed changes before the ledger commits that they have ended. After a crash in between, they are
 * sent again.
 */
class FailureCommitter implements Committer {
  readonly #inner: Committer;
  readonly #store: AudienceStore;
  #failed: number[] = [];

  constructor(inner: Committer, store: AudienceStore) {
    this.#inner = inner;
    this.#store = store;
  }

  failed(line: number): void {
    this.#failed.push(line);
  }

  commit(changes: StateChanges): void {
    if (this.#failed.length > 0) this.#store.markFailed(this.#failed);
    this.#failed = [];
    this.#inner.commit(changes);
  }

  close(): void {
    this.#inner.close();
  }
}
