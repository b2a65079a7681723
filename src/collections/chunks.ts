/** Cuts a list into parts of `length`; the last one may be shorter. */
export function* chunksOf<T>(items: Iterable<T>, length: number): Generator<readonly T[]> {
  let part: T[] = [];
  for (const item of items) {
    part.push(item);
    if (part.length < length) continue;
    yield part;
    part = [];
  }
  if (part.length > 0) yield part;
}
