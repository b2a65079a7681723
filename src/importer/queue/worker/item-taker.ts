import type { Job } from 'bullmq';
import { EvfwdError } from '../../../errors.js';
import { printable } from '../../../output/printable.js';
import type { ItemKind, ItemProgress, RangeItem } from '../item.js';
import type { QueuePackages } from '../packages.js';
import { executeRange } from './execute-range.js';
import { executeRetries } from './execute-retries.js';
import { HeldItem, type ItemEnd } from './held-item.js';
import { unread, type ItemContext } from './item-context.js';
import { FileProblem } from './planned-file.js';
import { ServerFailure } from './server-failure.js';

/** Since the last commit of an item: a worker that dies by chance does not do so again and again. */
const maxTakeovers = 10;

class TakeoverProblem extends Error {}

export interface ItemTakerOptions {
  readonly context: ItemContext;
  readonly bullmq: QueuePackages['bullmq'];
  /** An item begins or ends; `end` says how. */
  readonly onItem: (range: RangeItem | undefined, end?: ItemEnd) => void;
  /** An item failed for good, for this reason; `file` is the index in the plan, unknown for retries. */
  readonly onProblem: (file: number | undefined, message: string) => void;
  /** The server refuses what cannot be repeated: this worker has to end. */
  readonly onFailure: (error: unknown) => void;
}

/** Works on the items that BullMQ hands over, and gives back what it may not end. */
export class ItemTaker {
  readonly #options: ItemTakerOptions;
  /** By kind and id, each with its end. */
  readonly #held = new Map<string, { readonly item: HeldItem; readonly ended: Promise<unknown> }>();
  #isStopped = false;
  #givenBack = 0;

  constructor(options: ItemTakerOptions) {
    this.#options = options;
  }

  /** Items in hand. */
  get items(): HeldItem[] {
    return [...this.#held.values()].map(({ item }) => item);
  }

  /** Ranges that this worker had begun or taken, and left to others. */
  get givenBack(): number {
    return this.#givenBack;
  }

  /** Sends nothing new, and gives back every item that is not done then. */
  stop(): void {
    this.#isStopped = true;
    for (const item of this.items) item.stop();
  }

  async take(kind: ItemKind, job: Job, token: string, lost: AbortSignal): Promise<void> {
    const key = `${kind} ${job.id!}`;
    const before = this.#held.get(key);
    if (before) {
      // This process has lost it and got it again: only one may send.
      before.item.lose();
      await before.ended;
      return this.#giveBack(job, token);
    }
    const { context } = this.#options;
    const item = new HeldItem({ run: context.record.id, kind, id: job.id!, token }, lost);
    const ended = this.#work(item, job).finally(() => this.#held.delete(key));
    this.#held.set(key, { item, ended: ended.catch(() => undefined) });
    if ((await ended) !== 'done') await this.#giveBack(job, token);
  }

  async #work(item: HeldItem, job: Job): Promise<ItemEnd> {
    if (this.#isStopped) return 'stopped';
    const { onItem } = this.#options;
    const { kind } = item.ref;
    const range = kind === 'ranges' ? (job.data as RangeItem) : undefined;
    onItem(range);
    let end: ItemEnd = 'failed';
    try {
      end = await this.#execute(job, item, range);
    } catch (error) {
      end = this.#endOf(error, item, range);
    } finally {
      onItem(range, end);
    }
    if (end === 'stopped' && range) this.#givenBack++;
    return end;
  }

  async #execute(job: Job, item: HeldItem, range: RangeItem | undefined): Promise<ItemEnd> {
    checkTakeovers(job);
    const before = progressOf(job);
    const { context } = this.#options;
    return range
      ? executeRange(context, item, range, before)
      : executeRetries(context, item, before);
  }

  /** @throws what fails the item by name */
  #endOf(error: unknown, item: HeldItem, range: RangeItem | undefined): ItemEnd {
    if (error instanceof ServerFailure) {
      this.#options.onFailure(error.cause);
      return 'stopped';
    }
    if (item.isLost) return 'lost';
    const message = printable(messageOf(error));
    this.#options.onProblem(range?.file, message);
    throw new this.#options.bullmq.UnrecoverableError(message);
  }

  /** Whether or not it is still ours: BullMQ is told that the item is nothing of its concern any more. */
  async #giveBack(job: Job, token: string): Promise<never> {
    await job.moveToWait(token).catch(() => undefined);
    throw new this.#options.bullmq.WaitingError();
  }
}

/** What kills one worker after the other has to end; whoever knows why can put it back. */
function checkTakeovers({ stalledCounter }: Job): void {
  if (stalledCounter <= maxTakeovers) return;
  throw new TakeoverProblem(
    `its workers have died or stopped responding ${stalledCounter} times in a row, with nothing stored; see what ended them (such as too little memory), then use evfwd runs verify`,
  );
}

function progressOf({ progress }: Job): ItemProgress {
  const isStored = typeof progress === 'object' && 'sequence' in progress;
  return isStored ? (progress as unknown as ItemProgress) : unread;
}

/** An unexpected error fails the item, too; its stack would say more than a reader can use. */
function messageOf(error: unknown): string {
  if (
    error instanceof FileProblem ||
    error instanceof TakeoverProblem ||
    error instanceof EvfwdError
  )
    return error.message;
  return `unexpected error: ${error instanceof Error ? error.message : String(error)}`;
}
