import { access } from 'node:fs/promises';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { UsageError } from '../errors.js';
import type { Environment } from './environment.js';

/** In one directory, the first of these is taken. */
const fileNames = ['evfwd.config.yaml', 'evfwd.config.yml', 'evfwd.config.json'];

/** What decides which configuration file is read. */
export interface ConfigContext {
  /** The file that was asked for; without it, `EVFWD_CONFIG`, and without that a search. */
  readonly path?: string | undefined;
  /** The working directory: where the search begins, and what relative paths are relative to. */
  readonly cwd: string;
  /** The user's home directory. */
  readonly home: string;
  readonly env: Environment;
}

/**
 * Finds the configuration file: the one asked for, else the nearest from the working directory
 * upwards, else the one in the user's configuration directory.
 *
 * @throws UsageError that says where it looked.
 */
export async function findConfig(location: ConfigContext): Promise<string> {
  const asked = location.path ?? (location.env.EVFWD_CONFIG || undefined);
  if (asked !== undefined) return resolve(location.cwd, asked);
  const userDirectory = userConfigDirectory(location);
  for (const directory of [...upwards(resolve(location.cwd)), userDirectory]) {
    for (const name of fileNames) {
      const file = join(directory, name);
      if (await exists(file)) return file;
    }
  }
  throw new UsageError(
    `no ${fileNames[0]!} (or .yml, .json) in ${location.cwd}, the directories above it, or ${userDirectory}; write one, or name it with --config`,
  );
}

/** The XDG base directory rules say that a relative path there is to be ignored. */
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
