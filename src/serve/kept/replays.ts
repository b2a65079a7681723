import { selectionFrom } from '../../events/select.js';
import { randomUUID } from 'node:crypto';
import type { Clock } from '../../clock.js';
import { StateError } from '../../errors.js';
import type { Destination, Routing } from '../types.js';
import type { OnStored, ServiceStore } from '../store/service-store.js';
import { keptSelector } from './lines.js';
import type { ReadEvent } from './block.js';
import type { KeptEvents, ReadBlock } from './kept-events.js';
import type { ReplayPosition, ReplayRequest, ReplayStore, StoredReplay } from './replay.js';

export interface ReplaysOptions {
  readonly store: Pick<ServiceStore, 'failure'>;
  readonly kept: KeptEvents;
  readonly replays: ReplayStore;
  readonly clock: Clock;
  readonly routing: () => Routing;
  /** An event is queued. */
  readonly onStored: OnStored;
  /** Its numbers have changed. */
  readonly onChange: () => void;
}

/** How many events a request would send. */
export interface ReplayPreview {
  readonly events: number;
  /** False: there may be more, since counting took too long. */
  readonly isComplete: boolean;
}

/** What may wait for a first attempt before more is queued: live events are behind no more than that. */
const mostQueued = 512;
/** Queued at once, with or without a rate. */
const mostAtOnce = 128;
const turnsPerSecond = 10;
const pollMs = 20;
/** After so many blocks, about a megabyte, others get their turn. */
const blocksPerTurn = 16;
const turnMs = 10;
const previewMs = 10_000;
/** After a failed write. */
const retryMs = 1_000;

/** Sends kept events again: one loop for each replay that the store hands out, from where it is. */
export class Replays {
  readonly #options: ReplaysOptions;
  readonly #running = new Map<string, Promise<void>>();
  #isStarted = false;
  #isStopped = false;
  readonly #wake = new Set<() => void>();

  constructor(options: ReplaysOptions) {
    this.#options = options;
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

  /** The newest first. */
  async list(): Promise<StoredReplay[]> {
    return this.#options.replays.list();
  }

  async find(id: string): Promise<StoredReplay | undefined> {
    return (await this.list()).find((one) => one.id === id);
  }

  /** Begins one. Resolves to its id when it is durable. @throws StateError when it cannot be; UsageError for `where` */
  async create(request: ReplayRequest): Promise<string> {
    const { replays } = this.#options;
    keptSelector(selectionFrom(request));
    const id = randomUUID().slice(0, 8);
    await replays.create(id, request);
    this.resume();
    return id;
  }

  /** Counts what it would send now. @throws UsageError for `where` */
  async preview(request: ReplayRequest): Promise<ReplayPreview> {
    const { clock, kept } = this.#options;
    const isSelected = this.#selector(request);
    const end = clock.monotonic() + previewMs;
    let events = 0;
    let blocks = 0;
    const { since, until } = request;
    for await (const block of kept.read({ since, until })) {
      events += (await isSelected(block)).length;
      if (clock.monotonic() > end || this.#isStopped) return { events, isComplete: false };
      if (++blocks % blocksPerTurn === 0) await this.#sleep(turnMs);
    }
    return { events, isComplete: true };
  }

  /** Queues nothing more; what is queued already is sent. */
  async stopOne(id: string): Promise<void> {
    await this.#options.replays.stop(id);
    this.#options.onChange();
  }

  /** They go on at the next start. Resolves when nothing is written anymore. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    for (const wake of [...this.#wake]) wake();
    await Promise.all(this.#running.values());
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
    this.#running.delete(id);
    // The store hands it out again.
    if (isAway) this.resume();
  }

  async #fail(id: string, error: unknown): Promise<void> {
    if (this.#isStopped) return;
    const message = error instanceof Error ? error.message : String(error);
    // What cannot be written is tried again after the next start.
    await this.#options.replays.end(id, 'failed', message).catch(() => undefined);
    this.#options.onChange();
  }

  async #replay({ id, request, position: from, createdAt }: StoredReplay): Promise<void> {
    const { kept, replays, onChange } = this.#options;
    const until = Math.min(request.until ?? Infinity, createdAt + 1);
    const isSelected = this.#selector({ ...request, until });
    const perTurn = perTurnOf(request);
    let done = from.done;
    let blocks = 0;
    let position: ReplayPosition = from;
    const period = { since: request.since, until };
    for await (const block of kept.read({ after: from.after, ...period })) {
      const wanted = await isSelected(block, done);
      for (let i = 0; i < wanted.length; i += perTurn) {
        const events = wanted.slice(i, i + perTurn);
        if (!(await this.#room(id, request.destination))) return;
        const isLast = i + perTurn >= wanted.length;
        const next = isLast
          ? { after: block.position, done: 0 }
          : { ...position, done: events.at(-1)!.at + 1 };
        await this.#add({ id, events, position: next }, request.destination);
        onChange();
        if (request.perSecond !== undefined)
          await this.#sleep((events.length / request.perSecond) * 1000);
      }
      done = 0;
      position = { after: block.position, done: 0 };
      if (++blocks % blocksPerTurn === 0) await this.#sleep(turnMs);
      if (this.#isStopped || !replays.isOurs(id)) return;
    }
    await replays.end(id, 'finished');
    onChange();
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
  async #room(id: string, destination: string): Promise<boolean> {
    const { store, replays } = this.#options;
    for (;;) {
      if (this.#isStopped || !replays.isOurs(id)) return false;
      if (!this.#destinationOf(destination))
        throw new Error(
          `the destination "${destination}" was removed from the configuration; add it again, and start a new replay`,
        );
      if (store.failure === undefined && (await replays.hasRoom(destination, mostQueued)))
        return true;
      await this.#sleep(pollMs);
    }
  }

  #destinationOf(name: string): Destination | undefined {
    return this.#options.routing().destinations.find((one) => one.name === name);
  }

  /**
   * The events of a block that are kept for a destination: of sources that list it, within its retention, in this state
   * there. Those before the place `from` are left out.
   */
  #selector(request: ReplayRequest): (block: ReadBlock, from?: number) => Promise<ReadEvent[]> {
    const { clock, replays, routing } = this.#options;
    const { destination, state } = request;
    const sources = routing()
      .sources.filter((source) => source.destinations.includes(destination))
      .map(({ name }) => name);
    const isSelected = keptSelector({ ...selectionFrom(request), sources });
    return async ({ events, retentionMs }, from = 0) => {
      const after = clock.now() - retentionMs;
      const selected = events.filter(
        (event) => event.at >= from && event.receivedAt > after && isSelected(event),
      );
      if (selected.length === 0) return [];
      const waiting = await replays.waiting(destination, selected);
      const ended = selected.filter((event) => !waiting.has(event));
      if (state === 'any') return ended;
      const dead = await replays.dead(destination, ended);
      return ended.filter((event) =>
        state === 'dead'
          ? dead.has(event)
          : !dead.has(event) && event.destinations.includes(destination),
      );
    };
  }

  #sleep(ms: number): Promise<void> {
    if (this.#isStopped) return Promise.resolve();
    return new Promise((resolve) => {
      const wake = (): void => {
        this.#wake.delete(wake);
        cancel();
        resolve();
      };
      const cancel = this.#options.clock.after(ms, wake);
      this.#wake.add(wake);
    });
  }
}

function perTurnOf({ perSecond }: ReplayRequest): number {
  if (perSecond === undefined) return mostAtOnce;
  return Math.min(mostAtOnce, Math.max(1, Math.floor(perSecond / turnsPerSecond)));
}
