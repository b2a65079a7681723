import { MissingTargetError } from '../../config/missing-target.js';
import { UsageError } from '../../errors.js';

/** Turns the error for a missing target into a value, to report it with what else is missing. */
export function missingTarget(error: unknown): MissingTargetError {
  if (error instanceof MissingTargetError) return error;
  throw error;
}

/**
 * One error for all that is missing, so that nobody has to run the command once for each.
 *
 * @param parts What is missing, each with its flags: `a user ID (--user-id)`.
 * @param example A command that has all of them.
 */
export function missingParts(parts: readonly string[], example: string): UsageError {
  return new UsageError(`missing: ${parts.join(', ')}; e.g. ${example}`, 'incomplete');
}
