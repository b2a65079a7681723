/** Which elements of two arrays belong together, by their indexes. */
export interface MatchedElements {
  /** Elements that differ, and are to be compared. */
  readonly pairs: readonly Pair[];
  /** Those that only the first array has. */
  readonly missing: readonly number[];
  /** Those that only the second one has. */
  readonly added: readonly number[];
  /** Whether what both have is in another order. */
  readonly isReordered: boolean;
}

type Pair = readonly [number, number];

/** More elements than this that differ are compared in their order. */
const maxCompared = 50;

/**
 * Elements with the same key are equal. Others are paired with the one that is most like them, or else in their order.
 *
 * @param likeness of the elements with these indexes: 0 for nothing in common
 */
export function matchElements(
  ones: readonly string[],
  others: readonly string[],
  likeness: (one: number, other: number) => number,
): MatchedElements {
  const equal = equalElements(ones, others);
  const left = indexesWithout(ones.length, new Set(equal.map(([i]) => i)));
  const right = indexesWithout(others.length, new Set(equal.map(([, j]) => j)));
  const { pairs, clear } = pairsOf(left, right, likeness);
  const paired = [new Set(pairs.map(([i]) => i)), new Set(pairs.map(([, j]) => j))] as const;
  const isSame = left.length === 0 && right.length === 0;
  // Where something is missing, it cannot be said which of several equal elements it is.
  const distinct = isSame ? equal : equal.filter(([i, j]) => isOnce(ones, i) && isOnce(others, j));
  return {
    pairs,
    missing: left.filter((i) => !paired[0].has(i)),
    added: right.filter((j) => !paired[1].has(j)),
    isReordered: !isAscending([...distinct, ...clear]),
  };
}

/** The first with the first of the same key, and so on. */
function equalElements(ones: readonly string[], others: readonly string[]): Pair[] {
  const indexes = new Map<string, number[]>();
  // The last comes first, so that the next one is taken from the end.
  for (let j = others.length - 1; j >= 0; j--) {
    const known = indexes.get(others[j]!);
    if (known) known.push(j);
    else indexes.set(others[j]!, [j]);
  }
  return ones.flatMap((key, i) => {
    const j = indexes.get(key)?.pop();
    return j === undefined ? [] : [[i, j] as const];
  });
}

function indexesWithout(length: number, without: ReadonlySet<number>): number[] {
  return Array.from({ length }, (_, i) => i).filter((i) => !without.has(i));
}

function isOnce(keys: readonly string[], at: number): boolean {
  return keys.indexOf(keys[at]!) === at && keys.lastIndexOf(keys[at]!) === at;
}

/** `clear`: those pairs of which neither element is as much like another one. */
function pairsOf(
  left: readonly number[],
  right: readonly number[],
  likeness: (one: number, other: number) => number,
): { pairs: Pair[]; clear: Pair[] } {
  if (Math.max(left.length, right.length) > maxCompared) {
    const count = Math.min(left.length, right.length);
    return { pairs: left.slice(0, count).map((i, n) => [i, right[n]!]), clear: [] };
  }
  const scored = left.flatMap((i, n) =>
    right.map((j, m) => ({ i, j, score: likeness(i, j), distance: Math.abs(n - m) })),
  );
  // Of those that are equally like, the one in the same place.
  scored.sort((a, b) => b.score - a.score || a.distance - b.distance || a.i - b.i);
  const pairs = new Map<number, number>();
  const clear: Pair[] = [];
  const used = new Set<number>();
  for (const { i, j, score } of scored) {
    if (pairs.has(i) || used.has(j)) continue;
    pairs.set(i, j);
    used.add(j);
    const isRival = (each: (typeof scored)[number]): boolean =>
      (each.i === i) !== (each.j === j) && each.score >= score;
    if (score > 0 && !scored.some(isRival)) clear.push([i, j]);
  }
  return { pairs: [...pairs].sort(([a], [b]) => a - b), clear };
}

/** Whether the second indexes rise with the first ones. */
function isAscending(pairs: readonly Pair[]): boolean {
  const sorted = [...pairs].sort(([a], [b]) => a - b);
  return sorted.every(([, j], n) => n === 0 || sorted[n - 1]![1] < j);
}
