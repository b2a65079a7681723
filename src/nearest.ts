/** The name that takes the fewest typing slips to become `text`; the first one of equals. */
export function nearest(text: string, names: readonly string[]): string | undefined {
  let best: string | undefined;
  let bestDistance = Infinity;
  for (const name of names) {
    const distance = slips(text.toLowerCase(), name.toLowerCase());
    if (distance >= bestDistance) continue;
    best = name;
    bestDistance = distance;
  }
  return best;
}

/** What `similar` takes for a slip: at most so many letters, and less than half of the name. */
const mostSlips = 3;

/** The nearest name, if `text` is likely to be a slip of it. */
export function similar(text: string, names: readonly string[]): string | undefined {
  const name = nearest(text, names);
  if (name === undefined) return undefined;
  const distance = slips(text.toLowerCase(), name.toLowerCase());
  return distance <= mostSlips && distance * 2 < name.length ? name : undefined;
}

/** Longer than any name; what follows cannot make it nearer to one, only slower. */
const longestCompared = 100;

/**
 * Damerau-Levenshtein distance (restricted): inserted, missing, wrong and swapped letters count
 * one each.
 */
function slips(long: string, name: string): number {
  const text = long.slice(0, longestCompared);
  let beforeLast: number[] = [];
  let last = Array.from({ length: name.length + 1 }, (_, column) => column);
  for (let row = 1; row <= text.length; row++) {
    const current = [row];
    for (let column = 1; column <= name.length; column++) {
      const same = text[row - 1] === name[column - 1];
      const swapped = text[row - 2] === name[column - 1] && text[row - 1] === name[column - 2];
      current[column] = Math.min(
        last[column]! + 1,
        current[column - 1]! + 1,
        last[column - 1]! + (same ? 0 : 1),
        row > 1 && column > 1 && swapped ? beforeLast[column - 2]! + 1 : Infinity,
      );
    }
    beforeLast = last;
    last = current;
  }
  return last[name.length]!;
}
