import { randomUUID } from 'node:crypto';
import type { TargetSettings } from '../../../config/open-target.js';
import { withoutQuery } from '../../../http/url.js';
import type { AttemptLog } from '../../../ledger/attempt-log.js';
import type { Endpoint } from '../../../webhook/endpoint.js';
import type { ExecutionPool } from '../../workers/execution-pool.js';
import { fetchesTokens, mostThreads, withEndpoints } from '../../workers/thread-share.js';
import type { RunStore, RunMessage } from '../run-store.js';
import type { RunRecord, RunSnapshot } from '../run-record.js';
import { localPath, type Root } from './file-roots.js';
import type { ItemContext } from './item-context.js';
import { ItemTaker } from './item-taker.js';
import { mostParts, partWeight } from './part-weight.js';
import { ReadingHold } from './reading-hold.js';
import { RunTurns } from './run-turns.js';
import { RunWatch } from './run-watch.js';
import { TakeLoop } from './take-loop.js';
import { UrlStates } from './url-states.js';
import type { WorkerListener } from './worker-listener.js';

/** What a worker has for all its runs. */
export interface MemberOptions {
  readonly server: RunStore;
  /** `<host>-<pid>-<4 random hex digits>`. */
  readonly id: string;
  readonly roots: readonly Root[];
  /** Items of each kind in hand at once, per run; small parts count less (`partWeight`). */
  readonly ranges: number;
  /** Requests in flight per URL, over the ranges in hand. */
  readonly concurrency: number;
  readonly log: AttemptLog | undefined;
  /** Events of a run that wait for a retry before reading pauses. Default: 10,000. */
  readonly maxWaiting?: number;
  readonly aheadMs: () => number;
  readonly listener: WorkerListener;
  /** The server refuses what cannot be repeated: the worker has to end. */
  readonly onFailure: (error: unknown) => void;
}

/** What a plan leaves to its workers, with what this one has. */
export type CompletedPlan = Pick<ItemContext, 'settings' | 'changes' | 'files'>;

/** One run that a worker works on. */
export class RunMember {
  readonly #options: MemberOptions;
  readonly #record: RunRecord;
  readonly #taker: ItemTaker;
  readonly #urls: UrlStates;
  readonly #hold: ReadingHold;
  readonly #turns: RunTurns;
  readonly #watch: RunWatch;
  #loops: TakeLoop[] = [];
  #unsubscribe: () => Promise<void> = () => Promise.resolve();
  #left: Promise<void> | undefined;
  #isRefused = false;

