import { UsageError } from './errors.js';
import { similar } from './nearest.js';

/**
 * Checks what a caller of the library passes as options. `known` has a member for each option, so that
 * the compiler notices a missing one.
 *
 * @param where begins messages: `verify[0]: `, or nothing
 * @throws UsageError that names an unknown option, and the nearest known one.
 */
export function checkOptionNames(
  options: unknown,
  known: Readonly<Record<string, unknown>>,
  where = '',
): void {
  if (typeof options !== 'object' || options === null) {
    throw new UsageError(`${where}the options must be an object`);
  }
  for (const name of Object.keys(options)) {
    if (Object.hasOwn(known, name)) continue;
    const names = Object.keys(known);
    const near = similar(name, names);
    const hint = near === undefined ? `use one of ${names.join(', ')}` : `did you mean ${near}?`;
    throw new UsageError(`${where}unknown option ${JSON.stringify(name)}; ${hint}`);
  }
}
