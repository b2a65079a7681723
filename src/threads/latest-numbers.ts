/** How many numbers a list can have. */
const capacity = 4_096;
const lists = 3;
/** Of the shared word: which list is neither written nor read. */
const indexMask = 3;
/** Of the shared word: that list is newer than the one that is read. */
const fresh = 4;

/**
 * Lists of numbers in memory that two threads share: one writes, the other reads the newest one, whole.
 * Neither ever waits: of three lists one is being written, one is being read, and the third changes
 * hands by one atomic exchange (a triple buffer).
 */
class Lists {
  protected mine: number;
  readonly #free: Int32Array;
  readonly #lists: readonly Float64Array[];

  constructor(memory: SharedArrayBuffer, mine: number) {
    const bytes = capacity * Float64Array.BYTES_PER_ELEMENT;
    this.mine = mine;
    this.#lists = Array.from(
      { length: lists },
      (_, i) => new Float64Array(memory, i * bytes, capacity),
    );
    this.#free = new Int32Array(memory, lists * bytes, 1);
  }

  /** The list that this side has to itself. */
  protected get own(): Float64Array {
    return this.#lists[this.mine]!;
  }

  protected get isFresh(): boolean {
    return (Atomics.load(this.#free, 0) & fresh) !== 0;
  }

  protected exchange(mark: 0 | typeof fresh): void {
    this.mine = Atomics.exchange(this.#free, 0, this.mine | mark) & indexMask;
  }
}

/** Memory for one writer and one reader. */
export function sharedNumbers(): SharedArrayBuffer {
  return new SharedArrayBuffer(
    lists * capacity * Float64Array.BYTES_PER_ELEMENT + Int32Array.BYTES_PER_ELEMENT,
  );
}

/** The side that writes; in a new memory list 0 is the free one. */
export class NumbersWriter extends Lists {
  constructor(memory: SharedArrayBuffer) {
    super(memory, 1);
  }

  /** To be filled before `publish`; what stands in it is of no meaning. */
  get list(): Float64Array {
    return this.own;
  }

  /** The reader finds the list from now on. */
  publish(): void {
    this.exchange(fresh);
  }
}

/** The side that reads. */
export class NumbersReader extends Lists {
  constructor(memory: SharedArrayBuffer) {
    super(memory, 2);
  }

  /** The newest list, good until the next call; undefined where that was taken before. */
  take(): Float64Array | undefined {
    if (!this.isFresh) return undefined;
    this.exchange(0);
    return this.own;
  }
}
