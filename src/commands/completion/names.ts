import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { parse } from 'yaml';
import { findConfig } from '../../config/find.js';
import { presets } from '../../sign/schemes/index.js';
import type { Io } from '../shared/command.js';

/** The shell gets the names, and would run what is in `$(…)`. */
const safeName = /^[\p{L}\p{N}_][\p{L}\p{N}_.-]*$/u;

type Surroundings = Pick<Io, 'cwd' | 'env'>;

/** The profiles of the configuration file that a command would use; none without a file. */
export function profileNames(io: Surroundings): Promise<string[]> {
  return namesOf('profiles', io);
}

/** The presets, then the own signature schemes of the configuration file that a command would use. */
export async function schemeNames(io: Surroundings): Promise<string[]> {
  return [...presets.keys(), ...(await namesOf('schemes', io))];
}

/**
 * The names in a section of the configuration file; those that a shell would have to quote are left out.
 * Other mistakes in the file do not matter. None if there is no file, or it is not YAML: the user is typing.
 */
async function namesOf(
  section: 'profiles' | 'schemes',
  { cwd, env }: Surroundings,
): Promise<string[]> {
  try {
    const file = await findConfig({ cwd, env, home: homedir() });
    const text = await readFile(file, 'utf8');
    const config = parse(text, { logLevel: 'silent' }) as Record<string, object | undefined> | null;
    return Object.keys(config?.[section] ?? {}).filter((name) => safeName.test(name));
  } catch {
    return [];
  }
}
