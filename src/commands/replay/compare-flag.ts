import { UsageError } from '../../errors.js';
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

/**
 * Whether headers are compared, too: of `--candidate` alone, which has no other use for `--compare`.
 * @throws UsageError for what has no meaning
 */
export function comparesHeaders({ compare, candidate, ignore = [] }: ReplayFlags): boolean {
  if (candidate === undefined) {
    if (compare !== 'headers') return false;
    throw new UsageError(
      '--compare headers compares two versions of a handler; use it with --candidate <url>',
    );
  }
  if (compare === 'headers') return true;
  if (compare !== undefined) {
    throw new UsageError(
      '--compare is about recorded responses; with --candidate, status and body are always compared: leave it out, or use --compare headers',
    );
  }
  const header = ignore.find(([first]) => first === 'header');
  if (!header) return false;
  throw new UsageError(
    `--ignore ${header.join('.')}: headers are compared only with --compare headers; use both, or leave it out`,
  );
}

/** What `--compare` asks for. */
export function comparedOf({ compare }: Pick<ReplayFlags, 'compare'>): Compared | undefined {
  if (compare === undefined) return undefined;
  return compare === 'body' ? 'body' : 'status';
}

function isCompared(text: string): boolean {
  return text === 'status' || text === 'body' || text === 'headers';
}
