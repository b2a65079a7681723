import { captureLine } from '../../listen/capture.js';
import { explanationOf } from '../../listen/explanation.js';
import type { ExpectationResult } from '../../listen/expectations.js';
import type { Stats } from '../../api/listen.js';
import type { Notes } from '../../listen/notes.js';
import type { ReceivedRequest } from '../../listen/received-request.js';
import type { Watcher } from '../../listen/journal.js';
import type { MemoryLimiter } from '../../listen/memory-limiter.js';
import { pathWithoutQuery } from '../../receive/rules/path-pattern.js';
import type { Verification } from '../../receive/verification.js';
import { printable } from '../../output/printable.js';
import { wrapped } from '../../output/columns.js';
import { count, countOf } from '../../output/numbers.js';
import { colors, type Paint } from '../../output/text.js';
import type { Io } from '../shared/command.js';
import type { OutputFlags } from '../flags/output.js';
import { print, say } from '../shared/output.js';
import { LineOutput } from '../shared/line-output.js';
import { bodyLines } from './body-lines.js';
import { NewestLayout } from './layout.js';
import { headingLine, requestLines } from './lines.js';
import { hasNotes } from './response-notes.js';

interface ListenOutputFlags extends OutputFlags {
  printBody?: boolean;
}

/** Bytes for each character of output that waits: two in the text, and two in its copy. */
const memoryPerChar = 4;

/** The output of `listen`: requests and the summary on standard output, everything else on standard error. */
export class ListenReport {
  readonly #flags: ListenOutputFlags;
  readonly #io: Io;
  readonly #paint: Paint;
  readonly #lines: LineOutput;
  readonly #layouts = new NewestLayout();
  #firstPath: string | undefined;
  /** From then on lines show the path. */
  #hasSeveralPaths = false;
  /** From then on lines show the user. */
  #hasUser = false;
  #headings = '';
  /** From then on lines have room for notes beside the response. */
  #hasNotes = false;

  private constructor(flags: ListenOutputFlags, io: Io, paint: Paint, memory: MemoryLimiter) {
    this.#flags = flags;
    this.#io = io;
    this.#paint = paint;
    this.#lines = new LineOutput(io.stdout, (chars) => memory.count(memoryPerChar * chars));
  }

  /** @param memory counts output that has not been read */
  static async open(
    flags: ListenOutputFlags,
    io: Io,
    memory: MemoryLimiter,
  ): Promise<ListenReport> {
    return new ListenReport(flags, io, await colors(io.stdout, io.env, flags.color), memory);
  }

  /** A message, unless `--quiet`. */
  note(text: string): void {
    if (!this.#flags.quiet) this.#say(printable(text));
  }

  /** Printed in every mode, even with `--quiet`: the caller may wait for it. */
  ready(url: string): void {
    const inspector = `${url}/_evfwd/`;
    if (this.#flags.json) print(this.#io, JSON.stringify({ type: 'ready', url, inspector }));
    else this.#say(`listening at ${url}, inspector at ${inspector}`);
  }

  /** A line of a narrow terminal is broken between words. */
  #say(text: string): void {
    for (const line of wrapped(text, this.#io.stderr.columns ?? Infinity)) say(this.#io, line);
  }

  /** Prints each request as it arrives. */
  get watcher(): Watcher {
    if (this.#flags.json) {
      return { added: (received) => this.#lines.print(captureLine(received)) };
    }
    return { added: (received, notes) => this.#show(received, notes) };
  }

  /** The width is that of now: a terminal can be resized. */
  #show(received: ReceivedRequest, notes: Notes): void {
    const path = pathWithoutQuery(received.path);
    this.#hasSeveralPaths ||= (this.#firstPath ??= path) !== path;
    this.#hasUser ||= notes.events.some(({ user }) => user !== null);
    this.#hasNotes ||= hasNotes(received);
    const layout = this.#layouts.for(this.#io.stdout.columns, {
      showsPath: this.#hasSeveralPaths,
      showsUser: this.#hasUser,
      hasNotes: this.#hasNotes,
    });
    const style = { paint: this.#paint, layout };
    this.#showHeadings(headingLine(style));
    const lines = requestLines(received, notes, style);
    if (this.#flags.printBody) lines.push(...bodyLines(received));
    for (const line of lines) this.#lines.print(line);
  }

  /** On a terminal, once, and again when other columns follow. */
  #showHeadings(headings: string): void {
    if (!this.#io.stdout.isTTY || headings === this.#headings) return;
    this.#headings = headings;
    this.#lines.print(headings);
  }

  /** With `--verbose`: why a signature is not valid. */
  explainer(verification: Verification): Watcher {
    if (!this.#flags.verbose) return {};
    return {
      added: (received) => {
        if (received.signature !== 'invalid') return;
        this.note(`${received.id}: ${explanationOf(received, verification) ?? ''}`);
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
    const width = this.#io.stdout.columns ?? Infinity;
    for (const line of wrapped(summaryText(stats), width)) print(this.#io, line);
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
