import type { Clock } from '../../clock.js';
import { sleep } from '../../delivery/sleep.js';
import { StateError } from '../../errors.js';
import type { ServiceStore } from '../store/service-store.js';
import type { OnStored } from '../store/stored.js';
import type { Destination, Routing } from '../types.js';
import type { ReadEvent } from './block.js';
import type { KeptEvents } from './kept-events.js';
import { ReplayBatch, type BatchLimits } from './replay-batch.js';
import type { ReplayLog } from './replay-log.js';
import type { ReplayPace } from './replay-pace.js';
import { countSelected, replaySelector, type ReplayCount } from './replay-selector.js';
import {
  doneIn,
  type ReplayPosition,
  type ReplayRequest,
  type ReplayStore,
  type StoredReplay,
} from './replay-store.js';

export interface ReplayRunOptions {
  readonly store: Pick<ServiceStore, 'failure'>;
  readonly kept: Pick<KeptEvents, 'read'>;
  readonly replays: ReplayStore;
  readonly clock: Clock;
  readonly log: ReplayLog;
  readonly pace: ReplayPace;
  readonly routing: () => Routing;
  /** Whether events wait for a destination whose URLs all are down or paused. */
  readonly isStalled: (destination: string) => boolean;
  /** An event is queued. */
  readonly onStored: OnStored;
  /** The counts of the replay have changed. */
  readonly onChange: () => void;
  /** Stops it; it goes on at the next start. */
  readonly signal: AbortSignal;
}

/** What is queued at once; with a rate less, so that there are this many batches a second. */
const maxBatch = { events: 256, bytes: 1024 * 1024 };
const batchesPerSecond = 10;
/** How often to look for room: after this time, and later after a tenth of the time without room. */
const minPollMs = 5;
const maxPollMs = 1_000;
/** Events that were found are queued after this time, so that the stored position is not older. */
const queueAfterMs = 1_000;
/** The pace may have changed after this time. */
const lookAgainMs = 250;
/** The pause after a failed write. */
export const retryMs = 1_000;

/** Works on one replay, from where it is. */
export class ReplayRun {
  readonly #options: ReplayRunOptions;
  readonly #replay: StoredReplay;
  readonly #request: ReplayRequest;
  /** When the next ones are due by the rate, on the monotonic clock. */
  #dueAt: number | undefined;

  constructor(replay: StoredReplay, options: ReplayRunOptions) {
    this.#options = options;
    this.#replay = replay;
    // Later ones are delivered anyway.
    const until = Math.min(replay.request.until ?? Infinity, replay.createdAt + 1);
    this.#request = { ...replay.request, until };
  }

  /** Resolves to whether all were queued. @throws StateError when the store is away */
  async work(): Promise<boolean> {
    const from = await this.#withTotal();
    if (!from) return false;
    this.#options.log.began(this.#replay, from.total ?? 0);
    return this.#sendFrom(from);
  }

