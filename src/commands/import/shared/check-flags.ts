import { UsageError } from '../../../errors.js';
import type { TypedFlag } from '../../flags/flag.js';
import type { Input } from '../../../sources/input.js';
import { unsetText } from '../../flags/store.js';

/** @throws UsageError for a flag that only one process alone can have, where the file names the store */
export function checkTyped(typed: readonly TypedFlag[], source: string): void {
  for (const { flag } of typed) {
    const messageFor = flag.excludes?.['--store'];
    if (messageFor) throw new UsageError(messageFor(source));
  }
}

/**
 * @param files as `import` has found them
 * @throws UsageError when one is a pipe, or a URL that does not tell its size, so that workers cannot read it
 */
export function checkFiles(files: readonly Input[], source: string): void {
  const pipe = files.find(({ isFile }) => !isFile);
  if (!pipe) return;
  if (pipe.object) {
    throw new UsageError(
      `${pipe.name}: cannot be used with ${source}: its server does not tell its size; download it, and pass the file`,
    );
  }
  const what = pipe.name === '-' ? 'standard input (-)' : `${pipe.name}: a pipe`;
  throw new UsageError(
    `${what} cannot be used with ${source}: workers cannot read it; save it to a file, and pass its name${unsetText(source)}`,
  );
}
