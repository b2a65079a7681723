import { captureLine } from '../../listen/capture.js';
import { explanationOf } from '../../listen/explanation.js';
import type { ExpectationResult } from '../../listen/expectations.js';
import type { Stats } from '../../api/listen.js';
import type { Watcher } from '../../listen/journal.js';
import { printable } from '../../output/printable.js';
import { count } from '../../output/progress.js';
import { colors, type Paint } from '../../output/text.js';
import type { Io } from '../shared/command.js';
import { print, say, type OutputFlags } from '../shared/flags.js';
import { LineOutput } from '../shared/line-output.js';
import { requestLines } from './lines.js';

/** The output of `listen`: requests and the summary on standard output, everything else on standard error. */
export class ListenReport {
  readonly #flags: OutputFlags;
  readonly #io: Io;
  readonly #paint: Paint;
  readonly #lines: LineOutput;

  private constructor(flags: OutputFlags, io: Io, paint: Paint) {
    this.#flags = flags;
    this.#io = io;
    this.#paint = paint;
    this.#lines = new LineOutput(io.stdout);
  }

  static async open(flags: OutputFlags, io: Io): Promise<ListenReport> {
    return new ListenReport(flags, io, await colors(io.stdout, io.env, flags.color));
  }

  /** A message, unless `--quiet`. */
  note(text: string): void {
    if (!this.#flags.quiet) say(this.#io, printable(text));
  }

  /** Printed in every mode, even with `--quiet`: the caller may wait for it. */
  ready(url: string): void {
    const inspector = `${url}/_evfwd/`;
    if (this.#flags.json) print(this.#io, JSON.stringify({ type: 'ready', url, inspector }));
    else say(this.#io, `listening at ${url}, inspector at ${inspector}`);
  }

  /** Prints each request as it arrives. */
  get watcher(): Watcher {
    if (this.#flags.json) {
      return { added: (received) => this.#lines.print(captureLine(received)) };
    }
    return {
      added: (received, notes) => {
        for (const line of requestLines(received, notes, this.#paint)) this.#lines.print(line);
      },
    };
  }

  /** With `--verbose`: why a signature is not valid. */
  explainer(secret: string | Buffer | undefined): Watcher {
    if (!this.#flags.verbose) return {};
    return {
      added: (received) => {
        if (received.signature !== 'invalid') return;
        this.note(`${received.id}: ${explanationOf(received, secret) ?? ''}`);
      },
    };
  }

  conclude(stats: Stats, expectations: readonly ExpectationResult[]): void {
    this.#lines.flush();
    if (this.#flags.json) {
      const { requests, events, bytes, byType, bySignature, byStatus } = stats;
      const counts = { requests, events, bytes, byType, bySignature, byStatus };
      print(this.#io, JSON.stringify({ type: 'summary', ...counts, expectations }));
      return;
    }
    print(this.#io, summaryText(stats));
    for (const result of expectations) print(this.#io, this.#resultText(result));
  }

  #resultText({ expect, count: received, met }: ExpectationResult): string {
    const mark = met ? this.#paint.green('✓') : this.#paint.red('✗');
    return `${mark} ${printable(expect)} (${count(received)} received)`;
  }
}

/** `12 requests, 14 events; signatures: 10 valid, 2 invalid` */
function summaryText({ requests, events, bySignature }: Stats): string {
  const { valid, invalid, missing } = bySignature;
  const parts = Object.entries({ valid, invalid, missing }).filter(([, number]) => number > 0);
  const signatures = parts.map(([verdict, number]) => `${count(number)} ${verdict}`).join(', ');
  const counts = `${countOf(requests, 'request')}, ${countOf(events, 'event')}`;
  return signatures === '' ? counts : `${counts}; signatures: ${signatures}`;
}

function countOf(number: number, what: string): string {
  return `${count(number)} ${what}${number === 1 ? '' : 's'}`;
}
