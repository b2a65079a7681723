import type { Views } from '../store/store-views.js';

type DeadLetterViews = Pick<Views, 'deadLetters' | 'deadLetterIds' | 'deadLetterCount'>;

/** The newest dead letter of a destination. */
export interface NewestDeadLetter {
  readonly id: number;
  /** Why it could not be delivered. */
  readonly message: string;
}

/** Ids that are counted at once. */
const idsAtOnce = 10_000;

/** Looks for new dead letters of one destination. */
export class DeadLetterWatch {
  readonly #views: DeadLetterViews;
  readonly #destination: string;
  /** Numbers that change with each new dead letter, as of the last time that the store was asked for it. */
  #seen = '';
  #newest: NewestDeadLetter | undefined;
  #newSince: number | undefined;
  #lastReported: number | undefined;

  constructor(views: DeadLetterViews, destination: string) {
    this.#views = views;
    this.#destination = destination;
  }

  get newest(): NewestDeadLetter | undefined {
    return this.#newest;
  }

  /** When the first one was found that is new; milliseconds since 1970. */
  get newSince(): number | undefined {
    return this.#newSince;
  }

  /**
   * Whether there are newer ones than the last one that was reported. The store is asked only after a change.
   *
   * @param failed how many events became dead letters since any moment
   */
  async hasNewer(failed: number, lastReported: number, now: number): Promise<boolean> {
    const seen = `${failed} ${this.#views.deadLetterCount(this.#destination)}`;
    if (seen !== this.#seen) {
      this.#newest = await newestDeadLetter(this.#views, this.#destination);
      this.#seen = seen;
    }
    const isNew = this.#newest !== undefined && this.#newest.id > lastReported;
    if (!isNew || lastReported !== this.#lastReported) this.#newSince = undefined;
    this.#lastReported = lastReported;
    if (isNew) this.#newSince ??= now;
    return isNew;
  }

  /** How many there are after this one. */
  async countAfter(id: number): Promise<number> {
    let counted = 0;
    for (let after = id; after < Infinity;) {
      const ids = await this.#views.deadLetterIds(this.#destination, after, idsAtOnce);
      counted += ids.length;
      after = ids.length < idsAtOnce ? Infinity : ids.at(-1)!;
    }
    return counted;
  }
}

export async function newestDeadLetter(
  views: Pick<Views, 'deadLetters'>,
  of: string,
): Promise<NewestDeadLetter | undefined> {
  const [newest] = await views.deadLetters({ of, limit: 1 });
  return newest && { id: newest.id, message: newest.message };
}
