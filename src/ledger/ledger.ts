import type { Clock } from '../clock.js';
import type { AttemptResult, Outcome } from '../delivery/outcome.js';
import { sourceText, type Event, type Item, type Problem } from '../events/event.js';
import { userOf } from '../events/select.js';
import type { Stamp } from '../events/stamp.js';
import { CommitTimer, type CommitGroup } from '../storage/commit-timer.js';
import type { AttemptLog } from './attempt-log.js';
import type { Committer } from './committer.js';
import { deadLetterLine } from './dead-letter.js';
import type { ItemKind } from './item-kind.js';
import { Progress, type PendingLine } from './progress.js';
import { rereadEvent } from './reread.js';
import { RetryQueue } from './retry-queue.js';
import { retryRow, type RetryRow } from './retry-row.js';
import type { OutcomeCounts, ImportStore } from './store.js';
import { RunStats } from './run-stats.js';
import type { ReasonCount } from './reason-counts.js';
import type { RunCounts, Summary } from './summary.js';
import type { UrlCounts } from './url-stats.js';

export interface LedgerOptions {
  /** Has the checkpoint of the import, and its waiting events. */
  readonly store: ImportStore;
  readonly committer: Committer;
  /** Path of the dead-letter file, as shown to the user. */
  readonly deadLetterPath: string;
  /** The inputs in order; rows of the store refer to them by index. */
  readonly files: readonly string[];
  /** Whether a line can be read again at its offset: a plain file, and no transform. */
  readonly canReread: (file: number) => boolean;
  /** Whether a later run can send pending events; else they become dead letters. */
  readonly isResumable: boolean;
  readonly log?: AttemptLog | undefined;
  readonly clock: Clock;
  /** Default: 500 rows, 5 ms. */
  readonly group?: CommitGroup | undefined;
  /** How new retries are numbered. Default: counting up from the last id in the store. */
  readonly retryIds?: { readonly last: number; readonly step: number };
  /** The URLs of the target, without queries. */
  readonly urls?: readonly string[];
  /** Where the inputs are. Default: at `files`. */
  readonly paths?: readonly string[];
  /** Whether a retry leaves with the commit that puts it, and never waits here. Default false. */
  readonly exportsRetries?: boolean;
  /**
   * Whether the line of an event that waits for a retry stays open. A later run reads it again, so the retry need not
   * outlive this ledger. Default false.
   */
  readonly keepsLinesOpen?: boolean;
  /** Whether the committer's limit holds also for lines that have no outcome yet. Default false. */
  readonly countsOpen?: boolean;
  /** Whether lines are told by their offset in the file, not by their number. Default false. */
  readonly locatesByOffset?: boolean;
  /** What the lines of the inputs are. Default: events. */
  readonly items?: ItemKind | undefined;
  /** The inputs whose lines are rows of a table. Default: none. */
  readonly rowFiles?: ReadonlySet<string> | undefined;
  /** Whether a dead letter has the event as it was sent, in place of the record that it was made of. Default false. */
  readonly deadLettersChanged?: boolean | undefined;
  /** Called with each outcome, final or not, for its attempts. */
  readonly onAttempts?: ((outcome: Outcome, item: Event | Problem) => void) | undefined;
  /** Called for every event that is neither delivered nor skipped. */
  readonly onProblem?: ((outcome: Outcome, item: Event | Problem) => void) | undefined;
}

/** So many bytes of dead letters are committed at once: a group of rows could hold hundreds of megabytes. */
const maxDeadLetterBytes = 1024 * 1024;

/** What an outcome belongs to: a line just read, or an event that waited for a retry. */
export type Ticket = PendingLine | RetryRow;

/**
 * Records exactly one outcome per event, counted and durable. The checkpoint passes an event only in the
 * transaction that counts it as delivered or skipped, or stores it as a retry or dead letter.
 */
export class Ledger implements RunCounts {
  readonly #options: LedgerOptions;
  readonly #timer: CommitTimer;
  readonly #progress: Progress;
  readonly #stats: RunStats;
  readonly #retries: RetryQueue;
  readonly #resumed: boolean;
  /** By the id of the retry: its line, if that became several events and is open until all have ended. */
  readonly #linesOfRetries = new Map<number, PendingLine>();
  #deadLetters: Buffer[] = [];
  #deadLetterBytes = 0;
  #isReading = true;
  #isStopped = false;
  /** Lines that this run has read. */
  #lines = 0;
  /** Events that earlier runs have read. */
  readonly #readBefore: number;
  #failure: unknown;
  #onChange: () => void = () => undefined;

