import { setTimeout as wait } from 'node:timers/promises';
import { StateError } from '../../../errors.js';
import type { RunStore } from '../../../importer/shared/run-store.js';
import { SnapshotCounts } from '../../../importer/shared/run-counts.js';
import type { RunSnapshot } from '../../../importer/shared/run-record.js';
import { printable } from '../../../output/printable.js';
import type { TypedFlag } from '../../flags/flag.js';
import type { DeadLetterOutput } from './dead-letters.js';
import { removedError, type JoinedRun } from './joined-run.js';
import type { RunEnding } from './next-steps.js';
import { orAborted } from './or-aborted.js';
import type { SharedReport } from './report.js';
import { RunNotes } from './run-notes.js';

/** How often the run is looked at. */
const stepMs = 500;
/** Dead letters that are read at once to be shown. */
const pageLength = 100;
/** How long the workers of a run that ends early may need for what they have in flight. */
const settleMs = 10_000;

export interface FollowerParts {
  readonly server: RunStore;
  readonly report: SharedReport;
  readonly deadLetters: DeadLetterOutput;
  readonly typed: readonly TypedFlag[];
  readonly joined: JoinedRun;
}

/** The last look at a run, and why it was the last. */
export interface RunEnd {
  readonly snapshot: RunSnapshot;
  readonly ending: RunEnding;
}

/** Looks at a run until it ends: shows its progress and failures, and writes its dead letters. */
export class Follower {
  readonly #parts: FollowerParts;
  #snapshot: RunSnapshot;
  readonly #counts: SnapshotCounts;
  readonly #notes: RunNotes;
  /** The next dead letter to show: of a run that was there, only later ones are. */
  #shown: number;
  #isWaitingForFile = false;
  /** Aborted when the status of the run has changed. */
  #change = new AbortController();

  constructor(parts: FollowerParts) {
    const { snapshot } = parts.joined;
    const { server, report, joined, typed } = parts;
    this.#parts = parts;
    this.#snapshot = snapshot;
    this.#counts = new SnapshotCounts(snapshot, () => server.now() - Date.now());
    this.#notes = new RunNotes(report, typed);
    this.#shown = joined.isNew ? 0 : deadLettersOf(snapshot);
  }

  /** @throws EvfwdError when the run is removed; StateError when the dead-letter file cannot be written */
  async untilEnd(signal: AbortSignal): Promise<RunEnd> {
    const { report, joined } = this.#parts;
    if (!endingOf(this.#snapshot, joined)) await report.start(this.#counts, joined.record);
    const ending = await orAborted(this.#follow(signal), signal);
    return { snapshot: this.#snapshot, ending: ending ?? { kind: 'interrupted' } };
  }

  async #follow(signal: AbortSignal): Promise<RunEnding> {
    const { server, joined } = this.#parts;
    await server.subscribe(joined.record.id, ({ kind }) => {
      if (kind === 'status') this.#change.abort();
    });
    for (;;) {
      const ending = endingOf(this.#snapshot, this.#parts.joined);
      if (ending) return this.#settle(ending, signal);
      this.#notes.look(this.#snapshot);
      await this.#showFailures();
      await this.#writeDeadLetters();
      await this.#stepOrChange(signal);
      await this.#look();
    }
  }

  async #stepOrChange(signal: AbortSignal): Promise<void> {
    const either = AbortSignal.any([signal, this.#change.signal]);
    await wait(stepMs, undefined, { signal: either }).catch(() => signal.throwIfAborted());
    this.#change = new AbortController();
  }

  /** Workers finish what they have in flight when a run ends early. */
  async #settle(ending: RunEnding, signal: AbortSignal): Promise<RunEnding> {
    const until = performance.now() + settleMs;
    while (ending.kind !== 'finished' && isAtWork(this.#snapshot) && performance.now() < until) {
      await wait(stepMs, undefined, { signal });
      await this.#look();
    }
    await this.#showFailures();
    while (!(await this.#writeDeadLetters())) await wait(stepMs, undefined, { signal });
    return ending;
  }

  async #look(): Promise<void> {
    const { server, joined } = this.#parts;
    const { id } = joined.record;
    let snapshot = await server.snapshot(id);
    if (snapshot && hasEndedRanges(snapshot) && (await server.finishIfDone(id))) {
      snapshot = await server.snapshot(id);
    }
    if (!snapshot) throw removedError(id);
    this.#snapshot = snapshot;
    this.#counts.update(snapshot);
  }

  async #showFailures(): Promise<void> {
    const { server, report, joined } = this.#parts;
    const end = deadLettersOf(this.#snapshot);
    while (this.#shown < end && report.wantsFailures) {
      const page = await server.deadLetters(joined.record.id, this.#shown, pageLength);
      if (page.length === 0) return;
      for (const line of page) report.failure(line);
      this.#shown += page.length;
    }
  }

  /** False if another process is writing to the file. */
  async #writeDeadLetters(): Promise<boolean> {
    const { deadLetters, report } = this.#parts;
    if (deadLettersOf(this.#snapshot) === 0) return true;
    try {
      if (await deadLetters.update()) return true;
    } catch (error) {
      if (error instanceof StateError) report.say(withoutFile(this.#snapshot));
      throw error;
    }
    if (!this.#isWaitingForFile)
      report.say(
        `${printable(deadLetters.path)}: another process is writing to it; dead letters are added when that has ended`,
      );
    this.#isWaitingForFile = true;
    return false;
  }
}

/** The server has as many dead letters. */
function deadLettersOf({ stats }: RunSnapshot): number {
  return (stats.rejected ?? 0) + (stats.failed ?? 0);
}

/** Workers leave a run when nothing is in flight any more; how many items one reported may be seconds old. */
function isAtWork({ workers }: RunSnapshot): boolean {
  return workers.length > 0;
}

function hasEndedRanges({ record, ranges }: RunSnapshot): boolean {
  const { status, total } = record;
  return status === 'running' && ranges.done + ranges.failed >= total;
}

function endingOf({ record }: RunSnapshot, { record: before }: JoinedRun): RunEnding | undefined {
  const { status, stopReason } = record;
  if (status === 'cancelled') return { kind: 'cancelled' };
  if (status === 'finished') return { kind: 'finished', wasFinished: before.status === 'finished' };
  return status === 'paused' && stopReason !== null
    ? { kind: 'stopped', reason: stopReason }
    : undefined;
}

function withoutFile({ record: { id, status } }: RunSnapshot): string {
  const isOver = status === 'finished' || status === 'cancelled';
  const what = isOver ? 'keeps its dead letters' : 'continues without this process';
  return `run ${id} ${what}; the same command completes the file`;
}
