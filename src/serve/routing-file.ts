import { watch } from 'node:fs';
import { basename, dirname } from 'node:path';
import { expandReferences, type Environment } from '../config/environment.js';
import { readConfigFile } from '../config/file.js';
import { routingOf } from './routing.js';
import type { Routing } from './types.js';

/**
 * Reads the routing of a configuration file.
 *
 * @throws UsageError with file and line for whatever cannot be used
 */
export async function readRouting(file: string, env: Environment): Promise<Routing> {
  const { config, document, schemes } = await readConfigFile(file);
  return routingOf(config, document, env, schemes);
}

/** `store:` of a configuration file; undefined without one. @throws UsageError as `readRouting` does */
export async function configuredStore(file: string, env: Environment): Promise<string | undefined> {
  const { config, document } = await readConfigFile(file);
  if (config.store === undefined) return undefined;
  return expandReferences(config.store, env, document.where, ['store']);
}

/** Editors write a file in several steps; changes within this time count as one. */
const settleMs = 200;

/**
 * Reports changes to a file, also when it is replaced by another one of its name.
 *
 * @returns a function that stops watching
 */
export function watchFile(file: string, onChange: () => void): () => void {
  let timer: NodeJS.Timeout | undefined;
  // Watches the folder, since a watch on the file ends when it is replaced. For mounted files
  // (Kubernetes) a link beside it changes, whose name begins with two dots.
  const watcher = watch(dirname(file), { persistent: false }, (_, name) => {
    if (name !== null && name !== basename(file) && !name.startsWith('..')) return;
    clearTimeout(timer);
    timer = setTimeout(onChange, settleMs);
    timer.unref();
  });
  // Where a folder can no longer be watched, SIGHUP still reloads.
  watcher.on('error', () => undefined);
  return () => {
    clearTimeout(timer);
    watcher.close();
  };
}
