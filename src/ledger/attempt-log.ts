import ndjson from 'ndjson';
import { systemClock, type Clock } from '../clock.js';
import type { AttemptResult } from '../delivery/outcome.js';
import { StateError, UsageError } from '../errors.js';
import { LogFile } from '../storage/log-file.js';
import { withResolvers, type OpenPromise } from '../with-resolvers.js';

/** So many attempts wait for the file before the run is asked to wait. */
const maxBuffered = 1_000;
/** After Ctrl-C, a reader has so long to take what is left. */
const graceMs = 500;

/** Writes `--log`: one flat line an attempt. */
export class AttemptLog {
  readonly #path: string;
  readonly #clock: Clock;
  readonly #lines = ndjson.stringify({ highWaterMark: maxBuffered });
  readonly #file: LogFile;
  readonly #ended = withResolvers();
  #given = 0;
  #isFull = false;
  #isStopped = false;
  #room: OpenPromise | undefined;
  #failure: StateError | undefined;

  /**
   * `goesOn` adds to what an earlier run of the same import has logged, and ends a line that a crash has
   * cut short; else the file begins anew.
   * @throws UsageError when the file cannot be made.
   */
  constructor(path: string, resumes = false, clock: Clock = systemClock) {
    this.#path = path;
    this.#clock = clock;
    this.#file = open(path, !resumes, clock);
    this.#file.on('error', (cause) => this.#fail(cause));
    this.#file.on('close', () => this.#ended.resolve());
    this.#lines.on('drain', () => this.#letIn());
    this.#lines.pipe(this.#file);
  }

  write(result: AttemptResult, messageId: string): void {
    if (this.#failure) return;
    const { at, url, attempt, status, error, verdict, durationMs } = result;
    this.#given++;
    const line = {
      type: 'attempt',
      at: new Date(at).toISOString(),
      messageId,
      url,
      attempt,
      status,
      error,
      verdict,
      durationMs: Math.round(durationMs * 1000) / 1000,
    };
    if (!this.#lines.write(line)) this.#isFull = true;
  }

  /** Undefined while more may be logged, else a promise that settles when it may: the file is slow. */
  room(): Promise<void> | undefined {
    if (!this.#isFull || this.#isStopped) return undefined;
    this.#room ??= withResolvers();
    return this.#room.promise;
  }

  /** Nothing new is sent, so nobody has to wait for room. */
  stop(): void {
    this.#isStopped = true;
    this.#letIn();
  }

  /**
   * Waits until the file has every line, or, once `interrupted` is aborted, half a second more. Resolves
   * with the number of lines that could not be written: 0 unless it was interrupted.
   * @throws StateError when the file could not be written.
   */
  async close(interrupted?: AbortSignal): Promise<number> {
    this.#lines.end();
    const giveUp = (): void => this.#giveUpLater();
    if (interrupted?.aborted) giveUp();
    else interrupted?.addEventListener('abort', giveUp, { once: true });
    await this.#ended.promise;
    interrupted?.removeEventListener('abort', giveUp);
    if (this.#failure) throw this.#failure;
    return this.#given - this.#file.linesWritten;
  }

  /** Ends the writing where it is; what is not written then is lost. */
  abandon(): void {
    this.#file.destroy();
  }

  #giveUpLater(): void {
    const cancel = this.#clock.after(graceMs, () => this.abandon());
    void this.#ended.promise.then(cancel);
  }

  #letIn(): void {
    this.#isFull = false;
    this.#room?.resolve();
    this.#room = undefined;
  }

  #fail(cause: unknown): void {
    const message = `--log ${this.#path}: cannot be written (${codeOf(cause)}); make room or choose another place`;
    this.#failure = new StateError(message, { cause });
    this.stop();
  }
}

function open(path: string, isNew: boolean, clock: Clock): LogFile {
  try {
    return new LogFile({ path, isNew, clock });
  } catch (cause) {
    const message = `--log ${path}: cannot be written (${codeOf(cause)}); choose another place`;
    throw new UsageError(message, 'log_not_written', { cause });
  }
}

function codeOf(cause: unknown): string {
  return (cause as NodeJS.ErrnoException).code ?? 'unknown error';
}
