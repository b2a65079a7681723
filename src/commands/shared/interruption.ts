import { setTimeout as wait } from 'node:timers/promises';

const exitCodeOf = { SIGINT: 130, SIGTERM: 143 } as const;
type Signal = keyof typeof exitCodeOf;

/**
 * Ctrl-C and SIGTERM: the first asks the run to end in order, the second ends the process at once.
 */
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

  /** What the process ends with; undefined when nothing has interrupted it. */
  get exitCode(): number | undefined {
    return this.#first && exitCodeOf[this.#first];
  }

  /** Waits, but no longer than to the first signal. */
  readonly sleep = async (ms: number): Promise<void> => {
    await wait(ms, undefined, { signal: this.signal }).catch(() => undefined);
  };

  /** Signals do again what they do by themselves. */
  end(): void {
    for (const signal of signals) process.off(signal, this.#receive);
  }

  readonly #receive = (signal: NodeJS.Signals): void => {
    if (this.#first) process.exit(exitCodeOf[signal as Signal]);
    this.#first = signal as Signal;
    this.#onFirst();
    this.#controller.abort();
  };
}

const signals = Object.keys(exitCodeOf) as Signal[];
