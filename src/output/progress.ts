import type { Writable } from 'node:stream';

/** The state of a running import. */
export interface RunState {
  readonly read: number;
  readonly delivered: number;
  readonly failed: number;
  readonly rejected: number;
  /** Events that wait for a retry. */
  readonly waiting: number;
  /** Median latency of all attempts; null before the first. */
  readonly medianMs: number | null;
  /** Share of the input that was read, 0 to 1; undefined when its size is unknown. */
  readonly share: number | undefined;
}

export interface Progress {
  /** Writes a line above the live one. */
  say(text: string): void;
  stop(): void;
}

/** How often the live line of a terminal is redrawn; elsewhere, how often a line is written. */
const redrawMs = 200;
const lineMs = 5_000;

type Stream = Writable & { isTTY?: boolean; columns?: number };

/** Shows the progress of a run on standard error. */
export async function showProgress(stream: Stream, state: () => RunState): Promise<Progress> {
  const startedAt = performance.now();
  const text = (): string => progressText(state(), (performance.now() - startedAt) / 1000);
  // Some pseudo-terminals report zero columns; ora would clear lines forever there.
  return stream.isTTY && stream.columns ? liveLine(stream, text) : plainLines(stream, text);
}

async function liveLine(stream: Stream, text: () => string): Promise<Progress> {
  const { default: ora } = await import('ora');
  // ora must not handle Ctrl-C, nor change the echo and cursor of the terminal.
  const spinner = ora({ stream, text: text(), discardStdin: false, hideCursor: false }).start();
  const timer = setInterval(() => (spinner.text = text()), redrawMs);
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

function plainLines(stream: Stream, text: () => string): Progress {
  const timer = setInterval(() => stream.write(`${text()}\n`), lineMs);
  return { say: (line) => stream.write(`${line}\n`), stop: () => clearInterval(timer) };
}

/** `12,345 events  4,115/s  3 failed  1.2 ms  41%, 18 s left` */
export function progressText(state: RunState, seconds: number): string {
  const { read, delivered, failed, rejected, waiting, medianMs, share } = state;
  const rate = seconds > 0 ? Math.round(delivered / seconds) : 0;
  const parts = [`${count(read)} events`, `${count(rate)}/s`];
  if (waiting > 0) parts.push(`${count(waiting)} ${waiting === 1 ? 'retry' : 'retries'} pending`);
  if (failed > 0) parts.push(`${count(failed)} failed`);
  if (rejected > 0) parts.push(`${count(rejected)} rejected`);
  if (medianMs !== null) parts.push(`${medianMs} ms`);
  if (share !== undefined) parts.push(shareText(share, seconds));
  return parts.join('  ');
}

function shareText(share: number, seconds: number): string {
  const percent = `${Math.floor(share * 100)}%`;
  if (share < 0.005 || share >= 1) return percent;
  return `${percent}, ${durationText((seconds / share) * (1 - share))} left`;
}

/** `45 s`, `3 min 20 s`, `2 h 5 min`. */
export function durationText(seconds: number): string {
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole} s`;
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  return `${Math.floor(whole / 3600)} h ${Math.floor((whole % 3600) / 60)} min`;
}

/** Digits in groups of three. `toLocaleString` would take 15 ms to load its tables. */
export function count(value: number): string {
  return String(Number(value.toFixed(3))).replace(/\B(?<!\.\d*)(?=(?:\d{3})+(?!\d))/g, ',');
}
