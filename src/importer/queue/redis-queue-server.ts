import type { Redis } from 'ioredis';
import type { EndpointNotice } from '../../delivery/endpoint-notice.js';
import { BullQueues } from './bull-queues.js';
import { RunCleanup } from './cleanup.js';
import type { QueueConnection } from './connection.js';
import type { CommitResult, ItemCommit, ItemKind, ItemRef, RangeItem, RetryBatch } from './item.js';
import { ItemStore } from './item-store.js';
import { queueName, RunKeys } from './keys.js';
import { NoticeStore, type UrlNotice } from './notice-store.js';
import type { QueuePackages } from './packages.js';
import type { Plan } from './plan.js';
import type {
  QueueServer,
  RateLease,
  RunMessage,
  UnfinishedRange,
  VerifyResult,
} from './queue-server.js';
import { RateStore } from './rate-store.js';
import { RunMessages } from './run-messages.js';
import { RunProblems } from './run-problems.js';
import type { RunHead, RunRecord, RunSnapshot, WorkerReport } from './run-record.js';
import { RunStore } from './run-store.js';
import type { ServerClock } from './server-clock.js';
import type { FailureLimit } from '../stop-rule.js';
import { readSnapshot } from './snapshot.js';
import { readUnfinished } from './unfinished-ranges.js';
import { RunVerifier } from './verify.js';
import { removeReport, storeReport } from './worker-reports.js';

export interface RedisQueueServerOptions {
  readonly connection: QueueConnection;
  readonly packages: QueuePackages;
  /** Already started. */
  readonly clock: ServerClock;
  readonly prefix: string;
}

/** Joins the parts behind `QueueServer`. */
export class RedisQueueServer implements QueueServer {
  readonly prefix: string;
  readonly #connection: QueueConnection;
  readonly #clock: ServerClock;
  readonly #queues: BullQueues;
  readonly #runs: RunStore;
  readonly #items: ItemStore;
  readonly #rates: RateStore;
  readonly #notices: NoticeStore;
  readonly #messages: RunMessages;
  readonly #problems: RunProblems;
  readonly #cleanup: RunCleanup;
  readonly #verifier: RunVerifier;

  constructor({ connection, packages, clock, prefix }: RedisQueueServerOptions) {
    const now = () => clock.now();
    const queues = new BullQueues(connection, packages, prefix);
    const runs = new RunStore(connection, queues, prefix);
    const items = new ItemStore(connection, queues, { prefix, now });
    this.prefix = prefix;
    this.#connection = connection;
    this.#clock = clock;
    this.#queues = queues;
    this.#runs = runs;
    this.#items = items;
    this.#rates = new RateStore(connection, prefix);
    this.#notices = new NoticeStore(connection, prefix, now);
    this.#messages = new RunMessages(connection, prefix);
    this.#problems = new RunProblems(connection, prefix);
    this.#cleanup = new RunCleanup(connection, queues, { runs, prefix });
    this.#verifier = new RunVerifier({ connection, queues, items, runs, prefix });
  }

  get url(): string {
    return this.#connection.shown;
  }

  get client(): Redis {
    return this.#connection.client;
  }

  now(): number {
    return this.#clock.now();
  }

  isAvailable(withinMs: number): Promise<boolean> {
    return this.#connection.isAvailable(withinMs);
  }

  join(identity: string, plan: Plan, name: string, isFresh: boolean): Promise<RunRecord> {
    return this.#runs.join(identity, plan, name, isFresh);
  }

  list(): Promise<RunHead[]> {
    return this.#runs.list();
  }

  find(run: string): Promise<RunRecord | undefined> {
    return this.#runs.find(run);
  }

  async snapshot(run: string): Promise<RunSnapshot | undefined> {
    const record = await this.#runs.find(run);
    if (!record) return undefined;
    const { prefix } = this;
    return readSnapshot(this.#connection, record, {
      prefix,
      now: this.now(),
      problems: this.#problems,
    });
  }

  async addRanges(run: string, items: ReadonlyMap<string, RangeItem>): Promise<void> {
    await this.#runs.get(run);
    await this.#items.addRanges(run, items);
  }

  endPlanning(run: string, total: number): Promise<void> {
    return this.#runs.endPlanning(run, total);
  }

  pause(run: string, stopReason: string | null): Promise<boolean> {
    return this.#runs.pause(run, stopReason);
  }

  resume(run: string, stopAfter?: FailureLimit): Promise<boolean> {
    return this.#runs.resume(run, stopAfter);
  }

  cancel(run: string): Promise<boolean> {
    return this.#runs.cancel(run);
  }

  finishIfDone(run: string): Promise<boolean> {
    return this.#runs.finishIfDone(run);
  }

  remove(run: string): Promise<void> {
    return this.#cleanup.remove(run);
  }

  removeExpired(): Promise<void> {
    return this.#cleanup.removeExpired(this.now());
  }

  commit(item: ItemRef, commit: ItemCommit): Promise<CommitResult> {
    return this.#items.commit(item, commit);
  }

  scheduleRetries(run: string, ids: readonly string[]): Promise<void> {
    return this.#items.scheduleRetries(run, ids);
  }

  retryBatch(run: string, id: string): Promise<RetryBatch | undefined> {
    return this.#items.retryBatch(run, id);
  }

  deadLetters(run: string, start: number, limit: number): Promise<Buffer[]> {
    return this.#items.deadLetters(run, start, limit);
  }

  async unfinishedRanges(run: string): Promise<UnfinishedRange[]> {
    const record = await this.#runs.get(run);
    return readUnfinished(this.#connection, record, this.prefix);
  }

  lease(run: string, perSecond: number, unused: number): Promise<RateLease> {
    return this.#rates.lease(run, perSecond, unused);
  }

  returnTurns(run: string, perSecond: number, unused: number): Promise<void> {
    return this.#rates.returnTurns(run, perSecond, unused);
  }

  mayProbe(run: string, url: number): Promise<boolean> {
    return this.#rates.mayProbe(run, url);
  }

  notify(run: string, url: number, notice: EndpointNotice): Promise<void> {
    return this.#notices.notify(run, url, notice);
  }

  notices(run: string): Promise<readonly UrlNotice[]> {
    return this.#notices.notices(run);
  }

  subscribe(run: string, listener: (message: RunMessage) => void): Promise<() => Promise<void>> {
    return this.#messages.subscribe(run, listener);
  }

  subscribeToRuns(listener: () => void): Promise<() => Promise<void>> {
    return this.#messages.subscribeToAll(listener);
  }

  report(run: string, worker: WorkerReport): Promise<void> {
    return storeReport(this.#connection, new RunKeys(this.prefix, run), worker);
  }

  leave(run: string, worker: string): Promise<void> {
    return removeReport(this.#connection, new RunKeys(this.prefix, run), worker);
  }

  verify(run: string): Promise<VerifyResult> {
    return this.#verifier.verify(run);
  }

  queueName(run: string, kind: ItemKind): string {
    return queueName(run, kind);
  }

  async close(): Promise<void> {
    this.#clock.stop();
    this.#messages.close();
    await this.#queues.close();
    await this.#connection.close();
  }
}
