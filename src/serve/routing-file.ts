import { watch } from 'node:fs';
import { basename, dirname } from 'node:path';
import type { Environment } from '../config/environment.js';
import { readConfigFile } from '../config/file.js';
import { routingOf } from './routing.js';
import type { Routing } from './types.js';

/**
 * Reads the routing of a configuration file.
 *
 * @throws UsageError with file and line for whatever cannot be used
 */
export async function readRouting(file: string, env: Environment): Promise<Routing> {
  const { config, document } = await readConfigFile(file);
  return routingOf(config, document, env);
}

/** An editor writes a file in several steps; they count as one change. */
const settleMs = 200;

/**
 * Tells of changes to a file, also where it is replaced by another one of its name.
 *
 * @returns what ends it
 */
export function watchFile(file: string, onChange: () => void): () => void {
  let timer: NodeJS.Timeout | undefined;
  // The folder, for a file that was replaced is no longer the one that is watched. Where files come
  // mounted (Kubernetes), a link beside it changes, which begins with two dots.
  const watcher = watch(dirname(file), { persistent: false }, (_, name) => {
    if (name !== null && name !== basename(file) && !name.startsWith('..')) return;
    clearTimeout(timer);
    timer = setTimeout(onChange, settleMs);
    timer.unref();
  });
  // Where a folder cannot be watched any longer, SIGHUP still tells.
  watcher.on('error', () => undefined);
  return () => {
    clearTimeout(timer);
    watcher.close();
  };
}
