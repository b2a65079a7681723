import type { Clock } from '../clock.js';
import type { AttemptResult, Outcome } from '../deliver/outcome.js';
import type { Event, Origin, Problem } from '../events/event.js';
import { userOf } from '../events/select.js';
import type { Stamp } from '../events/stamp.js';
import type { AttemptLog } from './attempt-log.js';
import { deadLetterLine } from './dead-letter.js';
import { Histogram } from './histogram.js';
import type { LetterFile } from './letter-file.js';
import { Progress, type OpenLine } from './progress.js';
import { rereadEvent } from './reread.js';
import { retryRow, type RetryRow } from './retry-row.js';
import type { Counts, ImportStore } from './store.js';
import type { Summary } from './summary.js';

export interface LedgerOptions {
  readonly store: ImportStore;
  readonly letters: LetterFile;
  /** The inputs in their order; rows of the store name them by index. */
  readonly files: readonly string[];
  /** Whether a line can be read again at its offset: a plain file, and no transform. */
  readonly canReread: (file: number) => boolean;
  /** Whether a later run can go on with what is pending; else it goes to the dead letters. */
  readonly isResumable: boolean;
  readonly log?: AttemptLog | undefined;
  readonly clock: Clock;
  /** Hears of every event that was not delivered and not left out on purpose. */
  readonly onTrouble?: ((outcome: Outcome, item: Event | Problem) => void) | undefined;
  /** Hears of each step of a commit, for tests that end the process between two of them. */
  readonly onStep?: ((step: CommitStep) => void) | undefined;
}

export type CommitStep = 'before' | 'committed' | 'letters-written';

/** What an outcome is recorded for: a line just read, or an event that waited for a retry. */
export type Ticket = OpenLine | RetryRow;

/** Outcomes are committed together: at most so many, or so long after the first, in milliseconds. */
const groupRows = 500;
const groupMs = 5;
/** A commit blocks everything else: where the disk is slow, groups are given so many times longer. */
const groupMsPerCommitMs = 10;
const longestGroupMs = 50;

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/**
 * Where every event ends as exactly one outcome, counted and durable. Progress moves only past events
 * that are delivered, left out, or stored as a retry or dead letter, in one transaction.
 */
export class Ledger {
  readonly #options: LedgerOptions;
  readonly #progress: Progress;
  readonly #startedAt = performance.now();
  readonly #latency = new Histogram();
  readonly #before: Counts;
  readonly #counts: Mutable<Counts>;
  readonly #resumed: boolean;
  readonly #underWay = new Set<number>();
  /** Of retries whose line became several events and is open until all have ended. */
  readonly #linesOfRetries = new Map<number, OpenLine>();
  #putRetries = new Map<number, RetryRow>();
  #deleteRetries: number[] = [];
  #letters: Buffer[] = [];
  #hasLetters: boolean;
  #waiting: number;
  #nextDueAt: number;
  #lastRetryId: number;
  #retries = 0;
  #bytes = 0;
  #dirty = 0;
  #groupMs = groupMs;
  #cancelCommit: (() => void) | undefined;
  #failure: unknown;
  #onChange: () => void = () => undefined;

  /** @throws StateError when dead letters of an earlier run cannot be written. */
  constructor(options: LedgerOptions) {
    const { store, letters, files } = options;
    const place = store.place();
    this.#options = options;
    this.#progress = new Progress(files, place);
    this.#before = store.counts();
    this.#counts = { ...this.#before };
    // A line that is open is read again, with all that it became.
    store.dropRetriesOf(place.open);
    this.#waiting = store.retryCount();
    this.#nextDueAt = store.earliestRetries(1)[0]?.dueAt ?? Infinity;
    this.#lastRetryId = store.lastRetryId();
    this.#resumed = place.last.some((last) => last !== null);
    this.#hasLetters = this.#before.rejected + this.#before.failed > 0;
    letters.recover(store.letters());
  }

  /** Called after each outcome, and when recording has failed. */
  onChange(listener: () => void): void {
    this.#onChange = listener;
  }

  /** Why nothing can be recorded any more; undefined while all is well. */
  get failure(): unknown {
    return this.#failure;
  }

  /** How many events wait for a retry, those under way included. */
  get waiting(): number {
    return this.#waiting;
  }

  /** Whether every line that was taken, and every retry, has come to its end. */
  get isSettled(): boolean {
    return this.#waiting === 0 && this.#progress.openLines === 0;
  }

  /** Events read so far, by this run and earlier ones. */
  get read(): number {
    const { delivered, rejected, failed, skipped } = this.#counts;
    return delivered + rejected + failed + skipped + this.#pending;
  }

