import { selectionFrom } from '../../events/select.js';
import { randomUUID } from 'node:crypto';
import type { Clock } from '../../clock.js';
import type { Destination, Routing } from '../types.js';
import type { OnStored, ServiceStore } from '../store/service-store.js';
import { keptSelector } from './lines.js';
import type { KeptEvent } from './block.js';
import type { KeptEvents } from './kept-events.js';
import { readKept, type ReadBlock } from './reader.js';
import type { ReplayPosition, ReplayRequest, ReplayStore, StoredReplay } from './replay.js';

export interface ReplaysOptions {
  readonly store: Pick<ServiceStore, 'length' | 'failure'>;
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

/** Sends kept events again: one loop a replay, which goes on after a restart where it was. */
export class Replays {
  readonly #options: ReplaysOptions;
  readonly #running = new Map<string, Promise<void>>();
  #isStopped = false;
  readonly #wake = new Set<() => void>();

  constructor(options: ReplaysOptions) {
    this.#options = options;
  }

  /** Resumes what an earlier process left. */
  start(): void {
    for (const replay of this.#options.replays.list()) {
      if (replay.state === 'running') this.#run(replay);
    }
  }

  /** The newest first. */
  list(): StoredReplay[] {
    return this.#options.replays.list();
  }

  find(id: string): StoredReplay | undefined {
    return this.list().find((one) => one.id === id);
  }

  /** Begins one. Resolves to its id when it is durable. @throws StateError when it cannot be; UsageError for `where` */
  async create(request: ReplayRequest): Promise<string> {
    const { replays } = this.#options;
    keptSelector(selectionFrom(request));
    const id = randomUUID().slice(0, 8);
    await replays.create(id, request);
    this.#run(this.find(id)!);
    return id;
  }

  /** Counts what it would send now. @throws UsageError for `where` */
  async preview(request: ReplayRequest): Promise<ReplayPreview> {
    const { clock, kept } = this.#options;
    const isSelected = this.#selector(request);
    const end = clock.monotonic() + previewMs;
    let events = 0;
    let blocks = 0;
    for await (const block of readKept(kept.folder, { until: request.until })) {
      events += block.events.filter((event) => isSelected(event, block)).length;
      if (clock.monotonic() > end || this.#isStopped) return { events, isComplete: false };
      if (++blocks % blocksPerTurn === 0) await this.#sleep(turnMs);
    }
    return { events, isComplete: true };
  }

  /** Queues nothing more; what is queued already is sent. */
  async stopOne(id: string): Promise<void> {
    await this.#options.replays.end(id, 'stopped');
    this.#options.onChange();
  }

  /** They go on at the next start. Resolves when nothing is written anymore. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    for (const wake of [...this.#wake]) wake();
    await Promise.all(this.#running.values());
  }

  #run(replay: StoredReplay): void {
    const done = this.#replay(replay)
      .catch((error: unknown) => this.#fail(replay.id, error))
      .finally(() => this.#running.delete(replay.id));
    this.#running.set(replay.id, done);
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
    for await (const block of readKept(kept.folder, { after: from.after, until })) {
      const wanted = block.events.filter((event) => event.at >= done && isSelected(event, block));
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
      if (this.#isStopped || this.find(id)?.state !== 'running') return;
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
    const { store } = this.#options;
    for (;;) {
      if (this.#isStopped || this.find(id)?.state !== 'running') return false;
      if (!this.#destinationOf(destination))
        throw new Error(
          `the destination "${destination}" was removed from the configuration; add it again, and start a new replay`,
        );
      const { waiting, retrying } = store.length(destination);
      if (store.failure === undefined && waiting - retrying < mostQueued) return true;
      await this.#sleep(pollMs);
    }
  }

  #destinationOf(name: string): Destination | undefined {
    return this.#options.routing().destinations.find((one) => one.name === name);
  }

  /** What is kept for a destination: of sources that list it, within its retention, in this state there. */
  #selector(request: ReplayRequest): (event: KeptEvent, block: ReadBlock) => boolean {
    const { clock, replays, routing } = this.#options;
    const { destination, state } = request;
    const sources = routing()
      .sources.filter((source) => source.destinations.includes(destination))
      .map(({ name }) => name);
    const isSelected = keptSelector({ ...selectionFrom(request), sources });
    return (event, { retentionMs }) => {
      if (event.receivedAt <= clock.now() - retentionMs || !isSelected(event)) return false;
      if (replays.isWaiting(destination, event)) return false;
      if (state === 'any') return true;
      const isDead = replays.isDead(destination, event);
      return state === 'dead' ? isDead : !isDead && event.destinations.includes(destination);
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
