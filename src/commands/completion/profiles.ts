import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { parse } from 'yaml';
import { findConfig } from '../../config/find.js';
import type { Io } from '../shared/command.js';

/** The scripts hand names to the shell, which would run what is in `$(…)`. */
const safeName = /^[\p{L}\p{N}_][\p{L}\p{N}_.-]*$/u;

/**
 * The profiles of the configuration file that a command would use; those that a shell would have to quote
 * are left out. Other mistakes in the file do not matter.
 *
 * @throws when there is no file, or it is not YAML
 */
export async function profileNames({ cwd, env }: Pick<Io, 'cwd' | 'env'>): Promise<string[]> {
  const file = await findConfig({ cwd, env, home: homedir() });
  const config = parse(await readFile(file, 'utf8'), { logLevel: 'silent' }) as {
    profiles?: object;
  } | null;
  return Object.keys(config?.profiles ?? {}).filter((name) => safeName.test(name));
}
