import type { Clock } from '../clock.js';
import { defaults } from '../defaults.js';
import type { EndpointDeliveryState } from '../delivery/outcome.js';
import { dueBy } from '../delivery/endpoint-state.js';
import { isGone, rejection, type Outcome } from '../delivery/outcome.js';
import type { KeyedQueue } from '../delivery/keyed-queue.js';
import {
  isExpansion,
  isProblem,
  type Event,
  type Expansion,
  type Item,
  type Problem,
} from '../events/event.js';
import { detachEvent, noted } from '../events/text-event.js';
import { userOf } from '../events/select.js';
import { stampEvent, type Stamp, type StampOptions } from '../events/stamp.js';
import { selectAndTransform, type Transform } from '../events/transform.js';
import type { Ledger, Ticket } from '../ledger/ledger.js';
import { split, type PendingLine } from '../ledger/progress.js';
import type { RetryRow } from '../ledger/retry-row.js';
import type { Outgoing, Target } from '../delivery/target.js';
import type { Rate } from '../delivery/endpoint-pace.js';
import { Turns } from './turns.js';

/** Says when new events are sent, by their own times; retries have times of their own. */
export interface Schedule {
  /** Milliseconds to wait before this event may be sent, 0 for now. */
  waitFor(event: Event): number;
  /** Called when the event last passed to `waitFor` is sent. */
  granted(): void;
}

/** The stages that a command chooses. */
export interface Pipeline {
  /** What the lines are, in batches, in the order of the files. */
  readonly source: AsyncIterable<readonly Item[]>;
  /** Called before each item of the source; it may interrupt the run. */
  readonly onNext?: (() => void) | undefined;
  readonly isSelected: (event: Event) => boolean;
  /** As of `Selectors`. */
  readonly isSelectedAfter?: ((event: Event) => boolean) | undefined;
  readonly transform?: Transform | undefined;
  /** The maximum number of events to send. */
  readonly limit: number;
  readonly stamp: Omit<StampOptions, 'now'>;
  readonly schedule?: Schedule | undefined;
  /** Limits new events and retries together. */
  readonly rate?: Pick<Rate, 'turn'> | undefined;
  /** Undefined while more may be read; else a promise that settles when that may have changed. */
  readonly roomToRead?: (() => Promise<void> | undefined) | undefined;
  /** Sends the events of one user one after the other. */
  readonly order?: KeyedQueue<() => void> | undefined;
  readonly target: Target;
  readonly ledger: Ledger;
  readonly clock: Clock;
  /** Waits; cut short when the run is interrupted. */
  readonly sleep: (ms: number) => Promise<void>;
  /** Aborted at the first Ctrl-C: nothing new is sent then. */
  readonly interrupted: AbortSignal;
}

/**
 * The whole flow: read → select → transform → pace → send → one outcome per event in the ledger. The
 * ledger returns retries when they are due, while reading continues; they are paced, too.
 *
 * @throws StateError when an outcome cannot be recorded; then nothing new is sent.
 */
export async function runPipeline(pipeline: Pipeline): Promise<void> {
  const { target, ledger, interrupted } = pipeline;
  const stage = new Stage(pipeline);
  // Later, since an outcome that is being recorded can be what stops the run.
  const stop = (): void => queueMicrotask(() => stage.stop());
  const fail = (error: unknown): void => stage.fail(error);
  interrupted.addEventListener('abort', stop);
  ledger.onChange(() => stage.wake());
  target.onAvailable?.(() => stage.noteAvailable());
  const retries = stage.feedRetries().catch(fail);
  await stage.readAll().catch(fail);
  // Retries end only when everything gathered is sent; the second drain is for what they send.
  await Promise.all([retries, target.drain()]);
  await target.drain();
  interrupted.removeEventListener('abort', stop);
  // Also after a failure: the next run must not send again what was delivered.
  ledger.commit();
  stage.throwIfFailed();
}

/** The clock may be set back while an event waits, so it is checked at least this often. */
const maxWaitMs = 60_000;

/** How many due retries are read from the store at once. */
const dueAtOnce = 64;

const skipped: Outcome = { verdict: 'skipped', messageId: undefined, attempts: [] };

