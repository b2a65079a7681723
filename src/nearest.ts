import damerauLevenshtein from 'damerau-levenshtein';

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

/** Inserted, missing, wrong and swapped letters count one each. */
function slips(text: string, name: string): number {
  return damerauLevenshtein(text.slice(0, longestCompared), name).steps;
}
