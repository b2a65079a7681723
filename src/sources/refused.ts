import { UsageError } from '../errors.js';

/** An input that cannot be used, and why. */
export interface Refused {
  readonly name: string;
  readonly error: UsageError;
}

/** How many other inputs a message names. */
const maxNamed = 3;

/**
 * Reports all refused inputs on one line: the first in full, the others by name.
 *
 * @param what is said of the others: "cannot be read either"
 * @throws UsageError unless there are none
 */
export function throwIfRefused([first, ...others]: readonly Refused[], what: string): void {
  if (!first) return;
  if (others.length === 0) throw first.error;
  const names = others.slice(0, maxNamed).map(({ name }) => name);
  const unnamed = others.length - names.length;
  const more = unnamed > 0 ? ` and ${unnamed} more` : '';
  const message = `${first.error.message}; ${what}: ${names.join(', ')}${more}`;
  throw new UsageError(message, first.error.code, { cause: first.error.cause });
}