  /** @throws StateError when the store cannot be written. */
  constructor(options: LedgerOptions) {
    const { store, files, clock, retryIds, urls, exportsRetries = false } = options;
    const checkpoint = store.checkpoint();
    this.#options = options;
    this.#timer = new CommitTimer(clock, () => this.commit(), options.group);
    this.#progress = new Progress(files, checkpoint);
    this.#stats = new RunStats(clock, store.counts(), { urls });
    // An open line is read again, so the retries of its events are obsolete.
    store.dropRetriesOf(checkpoint.open);
    this.#retries = new RetryQueue(store, clock, { ...retryIds, handsOn: exportsRetries });
    this.#resumed = checkpoint.last.size > 0;
    this.#readBefore = this.read;
  }

  /** Called after each outcome, and when recording has failed. */
  onChange(listener: () => void): void {
    this.#onChange = listener;
  }

  /** The error after which nothing can be recorded; undefined before. */
  get failure(): unknown {
    return this.#failure;
  }

  get waiting(): number {
    return this.#retries.waiting;
  }

  /** Whether retries that are put leave, and cannot be taken again here. */
  get exportsRetries(): boolean {
    return this.#options.exportsRetries === true;
  }

  /** Whether every line read, and every retry, has its final outcome. */
  get isSettled(): boolean {
    return this.waiting === 0 && this.#progress.openLines === 0;
  }

  get read(): number {
    return this.ended + this.#pending;
  }

  get ended(): number {
    return this.#stats.ended;
  }

  get isReading(): boolean {
    return this.#isReading;
  }

