import { isInNoProxy } from './exceptions.js';

type Environment = Readonly<Record<string, string | undefined>>;

/** A proxy that the environment names. */
export interface FoundProxy {
  readonly url: string;
  /** The name of the variable. */
  readonly variable: string;
}

/**
 * The proxy of a URL by `http_proxy`, `https_proxy` and `no_proxy`, or the same in capitals; the lower case counts
 * first, also if it is empty. Undefined if there is none.
 */
export function proxyOfEnvironment(url: URL, env: Environment): FoundProxy | undefined {
  const name = url.protocol === 'https:' ? 'https_proxy' : 'http_proxy';
  const found = variableOf(name, env);
  if (found === undefined || found.value === '') return undefined;
  if (isInNoProxy(url, variableOf('no_proxy', env)?.value ?? '')) return undefined;
  return { url: found.value, variable: found.name };
}

function variableOf(name: string, env: Environment): { name: string; value: string } | undefined {
  for (const each of [name, name.toUpperCase()]) {
    const value = env[each];
    if (value !== undefined) return { name: each, value };
  }
  return undefined;
}
