import { UsageError } from '../../../errors.js';
import type { TypedFlag } from '../../flags/flag.js';

/** Flags that only make sense in one process, and what to do instead. */
const refused: Readonly<Record<string, string>> = {
  '--limit': 'workers take whole ranges; leave out --limit',
  '--speed': 'workers send in no common order; use --rate to limit the speed',
  '--max-wait': 'workers send in no common order; use --rate to limit the speed',
  '--transform': 'workers do not load modules; leave out --transform',
  '--log': 'each worker has its own attempt log; use evfwd worker --log',
  '--concurrency': 'that is up to each worker; use evfwd worker --concurrency',
  '--threads': 'that is up to each worker; use evfwd worker --threads',
  '--shard': 'the queue divides the events among workers; leave out --shard',
};

/**
 * @param source how the queue was named: `--queue` or `EVFWD_QUEUE`
 * @throws UsageError that names a flag which cannot be used with a queue
 */
export function checkFlags(typed: readonly TypedFlag[], source: string): void {
  const wrong = typed.find(({ flag }) => flag.name in refused);
  if (!wrong) return;
  const { name } = wrong.flag;
  throw new UsageError(`${name} cannot be used with ${source}: ${refused[name]}${unset(source)}`);
}

/**
 * @param files as `import` has found them
 * @throws UsageError when one is no file, so that workers cannot read it
 */
export function checkFiles(
  files: readonly { readonly name: string; readonly isFile: boolean }[],
  source: string,
): void {
  const pipe = files.find(({ isFile }) => !isFile);
  if (!pipe) return;
  const what = pipe.name === '-' ? 'standard input (-)' : `${pipe.name}: a pipe`;
  throw new UsageError(
    `${what} cannot be used with ${source}: workers cannot read it; save it to a file, and pass its name${unset(source)}`,
  );
}

/** Somebody may not know that the variable is set. */
function unset(source: string): string {
  return source === '--queue' ? '' : `, or unset ${source}`;
}
