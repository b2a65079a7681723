import { setTimeout as wait } from 'node:timers/promises';
import type { EndpointNotice } from '../../../delivery/endpoint-notice.js';
import type { SharedStore } from '../../../store/postgres/open.js';
import type { FailureLimit } from '../../stop-rule.js';
import type {
  CommitResult,
  ItemCommit,
  ItemKind,
  ItemRef,
  RetryBatch,
  TakenItem,
} from '../item.js';
import type { RunHead, RunRecord, RunSnapshot, WorkerReport } from '../run-record.js';
import type {
  RunMessage,
  RunStore,
  UnfinishedRange,
  UrlNotice,
  VerifyResult,
} from '../run-store.js';
import { channelOf, messageOf } from './channels.js';
import { Items } from './items.js';
import { Limits } from './limits.js';
import { Runs } from './runs.js';
import { readSnapshot } from './snapshot.js';
import { verifyRun } from './verify.js';
import type { LeaseRequest, TurnLease } from '../../../turn-lease.js';

/** Runs on PostgreSQL. */
export class PostgresRunStore implements RunStore {
  readonly #store: SharedStore;
  readonly #runs: Runs;
  readonly #items: Items;
  readonly #limits: Limits;

  constructor(store: SharedStore) {
    this.#store = store;
    this.#runs = new Runs(store);
    this.#items = new Items(store);
    this.#limits = new Limits(store);
  }

  get name(): string {
    return this.#store.name;
  }

  now(): number {
    return this.#store.database.now();
  }

  async isAvailable(withinMs: number): Promise<boolean> {
    const { database } = this.#store;
    const responds = database.query('SELECT 1').then(
      () => true,
      () => false,
    );
    const tooLate = wait(withinMs, false, { ref: false });
    return (await Promise.race([responds, tooLate])) && database.failure === undefined;
  }

  plan(...planned: Parameters<RunStore['plan']>): Promise<RunRecord> {
    return this.#runs.plan(...planned);
  }

  list(): Promise<RunHead[]> {
    return this.#runs.list();
  }

  find(run: string): Promise<RunRecord | undefined> {
    return this.#runs.find(run);
  }

  async snapshot(run: string): Promise<RunSnapshot | undefined> {
    const record = await this.#runs.find(run);
    return record && readSnapshot(this.#store, record);
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
    return this.#runs.remove(run);
  }

  removeExpired(): Promise<void> {
    return this.#runs.removeExpired();
  }

  verify(run: string): Promise<VerifyResult> {
    return verifyRun(this.#store, this.#runs, run);
  }

  take(run: string, kind: ItemKind, limit: number): Promise<TakenItem[]> {
    return this.#items.take(run, kind, limit);
  }

  commit(item: ItemRef, commit: ItemCommit): Promise<CommitResult> {
    return this.#items.commit(item, commit);
  }

  end(item: ItemRef): Promise<CommitResult> {
    return this.#items.end(item);
  }

  fail(item: ItemRef, reason: string): Promise<CommitResult> {
    return this.#items.fail(item, reason);
  }

  giveBack(item: ItemRef): Promise<void> {
    return this.#items.giveBack(item);
  }

  retryBatch(run: string, id: string): Promise<RetryBatch | undefined> {
    return this.#items.retryBatch(run, id);
  }

  async unfinishedRanges(run: string): Promise<UnfinishedRange[]> {
    await this.#runs.get(run);
    return this.#items.unfinished(run);
  }

  deadLetters(run: string, start: number, limit: number): Promise<Buffer[]> {
    return this.#items.deadLetters(run, start, limit);
  }

  lease(run: string, perSecond: number, request: LeaseRequest): Promise<TurnLease> {
    return this.#limits.lease(run, perSecond, request);
  }

  leaseOf(run: string, url: number, perSecond: number, request: LeaseRequest): Promise<TurnLease> {
    return this.#limits.leaseOf(run, url, perSecond, request);
  }

  returnTurns(run: string, perSecond: number, unused: number): Promise<void> {
    return this.#limits.returnTurns(run, perSecond, unused);
  }

  mayProbe(run: string, url: number): Promise<boolean> {
    return this.#limits.mayProbe(run, url);
  }

  notify(run: string, url: number, notice: EndpointNotice): Promise<void> {
    return this.#limits.notify(run, url, notice);
  }

  notices(run: string): Promise<readonly UrlNotice[]> {
    return this.#limits.notices(run);
  }

  subscribe(run: string, listener: (message: RunMessage) => void): Promise<() => Promise<void>> {
    return this.#store.database.listen(
      channelOf(this.#store.schema),
      (text) => {
        const message = messageOf(text);
        if (message?.run === run) listener(message);
      },
      () => listener({ kind: 'status' }),
    );
  }

  subscribeToRuns(listener: () => void): Promise<() => Promise<void>> {
    const onMessage = (text: string): void => {
      if (messageOf(text)?.kind === 'status') listener();
    };
    return this.#store.database.listen(channelOf(this.#store.schema), onMessage, listener);
  }

  report(run: string, worker: WorkerReport): Promise<void> {
    return this.#limits.report(run, worker);
  }

  leave(run: string, worker: string): Promise<void> {
    return this.#limits.leave(run, worker);
  }

  close(): Promise<void> {
    return this.#store.close();
  }
}