  async #sendFrom(from: ReplayPosition): Promise<boolean> {
    const { clock, kept, pace, signal } = this.#options;
    const { since, until } = this.#request;
    const selected = replaySelector(this.#request, this.#options);
    const batch = new ReplayBatch(clock, batchLimits(this.#request));
    const next = pace.turns(() => this.#isRunning, signal);
    const counted = from.total === undefined ? {} : { total: from.total };
    let position = from;
    for await (const block of kept.read({ after: from.after, since, until })) {
      const behind = { ...counted, after: block.position, done: 0 };
      const events = await selected(block, doneIn(from, block, position === from));
      for (const event of events) {
        batch.add(event);
        if (!batch.isFull) continue;
        const within = { ...position, within: block.position, done: event.at + 1 };
        const reached = event === events.at(-1) ? behind : within;
        if (!(await this.#queue(batch.take(), reached))) return false;
      }
      position = behind;
      if (batch.ageMs >= queueAfterMs && !(await this.#queue(batch.take(), position))) return false;
      if (!(await next(block))) return false;
    }
    const rest = batch.take();
    return rest.length === 0 || this.#queue(rest, position);
  }

  /** Queues events, and waits for as long as they take at the rate of the replay. Resolves to whether to go on. */
  async #queue(events: readonly ReadEvent[], position: ReplayPosition): Promise<boolean> {
    const { clock, pace, onChange } = this.#options;
    const { perSecond = Infinity } = this.#request;
    const takesMs = (events.length / perSecond) * 1_000;
    for (let ms = pace.waitMs; ms > 0; ms = pace.waitMs) {
      await this.#sleep(Math.min(Math.max(ms, 1), lookAgainMs));
      if (!this.#isRunning) return false;
    }
    if (!(await this.#waitForRoom())) return false;
    if (!(await this.#add(events, position))) return false;
    pace.addReplayed(events.length);
    onChange();
    const now = clock.monotonic();
    // Reading and storing them are part of the time; later than one turn, they are not caught up.
    this.#dueAt = Math.max(this.#dueAt ?? now, now - takesMs) + takesMs;
    await this.#sleep(this.#dueAt - now);
    return true;
  }

  /** Counts the events, if needed. Resolves to the stored position with the total; undefined if the replay ended. */
  async #withTotal(): Promise<ReplayPosition | undefined> {
    const { pace, signal, onChange } = this.#options;
    const { position, sent } = this.#replay;
    const next = pace.turns(() => this.#isRunning, signal);
    if (position.total !== undefined) return position;
    const left: ReplayCount = { events: 0, position };
    for (let isAll = false; !isAll;) {
      try {
        isAll = await countSelected(this.#request, left, { ...this.#options, next });
        if (!isAll) return undefined;
      } catch (error) {
        // Not given up: the next process would count from the beginning.
        if (!(error instanceof StateError) || !this.#isRunning) throw error;
        await this.#sleep(retryMs);
      }
    }
    const counted = { ...position, total: sent + left.events };
    if (!(await this.#add([], counted))) return undefined;
    onChange();
    return counted;
  }

  get #isRunning(): boolean {
    const { replays, signal } = this.#options;
    return !signal.aborted && replays.isOurs(this.#replay.id);
  }

  /** Queues events; repeated until that is stored or the service stops. Resolves to whether it is stored. */
  async #add(events: readonly ReadEvent[], position: ReplayPosition): Promise<boolean> {
    const { replays, onStored, signal } = this.#options;
    const { id, request } = this.#replay;
    while (!signal.aborted) {
      try {
        await replays.add({ id, events, position }, request.destination, onStored);
        return true;
      } catch (error) {
        if (this.#options.store.failure === undefined) throw error;
        await this.#sleep(retryMs);
      }
    }
    return false;
  }

  /** Waits until the destination takes events, and few wait for it. Resolves to whether the replay still runs. */
  async #waitForRoom(): Promise<boolean> {
    const { replays, clock, log, pace } = this.#options;
    const { destination: name } = this.#request;
    const began = clock.monotonic();
    for (;;) {
      if (!this.#isRunning) return false;
      const destination = this.#destinationOf(name);
      if (!destination)
        throw new Error(
          `the destination "${name}" was removed from the configuration; add it again, and start a new replay`,
        );
      if (this.#acceptsEvents(destination) && (await replays.hasRoom(name, pace.maxWaiting))) {
        log.goesOn(this.#replay);
        return true;
      }
      log.waits(this.#replay, destination);
      const waitedMs = clock.monotonic() - began;
      await this.#sleep(Math.min(maxPollMs, Math.max(minPollMs, waitedMs / 10)));
    }
  }

  /**
   * Whether events may be queued now. With a rate not during an outage: what is queued meanwhile would be sent all at
   * once after it.
   */
  #acceptsEvents({ name, isEnabled }: Destination): boolean {
    const { store, isStalled } = this.#options;
    const hasRate = this.#request.perSecond !== undefined;
    return store.failure === undefined && isEnabled && !(hasRate && isStalled(name));
  }

  #destinationOf(name: string): Destination | undefined {
    return this.#options.routing().destinations.find((one) => one.name === name);
  }

  #sleep(ms: number): Promise<void> {
    return sleep(ms, this.#options.clock, this.#options.signal);
  }
}

function batchLimits({ perSecond = Infinity }: ReplayRequest): BatchLimits {
  const events = Math.max(1, Math.floor(perSecond / batchesPerSecond));
  return { ...maxBatch, events: Math.min(maxBatch.events, events) };
}
