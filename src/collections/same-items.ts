/** Whether two lists have the same items in the same order. */
export function haveSameItems<Item>(one: readonly Item[], other: readonly Item[]): boolean {
  return one.length === other.length && one.every((item, i) => item === other[i]);
}