  get eventsPerLine(): number {
    return Math.max(1, (this.read - this.#readBefore) / Math.max(1, this.#lines));
  }

  /** Notes that the source was read to its end. */
  noteReadAll(): void {
    this.#isReading = false;
  }

  /** Events without a final status, including those of earlier runs that this run has not reread yet. */
  get #pending(): number {
    return this.waiting + this.#progress.openLines + this.#progress.leftLines;
  }

  count(finalStatus: keyof OutcomeCounts): number {
    return this.#stats.count(finalStatus);
  }

  get medianMs(): number | null {
    return this.#stats.medianMs;
  }

  /** Why events of this run were rejected or failed. */
  get reasons(): ReasonCount[] {
    return this.#stats.reasons.list();
  }

  /** How the events of this run ended at each URL, if there are several. */
  get urlCounts(): UrlCounts[] {
    return this.#stats.urls.list();
  }

  /** Bytes of the delivered events, as in the files. */
  get bytes(): number {
    return this.#stats.bytes;
  }

  /** Undefined while more may be read; else a promise that settles when enough is durable, or logged. */
  room(): Promise<void> | undefined {
    return this.#roomFor(this.#options.countsOpen ? this.#progress.openLines : 0);
  }

  /** The same for retries. Open lines do not count: they may be waiting for these retries. */
  roomForRetry(): Promise<void> | undefined {
    return this.#roomFor(0);
  }

  #roomFor(open: number): Promise<void> | undefined {
    const { committer, log } = this.#options;
    const room = committer.room?.(this.#timer.rows + open);
    if (room) this.commit();
    return room ?? log?.room();
  }

  /** Nothing more is sent: ends the wait for the log. */
  stop(): void {
    this.#isStopped = true;
    this.#options.log?.stop();
  }

  /** Notes that a line was read; its outcome follows by `close`. */
  open(item: Item): PendingLine {
    this.#lines++;
    return this.#progress.open(item);
  }

  attempt(result: AttemptResult, messageId: string): void {
    this.#stats.attempt(result);
    this.#options.log?.write(result, messageId);
  }

  /** Records the final status of an event, or its retry. */
  close(ticket: Ticket, item: Event | Problem, stamp: Stamp | undefined, outcome: Outcome): void {
    this.#options.onAttempts?.(outcome, item);
    if ('parts' in ticket) this.#closePart(ticket, item, stamp, outcome);
    else this.#closeRetry(ticket, item, outcome);
    if (this.#timer.add() || this.#deadLetterBytes >= maxDeadLetterBytes) this.commit();
    this.#onChange();
  }

  /** Records that nothing of a line is to be sent. */
  skip(line: PendingLine): void {
    this.#progress.close(line);
    this.#stats.skipped();
    if (this.#timer.add()) this.commit();
    this.#onChange();
  }

  /** When the next retry is due, in milliseconds since 1970; Infinity when there is none. */
  get nextDueAt(): number {
    return this.#retries.nextDueAt;
  }

  get retryCode(): string | undefined {
    return this.#retries.code;
  }

  /** Removes up to `limit` due retries from the queue; the outcome of each follows by `close`. */
  takeDue(limit: number): RetryRow[] {
    if (!this.#retries.checkDue()) return [];
    this.commit();
    return this.#retries.takeDue(limit);
  }

  /**
   * Removes the retry that is due first, or will be, from the queue, to probe a URL with it; its outcome follows
   * by `close`. Undefined when none waits.
   */
  takeEarliest(): RetryRow | undefined {
    if (this.waiting === 0) return undefined;
    this.commit();
    return this.#failure === undefined ? this.#retries.takeEarliest() : undefined;
  }

  /** Makes all retries due: a URL is gone, so events need not wait for it any longer. */
  flush(): void {
    this.commit();
    if (this.#failure !== undefined) return;
    this.#attempt(() => {
      this.#retries.flush();
      this.#onChange();
    });
  }

  /** The users of events that wait for a retry, one per event. */
  waitingUsers(): string[] {
    return this.#options.store.retryUsers();
  }

  /** Reads the text of a waiting event again. @throws UsageError when its file has changed. */
  reread(row: RetryRow): Event {
    const { files, paths = files, locatesByOffset, items } = this.#options;
    const options = { file: files[row.file], locatesByOffset, items };
    return rereadEvent(row, paths[row.file] ?? '-', options);
  }

  /** Rows that wait for the next commit. */
  get uncommitted(): number {
    return this.#timer.rows;
  }

  /** Makes all outcomes so far durable. An error is kept in `failure`. */
  commit(isFinished = false): void {
    this.#timer.stop();
    if ((this.#timer.rows === 0 && !isFinished) || this.#failure !== undefined) return;
    this.#attempt(() => this.#timer.commit(() => this.#write(isFinished)));
  }

  /**
   * Makes all durable and sums up. `hasReadAll`: whether the source was read to its end.
   * @throws StateError, UsageError when that cannot be written.
   */
  finish(hasReadAll: boolean): Summary {
    if (!this.#options.isResumable) this.#abandonRetries();
    const isFinished = hasReadAll && this.isSettled;
    this.commit(isFinished);
    // The dead letters of that commit are in their file now: remove them from the store.
    if (this.#failure === undefined) this.#attempt(() => this.#write(isFinished));
    if (this.#failure !== undefined) throw this.#failure as Error;
    this.#options.committer.close();
    return this.#stats.summary({
      pending: this.#pending,
      deadLetterPath: this.#options.deadLetterPath,
      resumed: this.#resumed,
    });
  }

  #attempt(write: () => void): void {
    try {
      write();
    } catch (error) {
      this.#failure = error;
      this.#onChange();
    }
  }

  /** Makes dead letters of the waiting events: no later run can send them. */
  #abandonRetries(): void {
    this.commit();
    if (this.#failure !== undefined) return;
    for (const row of this.#options.store.earliestRetries(this.waiting)) {
      this.close(row, this.reread(row), row.stamp, abandoned(row));
    }
  }

  #closePart(
    line: PendingLine,
    item: Event | Problem,
    stamp: Stamp | undefined,
    outcome: Outcome,
  ): void {
    if (this.#isLeftOpen(outcome)) return;
    if (outcome.retry && this.#options.keepsLinesOpen) line.effects ??= [];
    if (!line.effects) {
      this.#progress.close(line);
      this.#apply(item, stamp, outcome, undefined);
    } else if (outcome.retry && stamp) {
      // The other events of the line may wait for this one, so it cannot wait for them.
      const { id } = this.#putRetry(item as Event, stamp, outcome, undefined);
      this.#linesOfRetries.set(id, line);
    } else {
      this.#endPart(line, () => this.#apply(item, stamp, outcome, undefined));
    }
  }

  #endPart(line: PendingLine, effect: () => void): void {
    line.effects?.push(effect);
    if (--line.parts > 0) return;
    this.#progress.close(line);
    for (const apply of line.effects ?? []) apply();
  }

  #closeRetry(row: RetryRow, item: Event | Problem, outcome: Outcome): void {
    if (this.#isLeftOpen(outcome) || this.#isUntried(outcome)) {
      this.#retries.putBack(row);
      return;
    }
    const isPutAgain = outcome.retry !== undefined;
    this.#retries.end(row, isPutAgain);
    const apply = (): void => this.#apply(item, row.stamp, outcome, row);
    const line = this.#linesOfRetries.get(row.id);
    if (isPutAgain || !line) {
      apply();
      return;
    }
    this.#linesOfRetries.delete(row.id);
    this.#endPart(line, apply);
  }

  /** Whether it was interrupted without a final status, and a later run reads it again from the file. */
  #isLeftOpen({ verdict, retry }: Outcome): boolean {
    return verdict === 'pending' && !retry && this.#options.isResumable;
  }

  /** Whether a retry was not sent again since nothing more is sent; who handed it in still has it. */
  #isUntried({ verdict, attempts }: Outcome): boolean {
    const isOver = this.#options.exportsRetries === true && this.#isStopped;
    return isOver && verdict === 'pending' && attempts.length === 0;
  }

  #apply(
    item: Event | Problem,
    stamp: Stamp | undefined,
    outcome: Outcome,
    row: RetryRow | undefined,
  ): void {
    const { verdict, code } = outcome;
    if (outcome.retry && stamp && verdict !== 'delivered') {
      this.#putRetry(item as Event, stamp, outcome, row);
    } else if (verdict === 'skipped') {
      this.#stats.skipped(code);
    } else if (verdict === 'rejected') {
      this.#stats.undelivered('rejected', code);
      this.#addDeadLetter(item, stamp, outcome);
    } else {
      this.#stats.urls.end(outcome, row?.endpointDeliveries);
      if (verdict === 'delivered') this.#stats.delivered(item.bytes.length);
      else {
        this.#stats.undelivered('failed', code);
        this.#addDeadLetter(item, stamp, outcome);
      }
    }
  }

  #putRetry(event: Event, stamp: Stamp, outcome: Outcome, row: RetryRow | undefined): RetryRow {
    const { canReread, isResumable } = this.#options;
    const file = row?.file ?? this.#progress.indexOf(event.origin.file);
    const source = {
      storedAt: this.#options.clock.now(),
      file,
      user: row?.user ?? userOf(event),
      canReread: row ? row.text === null : isResumable && canReread(file),
    };
    const id = row?.id ?? this.#retries.nextId();
    const next = retryRow(id, event, stamp, outcome.retry!, source);
    this.#retries.put(next);
    return next;
  }

