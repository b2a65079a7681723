import { expandReferences } from './environment.js';
import { readConfigFile } from './file.js';
import { searchConfig, type ConfigContext } from './find.js';

/**
 * `store:` of the configuration file, the URL of the store that machines share; undefined without one.
 *
 * @throws UsageError as `loadProfile` does, without any value
 */
export async function configuredStore(context: ConfigContext): Promise<string | undefined> {
  const file = await searchConfig(context);
  if (file === undefined) return undefined;
  const { config, document } = await readConfigFile(file);
  if (config.store === undefined) return undefined;
  return expandReferences(config.store, context.env, document.where, ['store']);
}
