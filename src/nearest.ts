import damerauLevenshtein from 'damerau-levenshtein';

/** The name with the smallest edit distance to `text`; the first of equals. */
function nearest(text: string, names: readonly string[]): string | undefined {
  let best: string | undefined;
  let bestDistance = Infinity;
  for (const name of names) {
    const distance = editDistance(text.toLowerCase(), name.toLowerCase());
    if (distance >= bestDistance) continue;
    best = name;
    bestDistance = distance;
  }
  return best;
}

/** The largest edit distance of a typo, which must also be less than half of the name. */
const maxTypoDistance = 3;

/** The nearest name, if `text` is likely to be a typo of it. */
export function similar(text: string, names: readonly string[]): string | undefined {
  const name = nearest(text, names);
  if (name === undefined) return undefined;
  const distance = editDistance(text.toLowerCase(), name.toLowerCase());
  return distance <= maxTypoDistance && distance * 2 < name.length ? name : undefined;
}

/** `did you mean track? (one of track, page)`; where none is near, `use one of track, page`. */
export function suggestion(text: string, names: readonly string[]): string {
  const near = similar(text, names);
  const list = `one of ${names.join(', ')}`;
  return near === undefined ? `use ${list}` : `did you mean ${near}? (${list})`;
}

/** Longer than any name: comparing more only takes longer. */
const maxComparedLength = 100;

/** Inserted, missing, wrong and swapped letters count one each. */
function editDistance(text: string, name: string): number {
  return damerauLevenshtein(text.slice(0, maxComparedLength), name).steps;
}
