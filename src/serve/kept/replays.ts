import { randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { sleep } from '../../delivery/sleep.js';
import { StateError } from '../../errors.js';
import type { Log } from '../log.js';
import type { KeptEvents } from './kept-events.js';
import { ReplayLog } from './replay-log.js';
import { ReplayPace } from './replay-pace.js';
import { ReplayRun, retryMs, type ReplayRunOptions } from './replay-run.js';
import { checkSelection, countSelected, type ReplayCount } from './replay-selector.js';
import type { ReplayRequest, StoredReplay } from './replay-store.js';

export interface ReplaysOptions extends Omit<ReplayRunOptions, 'log' | 'pace' | 'signal'> {
  readonly kept: KeptEvents;
  readonly log: Log;
  /** Of the event loop, 0 to 1, since it was last asked. */
  readonly utilization: () => number;
}

/** How many events a request would send. */
export interface ReplayPreview {
  readonly events: number;
  /** False: there may be more, since counting took too long. */
  readonly isComplete: boolean;
}

const previewMs = 10_000;

/** Sends kept events again: works on each replay that the store hands out, from its stored position. */
export class Replays {
  readonly #options: ReplaysOptions;
  readonly #log: ReplayLog;
  readonly #pace: ReplayPace;
  readonly #running = new Map<string, Promise<void>>();
  readonly #stopping = new AbortController();
  #isStarted = false;
  #taking: Promise<void> = Promise.resolve();

  constructor(options: ReplaysOptions) {
    this.#options = options;
    this.#log = new ReplayLog(options.log);
    this.#pace = new ReplayPace(options);
    // Each waiting replay adds a listener.
    setMaxListeners(0, this.#stopping.signal);
  }

  /** Begins with the replays of an earlier process. */
  start(): void {
    this.#isStarted = true;
    this.resume();
  }

  /** Takes the replays that no process works on. */
  resume(): void {
    // After an error the next call tries again.
    this.#taking = this.#taking.then(() => this.#take()).catch(() => undefined);
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
   * Begins a replay. Resolves to its id when it is durable.
   * @throws StateError when it cannot be stored; UsageError for a request that can select nothing
   */
  async create(request: ReplayRequest): Promise<string> {
    const { replays, routing } = this.#options;
    checkSelection(request, routing());
    const id = randomUUID().slice(0, 8);
    await replays.create(id, request);
    this.resume();
    return id;
  }

  /** Counts the events that a request would send now. @throws UsageError for one that can select nothing */
  async preview(request: ReplayRequest): Promise<ReplayPreview> {
    const { clock, routing } = this.#options;
    checkSelection(request, routing());
    const end = clock.monotonic() + previewMs;
    const count: ReplayCount = { events: 0, position: { done: 0 } };
    const mayContinue = (): boolean => clock.monotonic() <= end && !this.#isStopped;
    const next = this.#pace.turns(mayContinue, this.#stopping.signal);
    const isComplete = await countSelected(request, count, { ...this.#options, next });
    return { events: count.events, isComplete };
  }

  /** The ids of running replays to a destination. */
  async runningFor(destination: string): Promise<string[]> {
    return (await this.list())
      .filter(({ state, request }) => state === 'running' && request.destination === destination)
      .map(({ id }) => id);
  }

  /** How many run, as of a moment ago. */
  get running(): number {
    return this.#options.replays.running;
  }

  /** Stops one. What it has queued already is still sent. */
  async stopOne(id: string): Promise<void> {
    const { replays, onChange } = this.#options;
    const ran = await replays.stop(id);
    onChange();
    if (ran) await this.#logEnd(id);
  }

  /** Stops working on all; they go on at the next start. Resolves when nothing is written anymore. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#taking;
    await Promise.all(this.#running.values());
  }

  get #isStopped(): boolean {
    return this.#stopping.signal.aborted;
  }

  async #take(): Promise<void> {
    const { replays } = this.#options;
    if (!this.#isStarted || this.#isStopped) return;
    for (const replay of await replays.take()) {
      const { id } = replay;
      if (this.#running.has(id)) continue;
      // The service may have been stopped while the store was asked.
      if (this.#stopping.signal.aborted) await replays.release(id);
      else this.#running.set(id, this.#work(replay));
    }
  }

  async #work(replay: StoredReplay): Promise<void> {
    const { id } = replay;
    let isAway = false;
    try {
      const run = new ReplayRun(replay, {
        ...this.#options,
        ...{ log: this.#log, pace: this.#pace, signal: this.#stopping.signal },
      });
      if (await run.work()) await this.#end(id, 'finished');
    } catch (error) {
      isAway = error instanceof StateError;
      if (isAway) await sleep(retryMs, this.#options.clock, this.#stopping.signal);
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
    // If that cannot be stored, the replay is taken, and fails, after the next start.
    await this.#end(id, 'failed', message).catch(() => undefined);
  }

  async #end(id: string, state: 'finished' | 'failed', message?: string): Promise<void> {
    const { replays, onChange } = this.#options;
    await replays.end(id, state, message);
    onChange();
    await this.#logEnd(id);
  }

  async #logEnd(id: string): Promise<void> {
    // Only the line of the log is lost.
    const ended = await this.find(id).catch(() => undefined);
    if (ended) this.#log.ended(ended);
  }
}
