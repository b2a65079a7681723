import { presets, schemeNamed } from '../sign/schemes/index.js';
import type { Scheme } from '../sign/schemes/scheme.js';
import { readConfigFile, readText } from './file.js';
import { searchConfig, type ConfigContext } from './find.js';

/**
 * The signature schemes of the configuration file, which is found as for profiles; none without a file.
 * A file without the word is not parsed: that takes longer than a signature.
 *
 * @throws UsageError for a file that cannot be read, or has schemes and is not valid
 */
export async function ownSchemes(context: ConfigContext): Promise<readonly Scheme[]> {
  const file = await searchConfig(context);
  if (file === undefined || !(await readText(file)).includes('schemes')) return [];
  return (await readConfigFile(file)).schemes;
}

/**
 * A preset, or a scheme of the configuration file. The schemes of the file are checked in either case: one
 * with the name of a preset is refused, not ignored.
 *
 * @param where begins the message: `--scheme`, `profile staging`, …
 * @throws UsageError that names the nearest known one, and for a file that is not valid
 */
export async function findScheme(
  name: string,
  context: ConfigContext,
  where: string,
): Promise<Scheme> {
  const own = await ownSchemes(context);
  const scheme = presets.get(name);
  if (scheme) return scheme;
  // What is wrong with a file may be why it has no schemes.
  if (own.length === 0) await checkFile(context);
  return schemeNamed(name, own, where);
}

async function checkFile(context: ConfigContext): Promise<void> {
  const file = await searchConfig(context);
  if (file !== undefined) await readConfigFile(file);
}
