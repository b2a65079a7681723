import { EvfwdError } from '../../../errors.js';
import { printable } from '../../../output/printable.js';
import { SourceError } from '../../../sources/source-error.js';
import type { RangeItem, TakenItem } from '../item.js';
import { executeRange } from './execute-range.js';
import { executeRetries } from './execute-retries.js';
import { HeldItem, type ItemEnd } from './held-item.js';
import { unread, type ItemContext } from './item-context.js';
import { FileProblem } from './planned-file.js';
import { fromServer, ServerFailure } from './server-failure.js';

/** Since the last commit of an item: a worker that dies by chance does not do so again and again. */
const maxTakeovers = 10;

class TakeoverProblem extends Error {}

export interface ItemTakerOptions {
  readonly context: ItemContext;
  /** An item begins or ends; `end` says how. */
  readonly onItem: (range: RangeItem | undefined, end?: ItemEnd) => void;
  /** An item failed for good, for this reason; `file` is the index in the plan, unknown for retries. */
  readonly onProblem: (file: number | undefined, message: string) => void;
  /** The store refuses what cannot be repeated: this worker has to end. */
  readonly onFailure: (error: unknown) => void;
}

/** Works on the items that were taken, and gives back what it may not end. */
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

  /** Parts that this worker had begun or taken, and left to others. */
  get givenBack(): number {
    return this.#givenBack;
  }

  /** Sends nothing new, and gives back every item that is not done then. */
  stop(): void {
    this.#isStopped = true;
    for (const item of this.items) item.stop();
  }

  /** Resolves when the item has ended here, and the store knows. Never throws. */
  async take(taken: TakenItem): Promise<void> {
    const item = new HeldItem(taken.ref);
    const key = `${taken.ref.kind} ${taken.ref.id}`;
    const before = this.#held.get(key);
    if (before) {
      // This process has lost it and got it again: only one may send.
      before.item.lose();
      await before.ended;
      await this.#giveBack(item);
      return;
    }
    const ended = this.#work(item, taken);
    this.#held.set(key, { item, ended });
    await ended;
    this.#held.delete(key);
  }

  async #work(item: HeldItem, taken: TakenItem): Promise<void> {
    const { onItem, context, onFailure } = this.#options;
    const { range } = taken;
    let end: ItemEnd = 'stopped';
    if (!this.#isStopped) {
      onItem(range);
      end = await this.#execute(item, taken).catch((error: unknown) =>
        this.#endOf(error, item, range),
      );
      if (end === 'done') {
        const stored = await context.server.end(item.ref).catch((error: unknown) => {
          onFailure(error);
          return 'lost';
        });
        if (stored === 'lost') end = 'lost';
      }
      onItem(range, end);
      if (end === 'stopped' && range) this.#givenBack++;
    }
    if (end === 'stopped') await this.#giveBack(item);
  }

  async #execute(item: HeldItem, { range, progress, takeovers }: TakenItem): Promise<ItemEnd> {
    checkTakeovers(takeovers);
    const { context } = this.#options;
    return range
      ? executeRange(context, item, range, progress ?? unread)
      : executeRetries(context, item, unread);
  }

  async #endOf(error: unknown, item: HeldItem, range: RangeItem | undefined): Promise<ItemEnd> {
    const { onFailure, onProblem, context } = this.#options;
    if (error instanceof ServerFailure) {
      onFailure(error.cause);
      return 'stopped';
    }
    if (item.isLost) return 'lost';
    const message = printable(messageOf(error));
    try {
      const stored = await fromServer(context.server.fail(item.ref, message));
      if (stored === 'lost') return 'lost';
    } catch (failure) {
      onFailure((failure as Error).cause);
      return 'stopped';
    }
    onProblem(range?.file, message);
    return 'failed';
  }

  /** What cannot be given back now is taken by others when its lease has ended. */
  async #giveBack({ ref }: HeldItem): Promise<void> {
    await this.#options.context.server.giveBack(ref).catch(() => undefined);
  }
}

/** What kills one worker after the other has to end; whoever knows why can put it back. */
function checkTakeovers(takeovers: number): void {
  if (takeovers <= maxTakeovers) return;
  throw new TakeoverProblem(
    `its workers have died or stopped responding ${takeovers} times in a row, with nothing stored; see what ended them (such as too little memory), then use evfwd runs verify`,
  );
}

/** An unexpected error fails the item, too; its stack would say more than a reader can use. */
function messageOf(error: unknown): string {
  if (
    error instanceof FileProblem ||
    error instanceof TakeoverProblem ||
    error instanceof SourceError ||
    error instanceof EvfwdError
  )
    return error.message;
  return `unexpected error: ${error instanceof Error ? error.message : String(error)}`;
}
