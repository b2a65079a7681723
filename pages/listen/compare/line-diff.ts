/** A line of two texts. */
export interface DiffLine {
  readonly kind: 'same' | 'removed' | 'added';
  readonly text: string;
}

/** More pairs of lines take a browser too long to compare; then one block replaces the other. */
const mostPairs = 4_000_000;

/** The lines of two texts, with as many of them the same as possible, in their order. */
export function diffLines(before: readonly string[], after: readonly string[]): DiffLine[] {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start++;
  let end = 0;
  const most = Math.min(before.length, after.length) - start;
  while (end < most && before.at(-1 - end) === after.at(-1 - end)) end++;
  return [
    ...linesOf('same', before.slice(0, start)),
    ...diffMiddle(before.slice(start, before.length - end), after.slice(start, after.length - end)),
    ...linesOf('same', before.slice(before.length - end)),
  ];
}

function diffMiddle(before: readonly string[], after: readonly string[]): DiffLine[] {
  if (before.length * after.length > mostPairs) {
    return [...linesOf('removed', before), ...linesOf('added', after)];
  }
  const { width, common } = commonLengths(before, after);
  const lines: DiffLine[] = [];
  let [i, j] = [0, 0];
  while (i < before.length || j < after.length) {
    if (i < before.length && j < after.length && before[i] === after[j]) {
      lines.push({ kind: 'same', text: before[i]! });
      i++;
      j++;
    } else if (j === after.length || isRemoved(i, j)) {
      lines.push({ kind: 'removed', text: before[i++]! });
    } else {
      lines.push({ kind: 'added', text: after[j++]! });
    }
  }
  return lines;

  function isRemoved(one: number, other: number): boolean {
    if (one === before.length) return false;
    return common[(one + 1) * width + other]! >= common[one * width + other + 1]!;
  }
}

/** For each pair of places, how many lines the rests of both texts have in common at most. */
function commonLengths(before: readonly string[], after: readonly string[]) {
  const width = after.length + 1;
  const common = new Uint32Array((before.length + 1) * width);
  for (let i = before.length - 1; i >= 0; i--) {
    for (let j = after.length - 1; j >= 0; j--) {
      const at = i * width + j;
      const isSame = before[i] === after[j];
      common[at] = isSame
        ? common[at + width + 1]! + 1
        : Math.max(common[at + width]!, common[at + 1]!);
    }
  }
  return { width, common };
}

function linesOf(kind: DiffLine['kind'], texts: readonly string[]): DiffLine[] {
  return texts.map((text) => ({ kind, text }));
}
