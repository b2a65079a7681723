import { count } from '../../output/numbers.js';

/** More files than this are counted instead of named. */
const namedFiles = 3;

/** `a.ndjson, b.ndjson`; `8,000 files (a.ndjson, b.ndjson, …)`. */
export function filesText(files: readonly string[]): string {
  const isFew = files.length <= namedFiles;
  const names = files
    .slice(0, isFew ? namedFiles : 2)
    .map((file) => (file === '-' ? 'standard input' : file))
    .join(', ');
  return isFew ? names : `${count(files.length)} files (${names}, …)`;
}
