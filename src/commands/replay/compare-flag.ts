import type { Compared } from '../../replay/compare.js';
import type { TypedFlag } from '../shared/typed-flags.js';
import type { ReplayFlags } from './flags.js';

interface Given {
  readonly files: readonly string[];
  readonly flags: ReplayFlags;
  readonly typed: readonly TypedFlag[];
}

/**
 * A word after `--compare` is its value only if it is one: in `--compare got.ndjson` it names a file, which
 * commander cannot know.
 */
export function compareFlag<T extends Given>(given: T): T {
  const { compare } = given.flags;
  if (compare === undefined || compare === true || isCompared(compare)) return given;
  const isThis = ({ name, value }: TypedFlag): boolean => name === '--compare' && value === compare;
  return {
    ...given,
    files: [compare, ...given.files],
    flags: { ...given.flags, compare: true },
    typed: given.typed.map((flag) => (isThis(flag) ? { ...flag, value: undefined } : flag)),
  };
}

/** What `--compare` asks for. */
export function comparedOf({ compare }: Pick<ReplayFlags, 'compare'>): Compared | undefined {
  if (compare === undefined) return undefined;
  return compare === 'body' ? 'body' : 'status';
}

function isCompared(text: string): text is Compared {
  return text === 'status' || text === 'body';
}
