/** What becomes of an answer. `isLate`: it comes after `ask` has returned. */
export interface Asker<T> {
  readonly onFound: (found: T, isLate: boolean) => void;
  /** There is no answer. Where it is not late, it throws the error. */
  readonly onFailed: (error: unknown, isLate: boolean) => void;
}

/** Uses an answer at once where it is there at once. @throws what `onFailed` throws */
export function ask<T>(look: () => T | Promise<T>, { onFound, onFailed }: Asker<T>): void {
  let found: T | Promise<T>;
  try {
    found = look();
  } catch (error) {
    onFailed(error, false);
    return;
  }
  if (found instanceof Promise) {
    found.then(
      (value) => onFound(value, true),
      (error: unknown) => onFailed(error, true),
    );
  } else onFound(found, false);
}
