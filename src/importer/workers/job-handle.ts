import { EvfwdError } from '../../errors.js';
import type { Range } from '../../sources/range.js';
import type { StartedJob } from './job-thread.js';
import type { JobPort } from './local-channel.js';
import type { WorkerFailure, WorkerCommand, WorkerReport } from './messages.js';

/** How many ranges a job has at once: the current one and the next. */
const rangesAhead = 2;

/** How a job ended. */
export interface JobEnd {
  /** Whether nothing is left of its ranges and retries. */
  readonly hasReadAll: boolean;
}

/** One job in a worker thread, seen from the thread that started it. */
export class JobHandle {
  readonly #port: JobPort;
  /** @throws the error that ended the job, when all its reports have been handled */
  readonly ended: Promise<JobEnd>;
  #wanted = rangesAhead;
  #wake: () => void = () => undefined;
  #isOver = false;

  /** `onReport` gets all reports but those about the job itself. */
  constructor({ port, died }: StartedJob, onReport: (report: WorkerReport) => void) {
    this.#port = port;
    this.ended = this.#untilEnded(died, onReport);
  }

  /**
   * Hands over what `next` returns, whenever the job is ready for more, until that is undefined.
   * @throws the error of `next`; the job ends what it has, unless it is stopped
   */
  async feed(next: () => Promise<Range | undefined>): Promise<void> {
    try {
      while (await this.#wants()) {
        const range = await next();
        if (!range) break;
        this.#wanted--;
        this.publish({ kind: 'range', range }, [range.bytes.buffer]);
      }
    } finally {
      this.publish({ kind: 'end' });
    }
  }

  /** Sends nothing new; what is in flight may finish. */
  stop(): void {
    this.#leave();
    this.publish({ kind: 'stop' });
  }

  publish(command: WorkerCommand, transfer: ArrayBuffer[] = []): void {
    this.#port.postMessage(command, transfer);
  }

  /** Resolves with true when it is ready for another range, or with false when it is over. */
  async #wants(): Promise<boolean> {
    while (this.#wanted === 0 && !this.#isOver) {
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
    return !this.#isOver;
  }

  /** The port is closed after the last report, also if the thread has thrown. */
  async #untilEnded(
    died: Promise<unknown>,
    onReport: (report: WorkerReport) => void,
  ): Promise<JobEnd> {
    let end: Extract<WorkerReport, { kind: 'ended' }> | undefined;
    this.#port.on('message', (report: WorkerReport) => {
      if (report.kind === 'want') this.#want();
      else if (report.kind === 'ended') end = report;
      else onReport(report);
    });
    await new Promise<void>((resolve) => this.#port.once('close', resolve));
    this.#leave();
    if (!end) throw await died;
    if (end.failure) throw errorOf(end.failure);
    return { hasReadAll: end.hasReadAll };
  }

  #want(): void {
    this.#wanted++;
    this.#wake();
  }

  #leave(): void {
    this.#isOver = true;
    this.#wake();
  }
}

function errorOf({ code, message, exitCode }: WorkerFailure): EvfwdError {
  return new EvfwdError(code, message, exitCode);
}
