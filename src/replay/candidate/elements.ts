/** Which elements of two arrays belong together, by their indexes. */
export interface MatchedElements {
  /** Elements that differ, and are to be compared. */
  readonly pairs: readonly (readonly [number, number])[];
  /** Those that only the first array has. */
  readonly missing: readonly number[];
  /** Those that only the second one has. */
  readonly added: readonly number[];
  /** Whether what both have is in another order. */
  readonly isReordered: boolean;
}

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
  const used = new Set(equal.map(([, j]) => j));
  const taken = new Set(equal.map(([i]) => i));
  const left = indexesWithout(ones.length, taken);
  const right = indexesWithout(others.length, used);
  const pairs = pairsOf(left, right, likeness);
  const paired = { left: new Set(pairs.map(([i]) => i)), right: new Set(pairs.map(([, j]) => j)) };
  // Pairs that were made only by their order say nothing about it.
  const alike = pairs.filter(([i, j]) => likeness(i, j) > 0);
  return {
    pairs,
    missing: left.filter((i) => !paired.left.has(i)),
    added: right.filter((j) => !paired.right.has(j)),
    isReordered: !isAscending([...equal, ...alike]),
  };
}

/** The first with the first of the same key, and so on. */
function equalElements(ones: readonly string[], others: readonly string[]): [number, number][] {
  const indexes = new Map<string, number[]>();
  // The last comes first, so that the next one is taken from the end.
  for (let j = others.length - 1; j >= 0; j--) {
    const known = indexes.get(others[j]!);
    if (known) known.push(j);
    else indexes.set(others[j]!, [j]);
  }
  return ones.flatMap((key, i) => {
    const j = indexes.get(key)?.pop();
    return j === undefined ? [] : [[i, j] as [number, number]];
  });
}

function indexesWithout(length: number, without: ReadonlySet<number>): number[] {
  return Array.from({ length }, (_, i) => i).filter((i) => !without.has(i));
}

function pairsOf(
  left: readonly number[],
  right: readonly number[],
  likeness: (one: number, other: number) => number,
): [number, number][] {
  const free = [...right];
  const count = Math.min(left.length, right.length);
  if (Math.max(left.length, right.length) > maxCompared) {
    return left.slice(0, count).map((i, n) => [i, right[n]!]);
  }
  const scored = left.flatMap((i, n) =>
    right.map((j, m) => ({ i, j, score: likeness(i, j), distance: Math.abs(n - m) })),
  );
  // Of those that are equally like, the one in the same place.
  scored.sort((a, b) => b.score - a.score || a.distance - b.distance || a.i - b.i);
  const pairs = new Map<number, number>();
  for (const { i, j } of scored) {
    if (pairs.has(i) || !free.includes(j)) continue;
    pairs.set(i, j);
    free.splice(free.indexOf(j), 1);
  }
  return [...pairs].sort(([a], [b]) => a - b);
}

/** Whether the second indexes rise with the first ones. */
function isAscending(pairs: readonly (readonly [number, number])[]): boolean {
  const sorted = [...pairs].sort(([a], [b]) => a - b);
  return sorted.every(([, j], n) => n === 0 || sorted[n - 1]![1] < j);
}