  #addDeadLetter(item: Event | Problem, stamp: Stamp | undefined, outcome: Outcome): void {
    const line = deadLetterLine({
      outcome,
      origin: item.origin,
      bytes: this.#options.deadLettersChanged ? item.bytes : sourceText(item),
      isJson: 'isJson' in item ? item.isJson : true,
      givenId: stamp?.writesMessageId ? stamp.messageId : item.givenId,
      at: this.#options.clock.now(),
      locatesByOffset: this.#options.locatesByOffset,
      isRow: this.#options.rowFiles?.has(item.origin.file),
      member: this.#options.items?.deadLetterMember,
    });
    this.#deadLetters.push(line);
    this.#deadLetterBytes += line.length;
    this.#options.onProblem?.(outcome, item);
  }

  #write(isFinished: boolean): void {
    this.#options.committer.commit({
      checkpoint: this.#progress.changes(),
      // A copy: they may become durable later, with the checkpoint of now.
      counts: { ...this.#stats.counts },
      isFinished,
      ...this.#retries.changes(),
      addDeadLetters: this.#deadLetters,
    });
    this.#progress.committed();
    this.#retries.committed();
    this.#deadLetters = [];
    this.#deadLetterBytes = 0;
  }
}

function abandoned({ stamp, endpointDeliveries }: RetryRow): Outcome {
  return {
    verdict: 'pending',
    messageId: stamp.messageId,
    attempts: [],
    attemptCount: endpointDeliveries.reduce((sum, { attempts }) => sum + attempts, 0),
    code: 'interrupted',
    message: 'interrupted while waiting for a retry',
  };
}
