import type { Format } from './formats/kinds.js';
import { ForeignFormatError } from './formats/refuse.js';
import type { Input } from './input.js';
import { fileStart } from './lines.js';
import { throwIfRefused, type Refused } from './refused.js';
import { Source } from './source.js';

/**
 * Checks the first bytes of all files, so that nothing of any is sent if one is no event file. Pipes are
 * checked when they are read.
 *
 * @param accepts formats that the caller reads beside NDJSON
 * @throws UsageError with the advice for the first of them, and the names of others
 */
export async function checkFormats(
  inputs: readonly Input[],
  accepts: readonly Format[] = [],
): Promise<void> {
  const refused: Refused[] = [];
  for (const input of inputs) {
    const error = input.isFile ? await refusalOf(input, accepts) : undefined;
    if (error) refused.push({ name: input.name, error });
  }
  throwIfRefused(refused, 'not event files either');
}

async function refusalOf(
  input: Input,
  accepts: readonly Format[],
): Promise<ForeignFormatError | undefined> {
  const source = new Source(input, fileStart, { accepts });
  try {
    await source.next();
    return undefined;
  } catch (error) {
    if (error instanceof ForeignFormatError) return error;
    throw error;
  } finally {
    await source.close();
  }
}
