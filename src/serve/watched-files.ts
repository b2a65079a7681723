import { watchFile } from './routing-file.js';

/** Reports changes to any number of files, of which there may be others later. */
export class WatchedFiles {
  readonly #onChange: () => void;
  readonly #unwatch = new Map<string, () => void>();
  #isClosed = false;

  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  /** Only these are watched from now on. */
  set(paths: readonly string[]): void {
    if (this.#isClosed) return;
    const wanted = new Set(paths);
    for (const [path, unwatch] of this.#unwatch) {
      if (wanted.has(path)) continue;
      unwatch();
      this.#unwatch.delete(path);
    }
    for (const path of wanted) {
      if (!this.#unwatch.has(path)) this.#watch(path);
    }
  }

  close(): void {
    this.set([]);
    this.#isClosed = true;
  }

  #watch(path: string): void {
    try {
      this.#unwatch.set(path, watchFile(path, this.#onChange));
    } catch {
      // In a folder that is not there, or cannot be watched: it is read again at SIGHUP.
    }
  }
}
