/** Runs a step for each item, also after an earlier one has thrown. @throws the first error */
export function runAll<Item>(items: Iterable<Item>, step: (item: Item) => void): void {
  const errors: unknown[] = [];
  for (const item of items) {
    try {
      step(item);
    } catch (error) {
      errors.push(error);
    }
  }
  if (errors.length > 0) throw errors[0];
}
