import ndjson from 'ndjson';
import { systemClock, type Clock } from '../clock.js';
import type { AttemptResult } from '../delivery/outcome.js';
import { toMicroseconds } from '../duration.js';
import { StateError, UsageError } from '../errors.js';
import { LogFile } from '../storage/log-file.js';
import { withResolvers, type OpenPromise } from '../with-resolvers.js';

/** How many attempts may wait for the file before the run has to wait. */
const maxBuffered = 1_000;
/** After Ctrl-C, a reader has this long to read the rest. */
const graceMs = 500;

/** Writes `--log`: one line per attempt, flat but for what a response that is no 2xx said. */
export class AttemptLog {
  readonly #path: string;
  readonly #clock: Clock;
  readonly #lines = ndjson.stringify({ highWaterMark: maxBuffered });
  readonly #file: LogFile;
  readonly #ended = withResolvers();
  #linesGiven = 0;
  #isFull = false;
  #isStopped = false;
  #room: OpenPromise | undefined;
  #failure: StateError | undefined;

  /**
   * `resumes`: append to the log of an earlier run of the same import, after ending a line that a crash
   * truncated; else the file is overwritten.
   * @throws UsageError when the file cannot be created.
   */
  constructor(path: string, resumes = false, clock: Clock = systemClock) {
    this.#path = path;
    this.#clock = clock;
    this.#file = open(path, !resumes, clock);
    this.#file.on('error', (cause) => this.#fail(cause));
    this.#file.on('close', () => this.#ended.resolve());
    this.#lines.on('drain', () => this.#resume());
    this.#lines.pipe(this.#file);
  }

  write(result: AttemptResult, messageId: string): void {
    if (this.#failure) return;
    const { at, url, attempt, status, error, verdict, durationMs, response } = result;
    this.#linesGiven++;
    const line = {
      type: 'attempt',
      at: new Date(at).toISOString(),
      messageId,
      url,
      attempt,
      status,
      error,
      verdict,
      durationMs: toMicroseconds(durationMs),
      response,
    };
    if (!this.#lines.write(line)) this.#isFull = true;
  }

  /** Undefined while more may be logged; else the file is slow, and a promise settles when it has room. */
  room(): Promise<void> | undefined {
    if (!this.#isFull || this.#isStopped) return undefined;
    this.#room ??= withResolvers();
    return this.#room.promise;
  }

  /** Resolves `room`: nothing more is sent. */
  stop(): void {
    this.#isStopped = true;
    this.#resume();
  }

  /**
   * Waits until the file has every line, but at most half a second after `interrupted` is aborted.
   * Resolves with the number of lines that were not written: 0 unless interrupted.
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
    return this.#linesGiven - this.#file.linesWritten;
  }

  /** Stops writing at once; lines not written yet are lost. */
  abandon(): void {
    this.#file.destroy();
  }

  #giveUpLater(): void {
    const cancel = this.#clock.after(graceMs, () => this.abandon());
    void this.#ended.promise.then(cancel);
  }

  #resume(): void {
    this.#isFull = false;
    this.#room?.resolve();
    this.#room = undefined;
  }

  #fail(cause: unknown): void {
    const message = `--log ${this.#path}: cannot be written (${codeOf(cause)}); make room or choose another path`;
    this.#failure = new StateError(message, { cause });
    this.stop();
  }
}

function open(path: string, isNew: boolean, clock: Clock): LogFile {
  try {
    return new LogFile({ path, isNew, clock });
  } catch (cause) {
    const message = `--log ${path}: cannot be written (${codeOf(cause)}); choose another path`;
    throw new UsageError(message, 'log_not_written', { cause });
  }
}

function codeOf(cause: unknown): string {
  return (cause as NodeJS.ErrnoException).code ?? 'unknown error';
}
