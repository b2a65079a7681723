import { setTimeout as wait } from 'node:timers/promises';

const exitCodeOf = { SIGINT: 130, SIGTERM: 143 } as const;
const quitSoonMs = 1_000;
type Signal = keyof typeof exitCodeOf;

/** Ctrl-C and SIGTERM: the first asks the run to stop in order, the second ends the process at once. */
export class Interruption {
  readonly #controller = new AbortController();
  readonly #onFirst: () => void;
  #first: Signal | undefined;

  constructor(onFirst: () => void) {
    this.#onFirst = onFirst;
    for (const signal of signals) process.on(signal, this.#receive);
  }

  /** Aborted at the first signal. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** The exit code of the signal; undefined if there was none. */
  get exitCode(): number | undefined {
    return this.#first && exitCodeOf[this.#first];
  }

  /** Ends the run in order, as the first signal does, but without an exit code. */
  stop(): void {
    this.#controller.abort();
  }

  /** Waits, at most until the first signal. */
  readonly sleep = async (ms: number): Promise<void> => {
    await wait(ms, undefined, { signal: this.signal }).catch(() => undefined);
  };

  /** Restores the default handling of signals. */
  end(): void {
    for (const signal of signals) process.off(signal, this.#receive);
  }

  /** Ends the process at once, as the second signal does: for work that cannot end in order. */
  quit(code: number): never {
    process.exit(code);
  }

  /** Ends the process in a second, whatever still waits then; it may end earlier by itself. */
  quitSoon(): void {
    setTimeout(() => process.exit(), quitSoonMs).unref();
  }

  readonly #receive = (signal: NodeJS.Signals): void => {
    if (this.#first) process.exit(exitCodeOf[signal as Signal]);
    this.#first = signal as Signal;
    this.#onFirst();
    this.#controller.abort();
  };
}

const signals = Object.keys(exitCodeOf) as Signal[];
