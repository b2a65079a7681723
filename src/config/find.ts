import { access } from 'node:fs/promises';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { UsageError } from '../errors.js';
import type { Environment } from './environment.js';

/** In one directory, the first of these is used. */
const fileNames = ['evfwd.config.yaml', 'evfwd.config.yml', 'evfwd.config.json'];

/** Determines which configuration file is read. */
export interface ConfigContext {
  /** The requested file; without it, `EVFWD_CONFIG` is used, and without that a search. */
  readonly path?: string | undefined;
  /** The working directory: the start of the search and the base of relative paths. */
  readonly cwd: string;
  /** The user's home directory. */
  readonly home: string;
  readonly env: Environment;
}

/**
 * Finds the configuration file: the requested one, else the nearest from the working directory upwards,
 * else the one in the user's configuration directory.
 *
 * @throws UsageError that lists the searched directories.
 */
export async function findConfig(location: ConfigContext): Promise<string> {
  const file = await searchConfig(location);
  if (file !== undefined) return file;
  throw new UsageError(
    `no ${fileNames[0]!} (or .yml, .json) in ${location.cwd}, the directories above it, or ${userConfigDirectory(location)}; create one with evfwd init, or use --config`,
  );
}

/** As `findConfig`; undefined without a file. */
export async function searchConfig(location: ConfigContext): Promise<string | undefined> {
  const requested = location.path ?? (location.env.EVFWD_CONFIG || undefined);
  if (requested !== undefined) return resolve(location.cwd, requested);
  for (const directory of [...upwards(resolve(location.cwd)), userConfigDirectory(location)]) {
    for (const name of fileNames) {
      const file = join(directory, name);
      if (await exists(file)) return file;
    }
  }
  return undefined;
}

/** The XDG base directory specification requires relative paths to be ignored. */
function userConfigDirectory({ env, home }: ConfigContext): string {
  const configured = env.XDG_CONFIG_HOME ?? '';
  return join(isAbsolute(configured) ? configured : join(home, '.config'), 'evfwd');
}

function upwards(directory: string): string[] {
  const parent = dirname(directory);
  return parent === directory ? [directory] : [directory, ...upwards(parent)];
}

async function exists(file: string): Promise<boolean> {
  try {
    await access(file);
    return true;
  } catch {
    return false;
  }
}
