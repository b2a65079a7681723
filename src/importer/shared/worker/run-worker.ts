import { systemClock } from '../../../clock.js';
import type { TargetSettings } from '../../../config/open-target.js';
import { withResolvers } from '../../../with-resolvers.js';
import { UsageError } from '../../../errors.js';
import { limitExternalMemory, limitHeapGrowth, manyFiles } from '../../../memory-limits.js';
import { fetchTokens } from '../../../webhook/tokens.js';
import { ExecutionPool } from '../../workers/execution-pool.js';
import { fetchesTokens } from '../../workers/thread-share.js';
import { planFormat } from '../plan.js';
import type { RunRecord, RunSnapshot } from '../run-record.js';
import { completeChanges } from './complete-changes.js';
import { completeSources } from './complete-sources.js';
import { completeTarget } from './complete-target.js';
import { Refusal } from './refusal.js';
import type { OwnParts } from './own-parts.js';
import { FileLooks } from './file-looks.js';
import type { FilesHere, MissingFiles } from './planned-file.js';
import { RunMember, type CompletedPlan, type MemberOptions } from './run-member.js';

export interface RunWorkerOptions extends Omit<MemberOptions, 'aheadMs' | 'onFailure' | 'ranges'> {
  readonly own: OwnParts;
  /** By how many milliseconds the server's clock is ahead of that of executions in so many threads. */
  readonly aheadMs: (threads: number) => number;
  /** How many threads to use for this target; 0 for this one. */
  readonly threadsFor: (settings: TargetSettings) => number;
  /** `ranges` of `MemberOptions`, by the number of threads. */
  readonly rangesFor: (threads: number) => number;
  /** Aborted to end: what is in flight finishes, the rest is given back. */
  readonly signal: AbortSignal;
}

const lookEveryMs = 1_000;
/** A worker that lacks files leaves them for so long to workers that have them. */
const patienceMs = 5_000;
const removeEveryMs = 3_600_000;
const memoryCheckMs = 10;
/** For requests in flight, when the server refuses what cannot be repeated. */
const failedWithinMs = 5_000;

/** Joins every run on the server that it can serve, until it is told to end. */
export class RunWorker {
  readonly #options: RunWorkerOptions;
  readonly #members = new Map<string, RunMember>();
  /** What was refused, by run: the reason as printed. */
  readonly #refused = new Map<string, string>();
  readonly #files: FileLooks;
  /** Since when nobody serves a run whose files are missing here. */
  readonly #unservedSince = new Map<string, number>();
  #pool: { readonly pool: ExecutionPool; readonly threads: number } | undefined;
  #givenBack = 0;
  #removedAt = systemClock.monotonic();
  #failure: { readonly error: unknown } | undefined;
  readonly #over = withResolvers();
  #isOver = false;
  #isLooking = false;
  /** A run was made or goes on while this worker was looking. */
  #looksAgain = false;
  #cancel: () => void = () => undefined;