  /** `onEnd` is called when there is nothing more to do for the run now. */
  constructor(
    options: MemberOptions,
    record: RunRecord,
    completed: CompletedPlan,
    pool: ExecutionPool,
    onEnd: (snapshot: RunSnapshot | undefined) => void,
  ) {
    this.#options = options;
    this.#record = record;
    const urls = urlsOf(completed.settings);
    this.#urls = new UrlStates({
      ...{ server: options.server, run: record.id, aheadMs: options.aheadMs },
      items: () => this.#taker.items,
      onChange: (url, notice, forMs) => options.listener.url(urls[url] ?? '', notice, forMs),
      onError: options.onFailure,
    });
    this.#hold = new ReadingHold({
      maxWaiting: options.maxWaiting,
      items: () => this.#taker.items,
      onChange: (isHeld, waiting) => options.listener.held(record, isHeld, waiting),
    });
    this.#turns = new RunTurns(options.server, record, completed.settings);
    this.#taker = this.#takerFor(this.#contextOf(completed, urls, pool));
    this.#watch = new RunWatch({
      ...{ server: options.server, record, worker: options.id, onEnd },
      items: () => this.#taker.items.length,
      onLook: (snapshot) => this.#hold.looked(snapshot),
      onFailure: options.onFailure,
    });
  }

  /** Ranges that were given back. */
  get givenBack(): number {
    return this.#taker.givenBack;
  }

  async start(): Promise<void> {
    const { server } = this.#options;
    const { id } = this.#record;
    this.#unsubscribe = await server.subscribe(id, (message) => this.#onMessage(message));
    await this.#readNotices();
    if (this.#left) {
      await this.#unsubscribe();
      return;
    }
    this.#open();
    this.#watch.start();
  }

  /** Those of before this worker joined, or that it may have missed. */
  async #readNotices(): Promise<void> {
    const { server } = this.#options;
    const notices = await server.notices(this.#record.id);
    for (const { url, notice } of notices) this.#urls.heard(url, notice);
  }

  /** Gives back what is in hand; resolves when nothing is sent any more. */
  leave(): Promise<void> {
    this.#left ??= this.#leave();
    return this.#left;
  }

  async #leave(): Promise<void> {
    this.#watch.stop();
    const closed = this.#close();
    this.#taker.stop();
    await closed;
    this.#signOff();
    await this.#unsubscribe();
  }

  /** Not awaited, as the server may be away; a report is forgotten by itself, but later, and turns pass unused. */
  #signOff(): void {
    const { server, id } = this.#options;
    server.leave(this.#record.id, id).catch(() => undefined);
    this.#turns.end().catch(() => undefined);
  }

  #open(): void {
    const { server, ranges, onFailure } = this.#options;
    this.#loops = (['ranges', 'retries'] as const).map(
      (kind) =>
        new TakeLoop({
          ...{ server, run: this.#record.id, kind, concurrency: ranges, onFailure },
          maxItems: mostParts(this.#record.plan, ranges),
          weightOf: ({ range }) => (range ? partWeight(range, this.#record.plan) : 1),
          work: (item) => this.#taker.take(item),
          onEnded: () => this.#onEnded(),
        }),
    );
  }

  async #close(): Promise<void> {
    await Promise.all(this.#loops.map((loop) => loop.close()));
  }

  /** With nothing in hand, the run may have ended. */
  #onEnded(): void {
    if (this.#taker.items.length === 0) this.#watch.look();
  }

  /** Credentials that were accepted when this worker joined are those of all: the run stops, to be resumed. */
  #refused(reason: string): void {
    if (this.#isRefused) return;
    this.#isRefused = true;
    this.#options.server
      .pause(this.#record.id, reason)
      .then(() => this.#watch.look())
      .catch(this.#options.onFailure);
  }

  #onMessage(message: RunMessage): void {
    if (message.kind === 'notice') this.#urls.heard(message.url, message.notice);
    else {
      this.#watch.look();
      for (const loop of this.#loops) loop.wake();
      this.#readNotices().catch(this.#options.onFailure);
    }
  }

  #contextOf(
    { settings, changes, files }: CompletedPlan,
    urls: readonly string[],
    pool: ExecutionPool,
  ): ItemContext {
    const { server, log, aheadMs, concurrency, ranges } = this.#options;
    // A thread that sends to webhooks has the same connections for all its items.
    const most = fetchesTokens(settings) ? 0 : Math.min(pool.threads, mostThreads(settings));
    const threads = Math.max(1, most);
    const shares = settings.kind === 'webhooks' ? threads : ranges;
    return {
      ...{ server, files, log, aheadMs, changes, urls },
      settings: withEndpoints(settings, (endpoint) => inThread(endpoint, threads)),
      record: this.#record,
      concurrency: Math.max(1, Math.floor(concurrency / shares)),
      // Another one after `runs resume`, which forgets what is known of the URLs.
      group: `${this.#record.id} ${randomUUID()}`,
      rangeBytes: pool.rangeBytes(most),
      start: (options) => pool.start(options, most),
      onNotice: (url, notice) => this.#urls.found(url, notice),
      onRefused: (reason) => this.#refused(reason),
      notices: () => this.#urls.current(),
      ...{ hold: this.#hold, turns: this.#turns },
    };
  }

  #takerFor(context: ItemContext): ItemTaker {
    const { listener, onFailure, roots } = this.#options;
    const record = this.#record;
    return new ItemTaker({
      context,
      onItem: (range, end) => {
        if (range) listener.range(record, range, end);
      },
      onProblem: (file, message) => {
        const path = file === undefined ? undefined : record.plan.files[file]?.path;
        listener.failed(record, path && localPath(path, roots), message);
      },
      onFailure,
    });
  }
}

/** The rate of an endpoint is leased. */
function inThread(endpoint: Endpoint, threads: number): Endpoint {
  const { concurrency } = endpoint;
  if (concurrency === undefined) return endpoint;
  return { ...endpoint, concurrency: Math.floor(concurrency / threads) };
}

function urlsOf(settings: TargetSettings): string[] {
  if (settings.kind === 'collector') return [withoutQuery(settings.endpoint)];
  return settings.endpoints.map(({ url }) => withoutQuery(url));
}
