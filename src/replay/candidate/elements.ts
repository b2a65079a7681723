/** Which elements of two arrays belong together, by their indexes. */
export interface MatchedElements {
  /** Those with the same key. */
  readonly equal: readonly Pair[];
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
/** Fewer ones are, too, if they have many features: the limit for all pairs of elements. */
const maxWork = 500_000;

/** What an element has, as texts; elements are alike in those that both have. */
export type Features = ReadonlySet<string>;

/**
 * Elements with the same key are equal. Others are paired with the one that is most like them, or else in their order.
 *
 * @param featuresOf of an element of the first array, asked for once each
 * @param otherFeaturesOf of an element of the second array
 */
export function matchElements(
  ones: readonly string[],
  others: readonly string[],
  featuresOf: (one: number) => Features,
  otherFeaturesOf: (other: number) => Features,
): MatchedElements {
  const equal = equalElements(ones, others);
  const left = indexesWithout(ones.length, new Set(equal.map(([i]) => i)));
  const right = indexesWithout(others.length, new Set(equal.map(([, j]) => j)));
  const { pairs, clear } = pairsOf(left, right, featuresOf, otherFeaturesOf);
  const paired = [new Set(pairs.map(([i]) => i)), new Set(pairs.map(([, j]) => j))] as const;
  // Where one of several equal elements is missing, it cannot be said which.
  const [counts, otherCounts] = [countsOf(ones), countsOf(others)];
  const certain = equal.filter(([i]) => counts.get(ones[i]!) === otherCounts.get(ones[i]!));
  return {
    equal,
    pairs,
    missing: left.filter((i) => !paired[0].has(i)),
    added: right.filter((j) => !paired[1].has(j)),
    isReordered: !isAscending([...certain, ...clear]),
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

function countsOf(keys: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
  return counts;
}

/** `clear`: those pairs of which neither element is as much like another one. */
function pairsOf(
  left: readonly number[],
  right: readonly number[],
  featuresOf: (one: number) => Features,
  otherFeaturesOf: (other: number) => Features,
): { pairs: Pair[]; clear: Pair[] } {
  const inOrder = (): { pairs: Pair[]; clear: Pair[] } => {
    const count = Math.min(left.length, right.length);
    return { pairs: left.slice(0, count).map((i, n) => [i, right[n]!]), clear: [] };
  };
  if (left.length === 0 || right.length === 0) return { pairs: [], clear: [] };
  if (Math.max(left.length, right.length) > maxCompared) return inOrder();
  const features = left.map(featuresOf);
  const otherFeatures = right.map(otherFeaturesOf);
  if (features.reduce((sum, { size }) => sum + size, 0) * right.length > maxWork) return inOrder();
  const scored = left.flatMap((i, n) =>
    right.map((j, m) => ({
      ...{ i, j, distance: Math.abs(n - m) },
      score: inBoth(features[n]!, otherFeatures[m]!),
    })),
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

function inBoth(one: Features, other: Features): number {
  let count = 0;
  for (const feature of one) if (other.has(feature)) count++;
  return count;
}

/** Whether the second indexes rise with the first ones. */
function isAscending(pairs: readonly Pair[]): boolean {
  const sorted = [...pairs].sort(([a], [b]) => a - b);
  return sorted.every(([, j], n) => n === 0 || sorted[n - 1]![1] < j);
}
