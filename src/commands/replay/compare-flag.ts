import type { Compared } from '../../replay/compare.js';
import type { TypedFlag } from '../flags/flag.js';
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
  const isThis = ({ flag, value }: TypedFlag): boolean =>
    flag.name === '--compare' && value === compare;
  return {
    ...given,
    files: [compare, ...given.files],
    flags: { ...given.flags, compare: true },
    typed: given.typed.map((each) => (isThis(each) ? { ...each, value: undefined } : each)),
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