  constructor(options: RunWorkerOptions) {
    this.#options = options;
    this.#files = new FileLooks({
      now: () => systemClock.monotonic(),
      againAfterMs: patienceMs,
      onLooked: () => this.#lookNow(),
    });
  }

  /**
   * Resolves at the end, with the number of ranges that were given back.
   * @throws what the server refuses for good
   */
  async run(): Promise<number> {
    const { signal } = this.#options;
    const end = (): void => this.#end();
    signal.addEventListener('abort', end);
    if (signal.aborted) end();
    this.#lookNow();
    // Not awaited: a lost connection may be waited for. The listener does nothing after the end.
    this.#options.server
      .subscribeToRuns(() => this.#lookNow())
      .catch((error: unknown) => this.#fail(error));
    await this.#over.promise;
    signal.removeEventListener('abort', end);
    const left = this.#leaveAll();
    if (!this.#failure) await left;
    // What is in hand may wait for a store that refuses it.
    else await Promise.race([left.catch(() => undefined), atMost(failedWithinMs)]);
    if (this.#failure) throw this.#failure.error as Error;
    return this.#givenBack;
  }

  async #leaveAll(): Promise<void> {
    await Promise.all([...this.#members.keys()].map((run) => this.#leave(run)));
    await this.#closePool();
  }

  #end(): void {
    this.#isOver = true;
    this.#cancel();
    // Outcomes are stored after their log: a reader that has stopped must not hold up the end.
    this.#options.log?.stop();
    this.#over.resolve();
  }

  #lookNow(): void {
    this.#looksAgain = this.#isLooking;
    if (this.#isOver || this.#isLooking) return;
    this.#isLooking = true;
    this.#cancel();
    this.#look()
      .catch((error: unknown) => this.#fail(error))
      .finally(() => this.#lookLater());
  }

  #lookLater(): void {
    this.#isLooking = false;
    if (this.#isOver) return;
    if (this.#looksAgain) this.#lookNow();
    else this.#cancel = systemClock.after(lookEveryMs, () => this.#lookNow());
  }

  async #look(): Promise<void> {
    this.#removeExpired();
    const { server } = this.#options;
    const runs = await server.list();
    this.#files.keep(runs);
    for (const { id, status } of runs) {
      if (status !== 'running' || this.#members.has(id) || this.#isOver) continue;
      const record = await server.find(id);
      if (record?.status === 'running') await this.#consider(record);
    }
  }

  /** Runs that have ended long ago; nothing waits for that. */
  #removeExpired(): void {
    const now = systemClock.monotonic();
    if (now - this.#removedAt < removeEveryMs) return;
    this.#removedAt = now;
    this.#options.server.removeExpired().catch(() => undefined);
  }

  async #consider(record: RunRecord): Promise<void> {
    const { own } = this.#options;
    try {
      checkFormat(record);
      const settings = completeTarget(record.plan.target, own);
      const changes = completeChanges(record.plan.changes, own);
      const openRemote = completeSources(record.plan, own.sources);
      const files = { roots: this.#options.roots, openRemote };
      const mayJoin = await this.#checkFiles(record, files);
      if (mayJoin) await checkTokens(settings);
      if (mayJoin && !this.#isOver) await this.#join(record, { settings, changes, files });
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      this.#refuse(record, error.message);
    }
  }

  #refuse(record: RunRecord, why: string): void {
    if (this.#refused.get(record.id) === why) return;
    this.#refused.set(record.id, why);
    this.#options.listener.refused(record, why);
  }

  /** False while they are looked at. @throws Refusal when files are missing that another worker may have */
  async #checkFiles(record: RunRecord, files: FilesHere): Promise<boolean> {
    const { id } = record;
    const look = this.#files.of(record, files);
    if (!look) return false;
    const { missing } = look;
    if (!missing) return true;
    const snapshot = await this.#options.server.snapshot(id);
    const isServed = snapshot !== undefined && snapshot.workers.length > 0;
    const now = systemClock.monotonic();
    const since = this.#unservedSince.get(id);
    if (isServed) this.#unservedSince.delete(id);
    else if (since === undefined) this.#unservedSince.set(id, now);
    else if (now - since >= patienceMs) return true;
    throw new Refusal(missingText(missing));
  }

  async #join(record: RunRecord, completed: CompletedPlan): Promise<void> {
    const { listener } = this.#options;
    const { settings } = completed;
    limitMemory(record);
    const { pool, threads: most } = (this.#pool ??= this.#newPool(settings));
    const threads = fetchesTokens(settings) ? 0 : most;
    const options: MemberOptions = {
      ...this.#options,
      aheadMs: () => this.#options.aheadMs(threads),
      ranges: this.#options.rangesFor(threads),
      onFailure: (error: unknown) => this.#fail(error),
    };
    const onEnd = (snapshot: RunSnapshot | undefined): void => void this.#onEnd(record, snapshot);
    const member = new RunMember(options, record, completed, pool, onEnd);
    this.#members.set(record.id, member);
    this.#unservedSince.delete(record.id);
    this.#refused.delete(record.id);
    listener.joined(record);
    await member.start();
  }

  #newPool(settings: TargetSettings) {
    const threads = this.#options.threadsFor(settings);
    return { threads, pool: new ExecutionPool(threads) };
  }

  async #onEnd(record: RunRecord, snapshot: RunSnapshot | undefined): Promise<void> {
    try {
      await this.#leave(record.id);
      this.#options.listener.left(record, snapshot);
    } catch (error) {
      this.#fail(error);
    }
  }

  async #leave(run: string): Promise<void> {
    const member = this.#members.get(run);
    if (!member) return;
    await member.leave();
    if (!this.#members.delete(run)) return;
    this.#givenBack += member.givenBack;
    if (this.#members.size === 0) await this.#closePool();
  }

  /** The next run may have another target, for which another number of threads is best. */
  async #closePool(): Promise<void> {
    const current = this.#pool;
    this.#pool = undefined;
    await current?.pool.close();
  }

  #fail(error: unknown): void {
    this.#failure ??= { error };
    this.#end();
  }
}

function atMost(ms: number): Promise<void> {
  return new Promise((resolve) => systemClock.after(ms, resolve, { keepsAlive: false }));
}

/** Limits the memory of the process, also for later runs. Large plain files need no limit. */
function limitMemory({ plan: { files } }: RunRecord): void {
  // The values of a row are garbage at once.
  if (files.length > manyFiles || files.some(({ layout }) => layout === 'rows')) limitHeapGrowth();
  if (files.some(({ layout }) => layout !== undefined)) limitExternalMemory(memoryCheckMs);
}

function checkFormat({ plan: { format, program } }: RunRecord): void {
  if (format === planFormat) return;
  throw new Refusal(
    `was planned by another version of evfwd (${program}); use the same version for planner and workers`,
  );
}

function missingText({ path, reason, count }: MissingFiles): string {
  const more = count > 1 ? ` (and ${count - 1} more)` : '';
  return `${path}: ${reason}${more}; use --root where files are in another folder here`;
}

/** @throws Refusal when credentials are refused, which no retry repairs */
async function checkTokens(settings: TargetSettings): Promise<void> {
  if (settings.kind === 'collector') return;
  try {
    await fetchTokens(settings.endpoints, { ca: settings.ca, clock: systemClock });
  } catch (error) {
    if (error instanceof UsageError) throw new Refusal(error.message);
    throw error;
  }
}
