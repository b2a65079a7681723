import { UsageError } from '../errors.js';

/** The variables of the process, handed in by the command. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Names a place in the configuration for a person, `file:line: key.path`. */
export type Where = (path: readonly PropertyKey[]) => string;

const reference = /\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g;

/** A text whose `${NAME}` are plain words, and the way back for strings made from it. */
export interface HiddenReferences {
  readonly text: string;
  restore(value: string): string;
}

/**
 * Turns each `${NAME}` into a plain word. `{ writeKey: ${KEY} }` is not YAML as it stands, and a
 * secret put in before parsing could end the string it stands in.
 */
export function hideReferences(text: string): HiddenReferences {
  const mark = markAbsentFrom(text);
  const hidden = new RegExp(`${mark}(.*?)${mark}`, 'g');
  return {
    text: text.replace(reference, `${mark}$1${mark}`),
    restore: (value) => value.replace(hidden, '${$1}'),
  };
}

/** Begins as it cannot end, so that a piece of it beside another never looks like one more. */
function markAbsentFrom(text: string): string {
  let count = 0;
  while (text.includes(`EVFWD${count}X`)) count++;
  return `EVFWD${count}X`;
}

/**
 * Puts the values of the environment into every string of `value`; keys stay as they are, and a
 * value that itself holds `${NAME}` is not looked into.
 *
 * @throws UsageError for a variable that is not set or empty, and for a `${` that is no reference.
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
      `${location()} has a \${ that is not \${NAME}: only the name of a variable can stand there`,
    );
  }
  return text.replaceAll(reference, (_, name: string) => {
    const found = Object.hasOwn(env, name) ? env[name] : undefined;
    if (found === undefined || found === '') {
      const state = found === '' ? 'is empty' : 'is not set';
      const next = isOfProfile ? 'set it, or choose another profile' : 'set it';
      throw new UsageError(
        `${location()} needs the environment variable ${name}, which ${state}; ${next}`,
      );
    }
    return found;
  });
}
