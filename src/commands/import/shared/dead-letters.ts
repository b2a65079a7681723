import { StateError, UsageError } from '../../../errors.js';
import { DeadLetterCopy, type ReadDeadLetters } from '../../../importer/shared/dead-letter-copy.js';
import { claimDeadLetters } from '../../../ledger/claim-dead-letters.js';
import type { Lock } from '../../../storage/lock.js';

/**
 * The dead-letter file of a run. Only one process at a time writes to it: of several planners, the others
 * wait until it has ended, and then add what is still missing.
 */
export class DeadLetterOutput {
  readonly path: string;
  readonly #copy: DeadLetterCopy;
  #lock: Lock | undefined;

  constructor(path: string, read: ReadDeadLetters, lock?: Lock) {
    this.path = path;
    this.#lock = lock;
    this.#copy = new DeadLetterCopy(path, read);
  }

  /**
   * Writes all dead letters so far; false if another process is writing to the file.
   * @throws StateError when it cannot be written.
   */
  async update(): Promise<boolean> {
    this.#lock ??= claim(this.path, toStateError);
    if (!this.#lock) return false;
    await this.#copy.copy();
    return true;
  }

  close(): void {
    try {
      this.#copy.close();
    } finally {
      this.#lock?.release();
    }
  }
}

/**
 * Locks a file of `--dead-letter` before anything is planned; undefined if another process has it.
 * @throws UsageError when it cannot be written.
 */
export function claimEarly(path: string): Lock | undefined {
  return claim(path, (error) => error);
}

function claim(
  path: string,
  convert: (error: UsageError, path: string) => Error,
): Lock | undefined {
  try {
    return claimDeadLetters(path);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    if (error.code === 'locked') return undefined;
    throw convert(error, path);
  }
}

/** The run goes on by then, so this is no usage error. */
function toStateError(error: UsageError, path: string): StateError {
  const { code = 'unknown error' } = (error.cause ?? {}) as NodeJS.ErrnoException;
  return new StateError(
    `${path}: the dead-letter file cannot be written (${code}); make room or choose another path, then run again`,
    { cause: error },
  );
}
