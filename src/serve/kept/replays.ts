import { randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import type { Clock } from '../../clock.js';
import { sleep } from '../../delivery/sleep.js';
import { StateError } from '../../errors.js';
import type { Log } from '../log.js';
import type { Destination, Routing } from '../types.js';
import type { OnStored, ServiceStore } from '../store/service-store.js';
import type { ReadEvent } from './block.js';
import type { KeptEvents, ReadBlock } from './kept-events.js';
import { countSelected, type ReplayCount } from './replay-count.js';
import { ReplayLog } from './replay-log.js';
import { ReplayPace } from './replay-pace.js';
import { checkSelection, replaySelector } from './replay-selector.js';
import { ReplayTurn, type ReplayTurnLimits } from './replay-turn.js';
import {
  doneIn,
  type ReplayPosition,
  type ReplayRequest,
  type ReplayStore,
  type StoredReplay,
} from './replay.js';

export interface ReplaysOptions {
  readonly store: Pick<ServiceStore, 'failure'>;
  readonly kept: KeptEvents;
  readonly replays: ReplayStore;
  readonly clock: Clock;
  readonly log: Log;
  readonly routing: () => Routing;
  /** An event is queued. */
  readonly onStored: OnStored;
  /** Its numbers have changed. */
  readonly onChange: () => void;
  /** Of the event loop, 0 to 1, since it was last asked. */
  readonly utilization: () => number;
}

/** How many events a request would send. */
export interface ReplayPreview {
  readonly events: number;
  /** False: there may be more, since counting took too long. */
  readonly isComplete: boolean;
}

/** Queued at once, with or without a rate. */
const mostAtOnce = { events: 256, bytes: 1024 * 1024 };
const turnsPerSecond = 10;
/** Where there is no room: at first, and later a tenth of how long there was none. */
const minPollMs = 5;
const maxPollMs = 1_000;
/** After so many events were read, or bytes, others get their turn: a longer one where live events need it. */
const readPerTurn = { events: 512, bytes: 1024 * 1024 };
const turnMs = 1;
const busyTurnMs = 20;
/** What was found is queued then, so that it is known how far a replay is. */
const queueAfterMs = 1_000;
/** Whether to wait for longer may have changed by then. */
const lookAgainMs = 250;
const previewMs = 10_000;
/** After a failed write. */
const retryMs = 1_000;

/** Sends kept events again: one loop for each replay that the store hands out, from where it is. */
export class Replays {
  readonly #options: ReplaysOptions;
  readonly #log: ReplayLog;
  readonly #pace: ReplayPace;
  readonly #running = new Map<string, Promise<void>>();
  readonly #stopping = new AbortController();
  #isStarted = false;

  constructor(options: ReplaysOptions) {
    this.#options = options;
    this.#log = new ReplayLog(options.log);
    this.#pace = new ReplayPace(options);
    // Each replay that waits listens to it.
    setMaxListeners(0, this.#stopping.signal);
  }

  /** Resumes what an earlier process left. */
  start(): void {
    this.#isStarted = true;
    this.resume();
  }

  /** Goes on with what nobody has in hand anymore. */
  resume(): void {
    // What cannot be read now is asked for again.
    void this.#take().catch(() => undefined);
  }

  /** Live events were accepted. */
  addLive(events: number): void {
    this.#pace.addLive(events);
  }

  /** The newest first. */
  async list(): Promise<StoredReplay[]> {
    return this.#options.replays.list();
  }

  async find(id: string): Promise<StoredReplay | undefined> {
    return (await this.list()).find((one) => one.id === id);
  }

  /**
   * Begins one. Resolves to its id when it is durable.
   * @throws StateError when it cannot be; UsageError for what can select nothing
   */
  async create(request: ReplayRequest): Promise<string> {
    const { replays, routing } = this.#options;
    checkSelection(request, routing());
    const id = randomUUID().slice(0, 8);
    await replays.create(id, request);
    this.resume();
    return id;
  }

  /** Counts what it would send now. @throws UsageError for what can select nothing */
  async preview(request: ReplayRequest): Promise<ReplayPreview> {
    const { clock, routing } = this.#options;
    checkSelection(request, routing());
    const end = clock.monotonic() + previewMs;
    const count: ReplayCount = { events: 0, position: { done: 0 } };
    const mayContinue = (): boolean => clock.monotonic() <= end && !this.#isStopped;
    const isComplete = await this.#count(request, count, mayContinue);
    return { events: count.events, isComplete };
  }

  /** The ids of those that run and send to a destination. */
  async runningFor(destination: string): Promise<string[]> {
    return (await this.list())
      .filter(({ state, request }) => state === 'running' && request.destination === destination)
      .map(({ id }) => id);
  }

  /** How many run, as of a moment ago. */
  get running(): number {
    return this.#options.replays.running;
  }

  /** Queues nothing more; what is queued already is sent. */
  async stopOne(id: string): Promise<void> {
    const { replays, onChange } = this.#options;
    const ran = await replays.stop(id);
    onChange();
    if (ran) await this.#logEnd(id);
  }

  /** They go on at the next start. Resolves when nothing is written anymore. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await Promise.all(this.#running.values());
  }

  get #isStopped(): boolean {
    return this.#stopping.signal.aborted;
  }

  async #take(): Promise<void> {
    const { replays } = this.#options;
    if (!this.#isStarted || this.#isStopped) return;
    for (const replay of await replays.take()) {
      if (!this.#running.has(replay.id)) this.#run(replay);
    }
  }

  #run(replay: StoredReplay): void {
    this.#running.set(replay.id, this.#work(replay));
  }

  async #work(replay: StoredReplay): Promise<void> {
    const { id } = replay;
    let isAway = false;
    try {
      await this.#replay(replay);
    } catch (error) {
      isAway = error instanceof StateError;
      if (isAway) await this.#sleep(retryMs);
      else await this.#fail(id, error);
    }
    await this.#options.replays.release(id);
    if (!isAway) this.#log.left(replay);
    this.#running.delete(id);
    // The store hands it out again.
    if (isAway) this.resume();
  }

  async #fail(id: string, error: unknown): Promise<void> {
    if (this.#isStopped) return;
    const message = error instanceof Error ? error.message : String(error);
    // What cannot be written is tried again after the next start.
    await this.#end(id, 'failed', message).catch(() => undefined);
  }

  async #end(id: string, state: 'finished' | 'failed', message?: string): Promise<void> {
    const { replays, onChange } = this.#options;
    await replays.end(id, state, message);
    onChange();
    await this.#logEnd(id);
  }

  async #logEnd(id: string): Promise<void> {
    // What cannot be read now is in the list later.
    const ended = await this.find(id).catch(() => undefined);
    if (ended) this.#log.ended(ended);
  }

  async #replay(replay: StoredReplay): Promise<void> {
    const { id, createdAt } = replay;
    // Later ones are delivered anyway.
    const until = Math.min(replay.request.until ?? Infinity, createdAt + 1);
    const request = { ...replay.request, until };
    const from = await this.#withTotal(replay, request);
    if (!from) return;
    this.#log.began(replay, from.total ?? 0);
    if (await this.#sendFrom(from, { ...replay, request })) await this.#end(id, 'finished');
  }

  /** Resolves to whether all were queued. */
  async #sendFrom(from: ReplayPosition, replay: StoredReplay): Promise<boolean> {
    const { clock, kept } = this.#options;
    const { request } = replay;
    const { since, until } = request;
    const selected = replaySelector(request, this.#options);
    const turn = new ReplayTurn(clock, mostIn(request));
    const next = this.#turns(() => this.#isRunning(replay.id));
    const counted = from.total === undefined ? {} : { total: from.total };
    let position = from;
    for await (const block of kept.read({ after: from.after, since, until })) {
      const behind = { ...counted, after: block.position, done: 0 };
      const events = await selected(block, doneIn(from, block.position, position === from));
      for (const event of events) {
        turn.add(event);
        if (!turn.isFull) continue;
        const within = { ...position, within: block.position, done: event.at + 1 };
        const reached = event === events.at(-1) ? behind : within;
        if (!(await this.#queue(turn.take(), reached, replay))) return false;
      }
      position = behind;
      if (turn.ageMs >= queueAfterMs && !(await this.#queue(turn.take(), position, replay)))
        return false;
      if (!(await next(block))) return false;
    }
    const rest = turn.take();
    return rest.length === 0 || this.#queue(rest, position, replay);
  }

  /** Queues some, and waits for as long as they take by the rate. Resolves to whether there may be more. */
  async #queue(
    events: readonly ReadEvent[],
    position: ReplayPosition,
    replay: StoredReplay,
  ): Promise<boolean> {
    const { id, request } = replay;
    const { perSecond = Infinity } = request;
    for (let ms = this.#pace.waitMs; ms > 0; ms = this.#pace.waitMs) {
      await this.#sleep(Math.min(ms, lookAgainMs));
      if (!this.#isRunning(id)) return false;
    }
    if (!(await this.#waitForRoom(replay))) return false;
    await this.#add({ id, events, position }, request.destination);
    this.#pace.addReplayed(events.length);
    this.#options.onChange();
    await this.#sleep((events.length / perSecond) * 1_000);
    return true;
  }

  /** To be awaited after each block: gives others their turn. Resolves to whether to go on. */
  #turns(mayContinue: () => boolean): (block: ReadBlock) => Promise<boolean> {
    let left = { ...readPerTurn };
    return async ({ events }) => {
      left.events -= Math.max(events.length, 1);
      for (const { event } of events) left.bytes -= event.bytes.length;
      if (left.events > 0 && left.bytes > 0) return true;
      left = { ...readPerTurn };
      await this.#sleep(this.#pace.perSecond === Infinity ? turnMs : busyTurnMs);
      return mayContinue();
    };
  }

  /** Resolves to the position with its total, which is stored; undefined if the replay runs no more. */
  async #withTotal(
    { id, position, sent }: StoredReplay,
    request: ReplayRequest,
  ): Promise<ReplayPosition | undefined> {
    if (position.total !== undefined) return position;
    const left: ReplayCount = { events: 0, position };
    for (let isAll = false; !isAll;) {
      try {
        isAll = await this.#count(request, left, () => this.#isRunning(id));
        if (!isAll) return undefined;
      } catch (error) {
        // Whoever takes it next would begin again.
        if (!(error instanceof StateError) || !this.#isRunning(id)) throw error;
        await this.#sleep(retryMs);
      }
    }
    const counted = { ...position, total: sent + left.events };
    await this.#add({ id, events: [], position: counted }, request.destination);
    this.#options.onChange();
    return counted;
  }

  #count(request: ReplayRequest, count: ReplayCount, mayContinue: () => boolean): Promise<boolean> {
    return countSelected(request, count, { ...this.#options, next: this.#turns(mayContinue) });
  }

  #isRunning(id: string): boolean {
    return !this.#isStopped && this.#options.replays.isOurs(id);
  }

  /** Repeated until it is written, or the service stops. */
  async #add(progress: Parameters<ReplayStore['add']>[0], destination: string): Promise<void> {
    const { replays, onStored } = this.#options;
    while (!this.#isStopped) {
      try {
        await replays.add(progress, destination, onStored);
        return;
      } catch (error) {
        if (this.#options.store.failure === undefined) throw error;
        await this.#sleep(retryMs);
      }
    }
  }

  /** Waits until live events wait for no more than a moment. Resolves to whether it is still to be sent. */
  async #waitForRoom(replay: StoredReplay): Promise<boolean> {
    const { store, replays, clock } = this.#options;
    const { id, request } = replay;
    const began = clock.monotonic();
    for (;;) {
      if (!this.#isRunning(id)) return false;
      const destination = this.#destinationOf(request.destination);
      if (!destination)
        throw new Error(
          `the destination "${request.destination}" was removed from the configuration; add it again, and start a new replay`,
        );
      const hasRoom =
        store.failure === undefined &&
        (await replays.hasRoom(request.destination, this.#pace.mostWaiting));
      if (hasRoom) {
        this.#log.goesOn(replay);
        return true;
      }
      this.#log.waits(replay, destination);
      const waitedMs = clock.monotonic() - began;
      await this.#sleep(Math.min(maxPollMs, Math.max(minPollMs, waitedMs / 10)));
    }
  }

  #destinationOf(name: string): Destination | undefined {
    return this.#options.routing().destinations.find((one) => one.name === name);
  }

  #sleep(ms: number): Promise<void> {
    return sleep(ms, this.#options.clock, this.#stopping.signal);
  }
}

/** What is queued at once. */
function mostIn({ perSecond = Infinity }: ReplayRequest): ReplayTurnLimits {
  const events = Math.max(1, Math.floor(perSecond / turnsPerSecond));
  return { ...mostAtOnce, events: Math.min(mostAtOnce.events, events) };
}
