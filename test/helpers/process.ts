import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Summary } from '../../src/ledger/summary.js';
import { ended, start, type CliResult } from './cli.js';
import type { ReceiverResponse, ReceivedRequest } from './receiver.js';

/** A run of `import` that a test can interrupt. */
export interface ImportProcess {
  readonly child: ChildProcessWithoutNullStreams;
  /** Resolves at its end, with all output. */
  readonly ended: Promise<CliResult>;
  /** Sends a signal, and waits for the end. */
  readonly stop: (signal: NodeJS.Signals) => Promise<CliResult>;
}

/** Starts `import` with these arguments. */
export function startImport(args: readonly string[], cwd: string): ImportProcess {
  return watched(start(['import', ...args, '--json'], { cwd }));
}

/** The same, of a process that was started already. */
export function watched(child: ChildProcessWithoutNullStreams): ImportProcess {
  const end = ended(child);
  const stop = (signal: NodeJS.Signals): Promise<CliResult> => {
    child.kill(signal);
    return end;
  };
  return { child, ended: end, stop };
}

/** Runs `import` to its end. */
export function runImport(args: readonly string[], cwd: string): Promise<CliResult> {
  const { child, ended: end } = startImport(args, cwd);
  child.stdin.end();
  return end;
}

/** The summary that a run has printed with `--json`. */
export function summaryOf({ stdout, stderr }: CliResult): Summary {
  const last = stdout.trim().split('\n').at(-1) ?? '';
  if (!last.includes('"summary"')) throw new Error(`no summary; standard error was: ${stderr}`);
  return JSON.parse(last) as Summary;
}

/** Everything that was read is in exactly one of the other counts. */
export function addsUp({ read, delivered, rejected, failed, skipped, pending }: Summary): boolean {
  return read === delivered + rejected + failed + skipped + pending;
}

/** The lines of the dead-letter file that a summary names, in the order of the input. */
export function deadLines({ deadLetter }: Summary, cwd: string): number[] {
  if (deadLetter === null) return [];
  const deadLetters = readFileSync(join(cwd, deadLetter), 'utf8').trim().split('\n');
  return deadLetters
    .map((text) => (JSON.parse(text) as { line: number }).line)
    .sort((a, b) => a - b);
}

/** A valid event, known by its messageId: `m7`. */
export function event(n: number, more = ''): string {
  return `{"type":"track","userId":"u${n % 20}","event":"E","messageId":"m${n}","timestamp":"2026-01-01T00:00:00Z","properties":{"n":${n}}${more}}`;
}

/** Lines of events from `first` on. */
export function events(count: number, first = 0): string {
  return Array.from({ length: count }, (_, i) => `${event(first + i)}\n`).join('');
}

/** Whether a line of `mixedLines` is not an event. */
export const isBad = (n: number): boolean => n % 97 === 13;

/** Events of all kinds, mixed with invalid lines. */
export function mixedLines(count: number, more = ''): string[] {
  return Array.from({ length: count }, (_, n) => {
    if (isBad(n)) return 'not json';
    const text = event(n, more);
    return n % 5 === 0 ? text.replace(/"messageId":"m\d+",/, '') : text;
  });
}

interface Sent {
  readonly messageId: string;
  readonly properties: { readonly n: number };
}

/** Records which events were sent and accepted, by the number in the properties of each event. */
export class Witness {
  /** How often each event got a 2xx. */
  readonly accepted = new Map<number, number>();
  /** How often each event was received. */
  readonly seen = new Map<number, number>();
  /** All messageIds of each event. */
  readonly ids = new Map<number, Set<string>>();
  /** All bodies of each event; not for batches. */
  readonly bodies = new Map<number, Set<string>>();

  /** A responder for `startReceiver`; `statusOf` is called once per request. */
  responding(
    statusOf: (numbers: readonly number[], index: number) => number | undefined = () => 200,
  ): (request: ReceivedRequest, index: number) => ReceiverResponse | undefined {
    return ({ body }, index) => {
      const text = body.toString('utf8');
      const parsed = JSON.parse(text) as (Sent & { batch?: Sent[] }) | Sent[];
      const batch = Array.isArray(parsed) ? parsed : parsed.batch;
      const items = batch ?? [parsed as Sent];
      const numbers = items.map(({ properties }) => properties.n);
      const status = statusOf(numbers, index);
      for (const item of items) this.#note(item, batch ? undefined : text, status);
      if (status === undefined) return undefined;
      return { status, ...(status === 503 && { headers: { 'retry-after': '1' } }) };
    };
  }

  /** Whether this event is new and the `count`-th that was received. */
  completes(count: number, n: number): boolean {
    return !this.seen.has(n) && this.seen.size === count - 1;
  }

  /** The number of duplicate deliveries. */
  get doubled(): number {
    let sum = 0;
    for (const times of this.accepted.values()) sum += times - 1;
    return sum;
  }

  /** The events of the first `count` that were never accepted. */
  missing(count: number): number[] {
    return Array.from({ length: count }, (_, n) => n).filter((n) => !this.accepted.has(n));
  }

  #note({ messageId, properties: { n } }: Sent, body: string | undefined, status = 0): void {
    add(this.ids, n, messageId);
    if (body !== undefined) add(this.bodies, n, body);
    this.seen.set(n, (this.seen.get(n) ?? 0) + 1);
    if (status >= 200 && status < 300) this.accepted.set(n, (this.accepted.get(n) ?? 0) + 1);
  }
}

function add(sets: Map<number, Set<string>>, n: number, text: string): void {
  const set = sets.get(n);
  if (set) set.add(text);
  else sets.set(n, new Set([text]));
}
