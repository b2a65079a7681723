import type { RunRecord } from '../run-record.js';
import { missingFiles, type FilesHere, type MissingFiles } from './planned-file.js';

interface Look {
  /** Undefined while it is under way. */
  readonly result?: { readonly missing: MissingFiles | undefined };
  /** By the monotonic clock, when it ended. */
  readonly at?: number;
}

/**
 * Which files of runs are missing here. A run may have very many on a slow volume, so they are looked at beside
 * everything else, and anew only after some time.
 */
export class FileLooks {
  readonly #looks = new Map<string, Look>();
  readonly #options: FileLooksOptions;

  constructor(options: FileLooksOptions) {
    this.#options = options;
  }

  /** The result of the last look; undefined before the first one has ended, which `onLooked` tells. */
  of({ id, plan }: Pick<RunRecord, 'id' | 'plan'>, here: FilesHere): Look['result'] {
    const look = this.#looks.get(id);
    const { now, againAfterMs, onLooked } = this.#options;
    const isOld = look?.at !== undefined && now() - look.at >= againAfterMs;
    if (look && !isOld) return look.result;
    this.#looks.set(id, look?.result ? { result: look.result } : {});
    void missingFiles(plan.files, here).then((missing) => {
      this.#looks.set(id, { result: { missing }, at: now() });
      if (!look) onLooked();
    });
    return look?.result;
  }

  /** Forgets all runs but these. */
  keep(runs: readonly Pick<RunRecord, 'id'>[]): void {
    const ids = new Set(runs.map(({ id }) => id));
    for (const id of this.#looks.keys()) if (!ids.has(id)) this.#looks.delete(id);
  }
}

export interface FileLooksOptions {
  /** Milliseconds, monotonic. */
  readonly now: () => number;
  readonly againAfterMs: number;
  readonly onLooked: () => void;
}
