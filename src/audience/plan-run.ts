import { StoreCommitter, type CommitStep, type Committer } from '../ledger/committer.js';
import type { DeadLetterFile } from '../ledger/dead-letter-file.js';
import type { ImportStore, StateChanges } from '../ledger/store.js';
import type { Summary } from '../ledger/summary.js';
import type { RunListener } from '../run/run.js';
import { SingleThreadRun, type SingleThreadParts } from '../run/single-thread.js';
import type { AudienceName } from './identify.js';
import { planFiles, readPlan } from './plan-source.js';
import type { AudienceStore, Plan } from './store.js';

export interface PlanParts extends Pick<
  SingleThreadParts,
  'clock' | 'rate' | 'openTarget' | 'group' | 'urls' | 'onProblem'
> {
  readonly name: AudienceName;
  readonly plan: Plan;
  readonly store: AudienceStore;
  /** The progress of sending this plan. */
  readonly progress: ImportStore;
  readonly deadLetters: DeadLetterFile;
  readonly onDown: RunListener['down'];
  readonly onRefused: RunListener['refused'];
  /** Called at each step of a commit, for tests that kill the process between two of them. */
  readonly onStep?: ((step: CommitStep) => void) | undefined;
}

/** A plan is sent like an import of its events, with the same ledger, so that it is resumable. */
export class PlanRun extends SingleThreadRun {
  readonly #store: AudienceStore;

  /** @throws StateError when the state cannot be written. */
  constructor(given: PlanParts) {
    const { name, plan, store, progress, deadLetters, onDown, onRefused, onStep, ...parts } = given;
    const files = planFiles(plan, name);
    const committer = new FailureCommitter(
      new StoreCommitter(progress, deadLetters, { onStep }),
      store,
    );
    super({
      ...{ ...parts, files, committer, store: progress, deadLetterPath: deadLetters.path },
      openSource: () => readPlan(store, plan, name, progress.checkpoint()),
      listener: { down: onDown, refused: onRefused, counted: none, next: none, broken: none },
      isSelected: () => true,
      limit: Infinity,
      stamp: { ids: 'keep', seed: '' },
      canReread: () => false,
      isResumable: true,
      isOrdered: false,
      onProblem: (outcome, item) => {
        if (item.origin.file === files[1]) committer.failed(item.origin.line);
        parts.onProblem?.(outcome, item);
      },
    });
    this.#store = store;
  }

  /** Applies the plan to the state of the audience, if all of it has ended. */
  override finish(hasReadAll: boolean): Summary {
    const summary = super.finish(hasReadAll);
    if (hasReadAll && summary.pending === 0) this.#store.applyPlan();
    return summary;
  }
}

const none = (): void => undefined;

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