/** Passes events from the source to the target, and their outcomes to the ledger. */
class Stage {
  readonly #pipeline: Pipeline;
  readonly #stamp: StampOptions;
  readonly #turns: Turns | undefined;
  readonly #startedAt: number;
  #sent = 0;
  #isReading = true;
  #isStopped = false;
  #wake: () => void = () => undefined;
  /** Resumes reading, which waits for retries to end. */
  #resumeReading: () => void = () => undefined;
  readonly #awaitAvailable: (() => void)[] = [];
  #awaitedDueAt = Infinity;
  /** Whether the retry that is due first was taken, and the URL that wants a probe still wants one. */
  #isEarliestUnfit = false;
  #failure: unknown;

  constructor(pipeline: Pipeline) {
    this.#pipeline = pipeline;
    this.#stamp = stampOptions(pipeline);
    const { rate, sleep, clock } = pipeline;
    this.#turns = rate && new Turns(rate, sleep);
    this.#startedAt = clock.now();
  }

  /** Whether to read nothing more. */
  #isOver(): boolean {
    return this.#sent >= this.#pipeline.limit || this.#hasStopped();
  }

  /** Sends nothing new; what is in flight may finish. */
  stop(): void {
    if (this.#isStopped) return;
    this.#isStopped = true;
    for (const resume of this.#awaitAvailable.splice(0)) resume();
    for (const start of this.#pipeline.order?.takeHeld() ?? []) start();
    // First the ledger: interrupting ends what is queued at once, and the ledger has to know why.
    this.#pipeline.ledger.stop();
    this.#pipeline.target.interrupt();
    this.wake();
  }

  /** Called when something changed that `feedRetries` may wait for. */
  wake(): void {
    const { failure, nextDueAt } = this.#pipeline.ledger;
    if (failure !== undefined) this.fail(failure);
    this.#resumeReading();
    const isDue = nextDueAt < this.#awaitedDueAt || this.#pipeline.target.wantsProbe;
    if (!this.#isReading || this.#hasStopped() || isDue) this.#wake();
  }

  /** A URL accepts events again, or a probe. */
  noteAvailable(): void {
    for (const resume of this.#awaitAvailable.splice(0)) resume();
    this.#resumeReading();
    this.#wake();
  }

  /** Ends the run with this error, after the requests in flight. */
  fail(error: unknown): void {
    this.#failure ??= error;
    this.stop();
  }

  throwIfFailed(): void {
    if (this.#failure !== undefined) throw this.#failure as Error;
  }

  /** Reads the source to its end, or until the run is over. */
  async readAll(): Promise<void> {
    try {
      for await (const batch of this.#pipeline.source) {
        await this.#handleBatch(batch);
        if (this.#isOver()) break;
      }
      if (!this.#hasStopped()) this.#pipeline.ledger.noteReadAll();
    } finally {
      this.#isReading = false;
      this.wake();
    }
  }

  async #handleBatch(batch: readonly Item[]): Promise<void> {
    for (const item of batch) {
      if (!this.#isOver()) this.#pipeline.onNext?.();
      if (this.#isOver()) return;
      for (let room = this.#room(); room && !this.#isOver(); room = this.#room()) await room;
      while (this.#isHeldBack() && !this.#hasStopped()) await this.#changed();
      const wait = this.#isOver() ? undefined : this.#handle(item);
      if (wait) await wait;
    }
  }

  /** Sends retries when they are due, until there can be no more of them. */
  async feedRetries(): Promise<void> {
    const { ledger } = this.#pipeline;
    while (!this.#hasStopped()) {
      const due = ledger.takeDue(dueAtOnce);
      for (const [index, row] of due.entries()) await this.#resend(row, due.length - index);
      if (due.length > 0) continue;
      if (await this.#probe()) continue;
      if (!this.#isReading && ledger.isSettled) return;
      // Taking retries commits. If that has failed, the run has stopped, and nothing would end the wait below.
      if (this.#hasStopped()) return;
      await this.#changeOrDue(ledger.nextDueAt);
    }
  }

  /**
   * Probes a URL with an event that was attempted before, also before its retry is due, so that an outage is
   * probed with the same few events. Returns whether there was one.
   */
  async #probe(): Promise<boolean> {
    const { target, ledger } = this.#pipeline;
    if (!target.wantsProbe) this.#isEarliestUnfit = false;
    if (!target.isUnavailable || !target.wantsProbe || this.#readsProbe()) return false;
    const row = ledger.takeEarliest();
    if (!row) return false;
    await this.#resend(row, 1);
    this.#noteFit();
    return true;
  }

  /** Whether the next probe is an event that is read. */
  #readsProbe(): boolean {
    return (
      this.#isEarliestUnfit || (this.#isReading && this.#pipeline.target.wantsFreshProbe === true)
    );
  }

  /** A URL that still wants a probe was sent none: a new event may be one. */
  #noteFit(): void {
    this.#isEarliestUnfit = this.#pipeline.target.wantsProbe === true;
    if (this.#isEarliestUnfit) this.#resumeReading();
  }

  /** @param dueCount how many retries are due, this one included */
  async #resend(row: RetryRow, dueCount: number): Promise<void> {
    const event = this.#pipeline.ledger.reread(row);
    // Not the room of `order` and that to read: what they hold back may wait for this one.
    const { target, ledger } = this.#pipeline;
    const roomNow = (): Promise<void> | undefined => target.room() ?? ledger.roomForRetry();
    for (let room = roomNow(); room && !this.#hasStopped(); room = roomNow()) await room;
    while (ledger.exportsRetries && this.#isUnavailable() && !this.#hasStopped())
      await new Promise<void>((resolve) => this.#awaitAvailable.push(resolve));
    // What a URL that is down or paused does not get needs no turn.
    if (this.#turns && !this.#isUnavailable() && !this.#hasStopped())
      await this.#turns.forRetry(dueCount);
    this.#send(row, event, row.stamp, this.#statesNow(row));
  }

  /** Whether nothing can be sent now, not even a probe. */
  #isUnavailable(): boolean {
    const { isUnavailable, wantsProbe } = this.#pipeline.target;
    return isUnavailable === true && wantsProbe !== true;
  }

  /** How to continue a retry that is sent now. */
  #statesNow({ dueAt, endpointDeliveries }: RetryRow): readonly EndpointDeliveryState[] {
    const now = this.#pipeline.clock.now();
    // 0: made due at once since a URL is gone; the other URLs keep their own due times. So does a probe.
    const keepsTimes = dueAt === 0 || dueAt > now;
    const states = keepsTimes ? endpointDeliveries : dueBy(now, endpointDeliveries);
    const lateMs = Math.max(0, now - Math.max(dueAt, this.#startedAt));
    return lateMs === 0 ? states : states.map((state) => ({ ...state, lateMs }));
  }

  #changeOrDue(dueAt: number): Promise<void> {
    const { clock } = this.#pipeline;
    this.#awaitedDueAt = dueAt;
    return new Promise((resolve) => {
      const waitMs = Math.min(dueAt - clock.now(), maxWaitMs);
      const cancel = dueAt === Infinity ? undefined : clock.after(waitMs, resolve);
      this.#wake = () => {
        cancel?.();
        resolve();
      };
    });
  }

  #hasStopped(): boolean {
    return this.#isStopped || this.#pipeline.interrupted.aborted;
  }

  /**
   * Whether to read no more for now: too many events wait for a retry, or every URL is down or paused, and
   * events that were attempted before can serve as probes.
   */
  #isHeldBack(): boolean {
    const { target, ledger } = this.#pipeline;
    // What waits for one URL holds up no other: it is in the store, not in memory.
    if (ledger.waiting >= defaults.maxWaiting && !target.isPartlyUnavailable) return true;
    if (!target.isUnavailable) return false;
    return !target.wantsProbe || (ledger.waiting > 0 && !this.#readsProbe());
  }

  /** Resolves when a retry has ended, or a URL accepts events again. */
  #changed(): Promise<void> {
    return new Promise((resolve) => (this.#resumeReading = resolve));
  }

  #room(): Promise<void> | undefined {
    const { target, order, ledger, roomToRead } = this.#pipeline;
    const room = target.room();
    if (room) return room;
    const rest = order?.room() ?? ledger.room() ?? roomToRead?.();
    if (rest) target.flush?.();
    return rest;
  }

  /** Returns a promise only where a stage is asynchronous: most events need none. */
  #handle(item: Item): Promise<void> | undefined {
    const { ledger, isSelected, transform, schedule } = this.#pipeline;
    if (isExpansion(item)) {
      return this.#expand(item);
    } else if (transform) {
      return this.#transform(item, transform);
    } else if (isProblem(item)) {
      ledger.close(ledger.open(item), item, undefined, rejection(item));
    } else if (!isSelected(item)) {
      ledger.skip(ledger.open(item));
    } else if (schedule ?? this.#turns) {
      return this.#pace(item).then(() => {
        if (!this.#hasStopped()) this.#stampAndSend(ledger.open(item), item);
      });
    } else {
      this.#stampAndSend(ledger.open(item), item);
    }
    return undefined;
  }

  async #transform(item: Event | Problem, transform: Transform): Promise<void> {
    const line = this.#pipeline.ledger.open(item);
    await this.#sendParts(line, item, await selectAndTransform(item, transform, this.#pipeline));
  }

  /** Sends the events of one record; with a transform, those that it makes of them. */
  async #expand(record: Expansion): Promise<void> {
    const { ledger, transform } = this.#pipeline;
    const line = ledger.open(record);
    if (!transform) return this.#sendParts(line, record, record.items);
    const parts: (Event | Problem)[] = [];
    for (const item of record.items) {
      for (const each of await transform(item)) {
        const { length: part } = parts;
        parts.push(isProblem(each) ? each : noted(each, { givenId: each.givenId, part }));
      }
    }
    await this.#sendParts(line, record, parts);
  }

  async #sendParts(
    line: PendingLine,
    record: Item,
    items: readonly (Event | Problem)[],
  ): Promise<void> {
    const { ledger } = this.#pipeline;
    if (items.length > 1) split(line, items.length);
    if (items.length === 0) ledger.skip(line);
    for (const item of items) {
      if (isProblem(item)) {
        ledger.close(line, item, undefined, rejection(item));
        continue;
      }
      // A record is read once, so all of its events are sent with it.
      if (!isExpansion(record) && this.#sent >= this.#pipeline.limit) {
        ledger.close(line, item, undefined, skipped);
        continue;
      }
      const room = this.#room();
      if (room) await room;
      await this.#pace(item);
      this.#stampAndSend(line, item);
    }
  }

  async #pace(event: Event): Promise<void> {
    const { schedule, sleep } = this.#pipeline;
    const waitMs = schedule?.waitFor(event) ?? 0;
    if (waitMs > 0) await sleep(waitMs);
    if (this.#turns && !this.#hasStopped()) await this.#turns.forEvent();
    schedule?.granted();
  }

  #stampAndSend(line: PendingLine, event: Event): void {
    this.#sent++;
    this.#send(line, event, stampEvent(event, this.#stamp));
  }

  #send(
    ticket: Ticket,
    event: Event,
    stamp: Stamp,
    endpointDeliveries?: readonly EndpointDeliveryState[],
  ): void {
    const { ledger, order } = this.#pipeline;
    const outgoing: Outgoing = {
      event,
      stamp,
      ...(endpointDeliveries && { endpointDeliveries }),
    };
    const user = order ? userOf(event) : '';
    const end = (outcome: Outcome): void => {
      ledger.close(ticket, outgoing.event, stamp, outcome);
      if (outcome.attempts.some(isGone)) ledger.flush();
      if (!outcome.retry) order?.release(user);
    };
    const start = (): void => {
      if (this.#hasStopped()) end(interrupted(stamp));
      else this.#sendToTarget(outgoing, end);
    };
    // A retry still holds its user's turn, for which the user's later events wait.
    if (!order || endpointDeliveries) start();
    else if (!order.hold(user, start)) outgoing.event = detachEvent(event);
  }

  #sendToTarget(outgoing: Outgoing, end: (outcome: Outcome) => void): void {
    this.#pipeline.target.send(outgoing, end);
    outgoing.event.release();
  }
}

/** Reused for every event; `now` is a getter since only events without a timestamp need the time. */
function stampOptions({ stamp, clock }: Pipeline): StampOptions {
  return {
    ...stamp,
    get now() {
      return clock.now();
    },
  };
}

function interrupted({ messageId }: Stamp): Outcome {
  const message = 'interrupted before it was sent';
  return { verdict: 'pending', messageId, attempts: [], code: 'interrupted', message };
}
