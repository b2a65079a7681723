import { UsageError } from '../errors.js';

/** The environment variables, passed in by the command. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Formats a place in the configuration for messages: `file:line: key.path`. */
export type Where = (path: readonly PropertyKey[]) => string;

const reference = /\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g;

/** A text whose `${NAME}` are replaced by plain words, and a function that restores them. */
export interface HiddenReferences {
  readonly text: string;
  restore(value: string): string;
}

/**
 * Replaces each `${NAME}` by a plain word, since `{ writeKey: ${KEY} }` is not valid YAML. A secret
 * inserted before parsing could end the string that contains it.
 */
export function hideReferences(text: string): HiddenReferences {
  const mark = markAbsentFrom(text);
  const hidden = new RegExp(`${mark}(.*?)${mark}`, 'g');
  return {
    text: text.replace(reference, `${mark}$1${mark}`),
    restore: (value) => value.replace(hidden, '${$1}'),
  };
}

/** Its first letter is not its last, so that overlapping marks cannot form another one. */
function markAbsentFrom(text: string): string {
  let count = 0;
  while (text.includes(`EVFWD${count}X`)) count++;
  return `EVFWD${count}X`;
}

/**
 * Expands the references in every string of `value`; keys stay as they are, and expanded values are
 * not expanded again.
 *
 * @throws UsageError for a variable that is not set, empty or only white space, and for a `${` that is not a reference.
 */
export function expandReferences<Value>(
  value: Value,
  env: Environment,
  where: Where,
  path: readonly PropertyKey[],
): Value {
  return expand(value, path) as Value;

  function expand(item: unknown, at: readonly PropertyKey[]): unknown {
    if (typeof item === 'string')
      return expandText(item, env, () => where(at), path[0] === 'profiles');
    if (Array.isArray(item)) return item.map((entry, index) => expand(entry, [...at, index]));
    if (typeof item !== 'object' || item === null) return item;
    return Object.fromEntries(
      Object.entries(item).map(([key, entry]) => [key, expand(entry, [...at, key])]),
    );
  }
}

function expandText(
  text: string,
  env: Environment,
  location: () => string,
  isOfProfile: boolean,
): string {
  if (text.replaceAll(reference, '').includes('${')) {
    throw new UsageError(
      `${location()} has a \${ that is not \${NAME}: only the name of a variable is allowed there`,
    );
  }
  return text.replaceAll(reference, (_, name: string) => {
    const found = Object.hasOwn(env, name) ? env[name] : undefined;
    if (found === undefined || found.trim() === '') {
      const state =
        found === undefined ? 'is not set' : found === '' ? 'is empty' : 'has only white space';
      const next = isOfProfile ? 'set it, or choose another profile' : 'set it';
      throw new UsageError(
        `${location()} needs the environment variable ${name}, which ${state}; ${next}`,
      );
    }
    return found;
  });
}
