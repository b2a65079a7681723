import { createWriteStream, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { finished } from 'node:stream/promises';
import ndjson from 'ndjson';
import type { AttemptResult } from '../deliver/outcome.js';
import { StateError, UsageError } from '../errors.js';
import { makeFolder } from './make-folder.js';

/** Writes `--log`: one flat line an attempt. */
export class AttemptLog {
  readonly #lines = ndjson.stringify();
  readonly #written: Promise<void>;
  #failure: StateError | undefined;

  /**
   * `goesOn` adds to what an earlier run of the same import has logged; else the file begins anew.
   * @throws UsageError when the file cannot be made.
   */
  constructor(path: string, goesOn = false) {
    const fd = open(path, goesOn ? 'a' : 'w');
    const file = this.#lines.pipe(createWriteStream(path, { fd }));
    this.#written = finished(file).catch((cause: unknown) => {
      const message = `--log ${path}: cannot be written (${codeOf(cause)}); make room or choose another place`;
      this.#failure = new StateError(message, { cause });
    });
  }

  write(result: AttemptResult, messageId: string): void {
    if (this.#failure) return;
    const { at, url, attempt, status, error, verdict, durationMs } = result;
    this.#lines.write({
      type: 'attempt',
      at: new Date(at).toISOString(),
      messageId,
      url,
      attempt,
      status,
      error,
      verdict,
      durationMs: Math.round(durationMs * 1000) / 1000,
    });
  }

  /** @throws StateError when the file could not be written. */
  async close(): Promise<void> {
    this.#lines.end();
    await this.#written;
    if (this.#failure) throw this.#failure;
  }
}

function open(path: string, flags: 'a' | 'w'): number {
  try {
    makeFolder(dirname(path));
    return openSync(path, flags, 0o600);
  } catch (cause) {
    const message = `--log ${path}: cannot be written (${codeOf(cause)}); choose another place`;
    throw new UsageError(message, 'log_not_written', { cause });
  }
}

function codeOf(cause: unknown): string {
  return (cause as NodeJS.ErrnoException).code ?? 'unknown error';
}
