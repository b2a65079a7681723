import { basename, join, resolve } from 'node:path';
import { UsageError } from '../errors.js';

/** The folder of what evfwd keeps between runs. */
const stateFolder = '.evfwd';

/**
 * Where the dead letters of an import go: the file that the user named, or a new one of this run.
 * @throws UsageError when that file is one of the inputs: it would be read while it is written.
 */
export function deadLetterPath(
  given: string | undefined,
  inputs: readonly string[],
  now: Date,
): string {
  if (given === undefined)
    return join(stateFolder, `dead-letter-${nameOf(inputs)}-${stamp(now)}.ndjson`);
  if (inputs.some((input) => input !== '-' && resolve(input) === resolve(given))) {
    throw new UsageError(`--dead-letter ${given}: is one of the files to import; name another one`);
  }
  return given;
}

function nameOf(inputs: readonly string[]): string {
  const first = inputs[0] ?? '-';
  return first === '-' ? 'stdin' : basename(first).replace(/\.(gz|ndjson|jsonl|json)\b/g, '');
}

/** `20261120-083000-123`: names of runs sort by time. */
function stamp(now: Date): string {
  return now.toISOString().slice(0, 23).replace(/[-:]/g, '').replace(/[T.]/g, '-');
}
