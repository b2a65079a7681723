/** Orders names by their bytes in UTF-8, which is not the order of UTF-16 above U+D800. */
export function compareBytes(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let at = 0; at < length; at++) {
    const [x, y] = [a.charCodeAt(at), b.charCodeAt(at)];
    if (x !== y) return place(x) - place(y);
  }
  return a.length - b.length;
}

/** Halves of pairs come after all else. */
function place(unit: number): number {
  return unit >= 0xd800 && unit < 0xe000 ? unit + 0x1_0000 : unit;
}
