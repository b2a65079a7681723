import { UsageError } from '../../../errors.js';
import { unsetText } from '../../flags/store.js';

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
    `${what} cannot be used with ${source}: workers cannot read it; save it to a file, and pass its name${unsetText(source)}`,
  );
}
