import { UsageError } from '../../errors.js';
import { quoted } from '../../quoted.js';

/** What AWS's tools read: environment variables and shared files. */
export interface AwsEnvironment {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The home directory; `~/.aws` is in it. */
  readonly home: string;
  /** @throws with the code ENOENT if there is no such file */
  readonly readFile: (path: string) => Promise<string>;
}

/** The settings of one profile, with names in lower case; undefined if no file has it. */
export type Profile = ReadonlyMap<string, string>;

export function profileName({ env }: AwsEnvironment): string {
  return env.AWS_PROFILE || 'default';
}

/** Those of the credentials file go before those of the config file. */
export async function readProfile(from: AwsEnvironment): Promise<Profile | undefined> {
  const { env, home } = from;
  const name = profileName(from);
  const config = await sections(from, env.AWS_CONFIG_FILE || `${home}/.aws/config`);
  const keys = await sections(from, env.AWS_SHARED_CREDENTIALS_FILE || `${home}/.aws/credentials`);
  const found = [config.get(`profile ${name}`) ?? config.get(name), keys.get(name)].filter(
    (section) => section !== undefined,
  );
  return found.length === 0 ? undefined : new Map(found.flatMap((section) => [...section]));
}

async function sections(
  { readFile }: AwsEnvironment,
  path: string,
): Promise<ReadonlyMap<string, Profile>> {
  try {
    return parseIni(await readFile(path));
  } catch (cause) {
    const { code = 'unknown error' } = cause as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return new Map();
    throw new UsageError(`${path} cannot be read (${code}); check its permissions`, 'credentials', {
      cause,
    });
  }
}

/** As AWS's SDKs read it: comments begin after a space, and indented lines belong to the setting above. */
export function parseIni(text: string): Map<string, Map<string, string>> {
  const found = new Map<string, Map<string, string>>();
  let current: Map<string, string> | undefined;
  for (const line of text.split(/\r?\n/)) {
    const [content = ''] = line.split(/(?:^|\s)[;#]/);
    const header = /^\[([^\]]*)\]\s*$/.exec(content.trim())?.[1];
    if (header !== undefined) {
      const name = header
        .trim()
        .replace(/^(profile)\s+/, '$1 ')
        .replace(/["']/g, '');
      current = found.get(name) ?? new Map<string, string>();
      found.set(name, current);
    } else if (!/^\s/.test(line)) {
      const [, key, value] = /^([^=]*?)\s*=(.*)$/.exec(content) ?? [];
      if (key && value !== undefined) current?.set(key.toLowerCase(), value.trim());
    }
  }
  return found;
}

/** `the profile "staging"`. */
export function profileInWords(from: AwsEnvironment): string {
  return `the profile ${quoted(profileName(from), 'of AWS_PROFILE')}`;
}