  /** Events whose fate is open, those included that this run has not come to again. */
  get #pending(): number {
    return this.#waiting + this.#progress.openLines + this.#progress.leftLines;
  }

  /** Counts of this run alone. */
  count(fate: keyof Counts): number {
    return this.#counts[fate] - this.#before[fate];
  }

  /** Median latency of all tries in milliseconds; null before the first. */
  get medianMs(): number | null {
    return this.#latency.percentile(0.5);
  }

  /** A line has been read; its outcome will follow. */
  take(origin: Origin): OpenLine {
    return this.#progress.take(origin);
  }

  attempt(result: AttemptResult, messageId: string): void {
    if (result.attempt > 1) this.#retries++;
    this.#latency.add(result.durationMs);
    this.#options.log?.write(result, messageId);
  }

  /** Records how an event ended, or that it is to be tried again. */
  close(ticket: Ticket, item: Event | Problem, stamp: Stamp | undefined, outcome: Outcome): void {
    if ('effects' in ticket) this.#closePart(ticket, item, stamp, outcome);
    else this.#closeRetry(ticket, item, outcome);
    this.#touch();
    this.#onChange();
  }

  /** When the next waiting event is due, milliseconds since 1970; Infinity when none waits. */
  get nextDueAt(): number {
    return this.#nextDueAt;
  }

  /** Takes waiting events whose time has come; their outcome is to follow. */
  takeDue(limit: number): RetryRow[] {
    const now = this.#options.clock.now();
    if (this.#nextDueAt > now) return [];
    this.commit();
    const rows = this.#options.store.earliestRetries(limit + this.#underWay.size + 1);
    const idle = rows.filter(({ id }) => !this.#underWay.has(id));
    const due = idle.slice(0, limit).filter(({ dueAt }) => dueAt <= now);
    for (const { id } of due) this.#underWay.add(id);
    this.#nextDueAt = idle[due.length]?.dueAt ?? Infinity;
    return due;
  }

  /** A URL will take nothing more: what waits for it need not wait any longer. */
  hurry(): void {
    this.commit();
    if (this.#failure !== undefined || this.#waiting === 0) return;
    this.#attempt(() => this.#options.store.hurryRetries());
    this.#nextDueAt = 0;
  }

  /** The users of events that wait for a retry, one for each event. */
  waitingUsers(): string[] {
    return this.#options.store.retryUsers();
  }

  /** Reads the text of a waiting event again. @throws UsageError when its file has changed. */
  reread(row: RetryRow): Event {
    return rereadEvent(row, this.#options.files[row.file] ?? '-');
  }

  /** Makes durable what has happened so far. Errors are kept in `failure`. */
  commit(isFinished = false): void {
    this.#cancelCommit?.();
    this.#cancelCommit = undefined;
    if ((this.#dirty === 0 && !isFinished) || this.#failure !== undefined) return;
    const startedAt = performance.now();
    this.#attempt(() => this.#write(isFinished));
    this.#groupMs = groupMsAfter(performance.now() - startedAt);
  }

  /**
   * Makes all durable and sums up. `hasReadAll` tells whether the source came to its end.
   * @throws StateError, UsageError when that cannot be written.
   */
  async finish(hasReadAll: boolean): Promise<Summary> {
    if (!this.#options.isResumable) this.#abandonRetries();
    const isFinished = hasReadAll && this.isSettled;
    this.commit(isFinished);
    // The letters of that commit are in their file now, and need not stand in the store.
    this.#dirty++;
    this.commit(isFinished);
    if (this.#failure !== undefined) throw this.#failure as Error;
    this.#options.letters.close();
    await this.#options.log?.close();
    return this.#summary();
  }

  #attempt(write: () => void): void {
    try {
      write();
    } catch (error) {
      this.#failure = error;
      this.#onChange();
    }
  }

  /** No later run can send what still waits for a retry: it goes to the dead letters. */
  #abandonRetries(): void {
    this.commit();
    if (this.#failure !== undefined) return;
    for (const row of this.#options.store.earliestRetries(this.#waiting)) {
      this.close(row, this.reread(row), row.stamp, abandoned(row));
    }
  }

  #closePart(
    line: OpenLine,
    item: Event | Problem,
    stamp: Stamp | undefined,
    outcome: Outcome,
  ): void {
    if (this.#isLeftOpen(outcome)) return;
    if (outcome.retry && stamp && line.isSplit) {
      // The other events of the line may wait for this one, so it cannot wait for them.
      const { id } = this.#putRetry(item as Event, stamp, outcome, undefined);
      this.#linesOfRetries.set(id, line);
      return;
    }
    this.#endPart(line, () => this.#apply(item, stamp, outcome, undefined));
  }

  #endPart(line: OpenLine, effect: () => void): void {
    line.effects.push(effect);
    if (--line.parts > 0) return;
    this.#progress.close(line);
    for (const apply of line.effects) apply();
  }

  #closeRetry(row: RetryRow, item: Event | Problem, outcome: Outcome): void {
    this.#underWay.delete(row.id);
    if (this.#isLeftOpen(outcome)) return;
    this.#waiting--;
    const apply = (): void => this.#apply(item, row.stamp, outcome, row);
    const line = this.#linesOfRetries.get(row.id);
    if (!outcome.retry) this.#deleteRetries.push(row.id);
    if (outcome.retry || !line) {
      apply();
      return;
    }
    this.#linesOfRetries.delete(row.id);
    this.#endPart(line, apply);
  }

  /** Interrupted before its fate was known: a later run takes it up again from the file. */
  #isLeftOpen({ verdict, retry }: Outcome): boolean {
    return verdict === 'pending' && !retry && this.#options.isResumable;
  }

  #apply(
    item: Event | Problem,
    stamp: Stamp | undefined,
    outcome: Outcome,
    row: RetryRow | undefined,
  ): void {
    const { verdict } = outcome;
    if (outcome.retry && stamp) {
      this.#putRetry(item as Event, stamp, outcome, row);
      return;
    }
    if (verdict === 'pending') this.#counts.failed++;
    else this.#counts[verdict]++;
    if (verdict === 'delivered') this.#bytes += item.bytes.length;
    else if (verdict !== 'skipped') this.#keep(item, stamp, outcome);
  }

  #putRetry(event: Event, stamp: Stamp, outcome: Outcome, row: RetryRow | undefined): RetryRow {
    const { files, canReread, isResumable } = this.#options;
    const file = row?.file ?? Math.max(0, files.indexOf(event.origin.file));
    const source = {
      file,
      user: row?.user ?? userOf(event),
      isAtPlace: row ? row.text === null : isResumable && canReread(file),
    };
    const next = retryRow(row?.id ?? ++this.#lastRetryId, event, stamp, outcome.retry!, source);
    this.#putRetries.set(next.id, next);
    this.#waiting++;
    this.#nextDueAt = Math.min(this.#nextDueAt, next.dueAt);
    return next;
  }

  #keep(item: Event | Problem, stamp: Stamp | undefined, outcome: Outcome): void {
    const line = deadLetterLine({
      outcome,
      origin: item.origin,
      bytes: item.bytes,
      isJson: 'isJson' in item ? item.isJson : true,
      givenId: stamp?.writesMessageId ? stamp.messageId : item.givenId,
      at: this.#options.clock.now(),
    });
    this.#letters.push(line);
    this.#hasLetters = true;
    this.#options.onTrouble?.(outcome, item);
  }

  #touch(): void {
    this.#dirty++;
    if (this.#dirty >= groupRows) this.commit();
    else this.#cancelCommit ??= this.#options.clock.after(this.#groupMs, () => this.commit());
  }

  #write(isFinished: boolean): void {
    const { store, letters, onStep } = this.#options;
    const written = letters.written;
    onStep?.('before');
    store.commit({
      place: this.#progress.place(),
      counts: this.#counts,
      isFinished,
      putRetries: this.#putRetries.values(),
      deleteRetries: this.#deleteRetries,
      addLetters: this.#letters,
      letterWritten: written,
    });
    const hadLetters = this.#letters.length > 0;
    this.#putRetries = new Map();
    this.#deleteRetries = [];
    this.#letters = [];
    this.#dirty = 0;
    onStep?.('committed');
    if (!hadLetters) return;
    letters.write(store.letters());
    onStep?.('letters-written');
  }

  #summary(): Summary {
    const seconds = (performance.now() - this.#startedAt) / 1000;
    const delivered = this.count('delivered');
    const { rejected, failed, skipped } = this.#counts;
    return {
      read: this.read,
      delivered,
      rejected,
      failed,
      skipped: skipped + this.#before.delivered,
      pending: this.#pending,
      retries: this.#retries,
      bytes: this.#bytes,
      seconds: Math.round(seconds * 1000) / 1000,
      eventsPerSecond: Math.round(delivered / seconds),
      latencyMs: {
        p50: this.#latency.percentile(0.5),
        p95: this.#latency.percentile(0.95),
        p99: this.#latency.percentile(0.99),
      },
      deadLetter: this.#hasLetters ? this.#options.letters.path : null,
      resumed: this.#resumed,
    };
  }
}

function abandoned({ stamp, legs }: RetryRow): Outcome {
  return {
    verdict: 'pending',
    messageId: stamp.messageId,
    attempts: [],
    tries: legs.reduce((sum, { attempts }) => sum + attempts, 0),
    code: 'interrupted',
    message: 'interrupted while it waited for a retry',
  };
}

function groupMsAfter(commitMs: number): number {
  return Math.min(Math.max(groupMs, commitMs * groupMsPerCommitMs), longestGroupMs);
}
