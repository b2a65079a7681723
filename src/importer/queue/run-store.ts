import { randomBytes, randomUUID } from 'node:crypto';
import { UsageError } from '../../errors.js';
import { printable } from '../../output/printable.js';
import type { FailureLimit } from '../stop-rule.js';
import { eventStreamLength, type BullQueues } from './bull-queues.js';
import type { QueueConnection } from './connection.js';
import { publicHashOf } from './identity.js';
import { bytesWithFiles } from './json-with-files.js';
import { pointerKey, recordPrefix, RunKeys, runsChannel, runsKey } from './keys.js';
import type { Plan } from './plan.js';
import { RunRecords } from './run-records.js';
import type { RunHead, RunRecord, RunStatus } from './run-record.js';
import { endPlanningScript } from './scripts/end-planning.js';
import { joinScript } from './scripts/join.js';
import { setStatusScript } from './scripts/set-status.js';
import { settleScript } from './scripts/settle.js';

/** Makes runs and changes their status. */
export class RunStore {
  readonly #connection: QueueConnection;
  readonly #queues: BullQueues;
  readonly #prefix: string;
  readonly #records: RunRecords;

  constructor(connection: QueueConnection, queues: BullQueues, prefix: string) {
    this.#connection = connection;
    this.#queues = queues;
    this.#prefix = prefix;
    this.#records = new RunRecords(connection, prefix);
  }

  async join(identity: string, plan: Plan, name: string, isFresh: boolean): Promise<RunRecord> {
    const pointer = pointerKey(this.#prefix, identity);
    const id = runId(name);
    const publicHash = publicHashOf(plan);
    const { files, ...rest } = plan;
    const text = bytesWithFiles(files, rest);
    for (;;) {
      const replaced = isFresh ? await this.#cancelCurrent(pointer) : '';
      const keys = new RunKeys(this.#prefix, id);
      const metas = [keys.queue('ranges', 'meta'), keys.queue('retries', 'meta')];
      const run = (await this.#connection.scriptForPlan(
        joinScript,
        [pointer, runsKey(this.#prefix), keys.record, ...metas],
        [
          ...[id, replaced, text, identity, eventStreamLength],
          ...[recordPrefix(this.#prefix), runsChannel(this.#prefix), publicHash],
        ],
      )) as string;
      if (run === id) this.#records.note(run, plan);
      const record = await this.find(run);
      // Removed in the meantime: make another one.
      if (record) return record;
    }
  }

  async #cancelCurrent(pointer: string): Promise<string> {
    const run = await this.#connection.runForPlan(() => this.#connection.client.get(pointer));
    if (run === null) return '';
    await this.cancel(run);
    return run;
  }

  list(): Promise<RunHead[]> {
    return this.#records.list();
  }

  find(run: string): Promise<RunRecord | undefined> {
    return this.#records.find(run);
  }

  /** @throws UsageError when it is not there */
  async get(run: string): Promise<RunRecord> {
    const record = await this.find(run);
    if (record) return record;
    throw new UsageError(
      `there is no run ${printable(run)} on ${this.#connection.shown}; see evfwd runs`,
      'run_not_found',
    );
  }

  async endPlanning(run: string, total: number): Promise<void> {
    const keys = new RunKeys(this.#prefix, run);
    const args = [total, keys.messages];
    const isThere = await this.#connection.scriptForPlan(endPlanningScript, [keys.record], args);
    if (isThere !== 1) await this.get(run);
  }

  pause(run: string, stopReason: string | null): Promise<boolean> {
    return this.#setStatus(run, 'paused', ['running'], { stopReason });
  }

  resume(run: string, stopAfter?: FailureLimit): Promise<boolean> {
    return this.#setStatus(run, 'running', ['paused'], { stopAfter });
  }

  async cancel(run: string): Promise<boolean> {
    const isCancelled = await this.#setStatus(run, 'cancelled', ['running', 'paused']);
    if (isCancelled) await this.#queues.forget(run);
    return isCancelled;
  }

  async #setStatus(
    run: string,
    status: RunStatus,
    from: readonly RunStatus[],
    { stopReason, stopAfter }: StatusDetails = {},
  ): Promise<boolean> {
    const keys = new RunKeys(this.#prefix, run);
    const all = runsChannel(this.#prefix);
    const limit = stopAfter === undefined ? '' : JSON.stringify(stopAfter);
    const args = [status, randomUUID(), keys.messages, stopReason ?? '', all, limit, ...from];
    const ownKeys = [keys.record, keys.stats, keys.resumed, keys.notices];
    return (await this.#connection.script(setStatusScript, ownKeys, args)) === 1;
  }

  async finishIfDone(run: string): Promise<boolean> {
    const isDone = await this.#settle(run, false);
    if (isDone) await this.#queues.forget(run);
    return isDone;
  }

  /** Lets a finished run that has something to do again go on. */
  async reopenIfNeeded(run: string): Promise<void> {
    await this.#settle(run, true);
  }

  async #settle(run: string, mayReopen: boolean): Promise<boolean> {
    const keys = new RunKeys(this.#prefix, run);
    const ofRanges = ['completed', 'failed', 'wait', 'active'].map((name) =>
      keys.queue('ranges', name),
    );
    const ofRetries = [keys.retries, keys.queue('retries', 'failed')];
    const all = [keys.record, ...ofRanges, ...ofRetries, keys.notices];
    const args = [keys.messages, mayReopen ? '1' : '', runsChannel(this.#prefix)];
    return (await this.#connection.script(settleScript, all, args)) === 1;
  }
}

/** What changes with the status of a run. */
interface StatusDetails {
  readonly stopReason?: string | null;
  readonly stopAfter?: FailureLimit | undefined;
}

const maxNameLength = 24;

/** `history-k3f9c02d`: of the name only what a key, a shell and BullMQ take as it is. */
function runId(name: string): string {
  const short = name
    // `naive` for `naïve`.
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, maxNameLength)
    .replace(/^-+|-+$/g, '');
  return `${short || 'import'}-${randomBytes(4).toString('hex')}`;
}
