/** Shorter beginnings of ids say too little about the run. */
const shortest = 12;

/** How many characters of each id suffice to tell it from all others. */
export function uniqueLength(ids: readonly string[]): number {
  // Of sorted ids, the one that shares the longest beginning with another is beside it.
  const sorted = [...ids].sort();
  const shared = sorted.slice(1).map((id, i) => sharedLength(id, sorted[i]!));
  return Math.max(shortest, ...shared.map((length) => length + 1));
}

function sharedLength(a: string, b: string): number {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length++;
  return length;
}
