import { SourceError } from '../source-error.js';

const again = 'fix the file and run again';

export function damagedParquet(cause?: unknown): SourceError {
  return new SourceError('the Parquet data is damaged', { advice: again, cause });
}

export function truncatedParquet(): SourceError {
  return new SourceError('the Parquet data is truncated', { advice: again });
}

/** Pages are the unit of memory, and in lists of an old kind whole columns of row groups. */
export function tooLargeParquet(): SourceError {
  return new SourceError('a page of the Parquet data is too large', {
    advice: 'write the file again with smaller pages or row groups',
  });
}

export function unsupportedParquet(what: string, advice: string): SourceError {
  return new SourceError(`the Parquet data ${what}`, { advice });
}
