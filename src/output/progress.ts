import type { Writable } from 'node:stream';
import { progressText, type RunState } from './progress-text.js';
import { RecentRate } from './recent-rate.js';

export interface Progress {
  /** Writes a line above the live one. */
  say(text: string): void;
  stop(): void;
}

export interface ProgressOptions {
  /** Whether the live line may have colors. */
  readonly hasColors: boolean;
  /** The most events per second that the run sends. */
  readonly maxRate?: number | undefined;
}

/** How often rates are measured, and the live line of a terminal is redrawn. */
const redrawMs = 200;
/** How often a line is written elsewhere. */
const lineMs = 5_000;
/** The spinner and a space are before the text; a full last column would wrap on some terminals. */
const usedColumns = 3;

type Stream = Writable & { isTTY?: boolean; columns?: number };

/** Shows the progress of a run on standard error. */
export async function showProgress(
  stream: Stream,
  state: () => RunState,
  options: ProgressOptions,
): Promise<Progress> {
  const view = new View(state, options.maxRate);
  // Some pseudo-terminals report zero columns; ora would clear lines forever there.
  return stream.isTTY && stream.columns
    ? liveLine(stream, view, options.hasColors)
    : plainLines(stream, view);
}

/** The text of the line, with rates measured at each call of `measure`. */
class View {
  readonly #state: () => RunState;
  readonly #maxRate: number | undefined;
  readonly #sent = new RecentRate();
  /** How many events were read: they have ended, or wait for a retry. */
  readonly #handled = new RecentRate();

  constructor(state: () => RunState, maxRate: number | undefined) {
    this.#state = state;
    this.#maxRate = maxRate;
    this.measure();
  }

  measure(): void {
    const { sent, ended, waiting } = this.#state();
    this.#sent.note(performance.now(), sent);
    this.#handled.note(performance.now(), ended + waiting);
  }

  text(columns?: number): string {
    const rates = { sent: this.#sent.perSecond(), handled: this.#handledPerSecond() };
    return progressText(this.#state(), rates, columns);
  }

  /** A rate that is kept is known better than it can be measured. */
  #handledPerSecond(): number | undefined {
    const measured = this.#handled.forEstimate();
    const limit = this.#maxRate;
    if (measured === undefined || limit === undefined) return measured;
    return this.#handled.isAt(limit) ? limit : measured;
  }
}

async function liveLine(stream: Stream, view: View, hasColors: boolean): Promise<Progress> {
  const { default: ora } = await import('ora');
  const text = (): string => view.text((stream.columns ?? 80) - usedColumns);
  // ora must not handle Ctrl-C, nor change the echo and cursor of the terminal.
  const spinner = ora({
    ...{ stream, text: text(), color: hasColors ? 'cyan' : false },
    ...{ discardStdin: false, hideCursor: false },
  }).start();
  const timer = setInterval(() => {
    view.measure();
    spinner.text = text();
  }, redrawMs);
  return {
    say: (line) => {
      spinner.clear();
      stream.write(`${line}\n`);
      spinner.render();
    },
    stop: () => {
      clearInterval(timer);
      spinner.stop();
    },
  };
}

/** A line that says the same as the one before is left out. */
function plainLines(stream: Stream, view: View): Progress {
  let last = '';
  const write = (): void => {
    const text = view.text();
    if (text !== last) stream.write(`${text}\n`);
    last = text;
  };
  const timers = [setInterval(() => view.measure(), redrawMs), setInterval(write, lineMs)];
  return {
    say: (line) => stream.write(`${line}\n`),
    stop: () => timers.forEach((timer) => clearInterval(timer)),
  };
}
