import { presets, schemeNamed } from '../sign/schemes/index.js';
import type { Scheme } from '../sign/schemes/scheme.js';
import { readConfigFile } from './file.js';
import { searchConfig, type ConfigContext } from './find.js';

/**
 * The signature schemes of the configuration file, which is found as for profiles; none without a file.
 *
 * @throws UsageError for a file that cannot be read or is not valid
 */
export async function ownSchemes(context: ConfigContext): Promise<readonly Scheme[]> {
  const file = await searchConfig(context);
  return file === undefined ? [] : (await readConfigFile(file)).schemes;
}

/**
 * A preset, or a scheme of the configuration file, which is read only if no preset has the name.
 *
 * @param where begins the message: `--scheme`, `profile staging`, …
 * @throws UsageError that names the nearest known one
 */
export async function findScheme(
  name: string,
  context: ConfigContext,
  where: string,
): Promise<Scheme> {
  return presets.get(name) ?? schemeNamed(name, await ownSchemes(context), where);
}
