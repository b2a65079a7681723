import { createHash } from 'node:crypto';
import { isExpansion, isProblem, type Event, type Item } from '../events/event.js';
import { userOf } from '../events/select.js';
import { idOf, isPlain, type Input } from './input.js';

/** One of `count` processes that share an import; `index` is from 0. */
export interface Shard {
  readonly index: number;
  readonly count: number;
}

/**
 * The size of the blocks in which files are shared out, in bytes: small enough that 8 shards of 10 MB have equal work.
 * Part of the state of a shard: with another value, it would resume with other lines.
 */
export const shardBlockBytes = 256 * 1024;

/** What a shard has of one input. */
export type FileShare =
  | { readonly kind: 'all' }
  | { readonly kind: 'nothing' }
  | BlockShare
  /** What `owns` accepts; every line has to be parsed. `part` is its share of the bytes. */
  | {
      readonly kind: 'events';
      readonly owns: (item: Item) => boolean;
      readonly part: number;
    };

/** The lines whose first byte is in one of its blocks: every `count`th, from block `first` on. */
export interface BlockShare {
  readonly kind: 'blocks';
  readonly first: number;
  readonly count: number;
  readonly blockBytes: number;
}

/**
 * What a shard has of each input. Together, the shards have each line exactly once, also when files
 * have grown in between; the order in which the files are named does not matter.
 *
 * @param byUser all events of a user fall to one shard; lines that are not events fall to that of their
 * block
 */
export function sharesOf(inputs: readonly Input[], shard: Shard, byUser: boolean): FileShare[] {
  const positions = positionsOf(inputs);
  return inputs.map((input) => {
    const position = positions.get(idOf(input))!;
    const lines = lineShare(input, position, shard);
    return byUser ? userShare(lines, shard) : lines;
  });
}

/** Their order by path: shells on other machines may sort names differently. */
function positionsOf(inputs: readonly Input[]): ReadonlyMap<string, number> {
  const paths = inputs.map(idOf).sort();
  return new Map(paths.map((path, position) => [path, position]));
}

/** Block k of the file at `position` falls to shard `position + k`, so that small files are shared out, too. */
function lineShare(input: Input, position: number, { index, count }: Shard): FileShare {
  if (count === 1) return { kind: 'all' };
  const first = (((index - position) % count) + count) % count;
  if (!isPlain(input)) return { kind: first === 0 ? 'all' : 'nothing' };
  return { kind: 'blocks', first, count, blockBytes: shardBlockBytes };
}

function userShare(lines: FileShare, { index, count }: Shard): FileShare {
  if (count === 1) return lines;
  const owns = (item: Item): boolean => {
    // A record with several events belongs to the user of the first.
    const first = isExpansion(item) ? item.items.find((each) => !isProblem(each)) : item;
    if (first === undefined || isProblem(first)) return ownsLine(lines, item.origin.offset);
    return hashOf(userIn(first)) % count === index;
  };
  return { kind: 'events', owns, part: 1 / count };
}

/** The same as `userOf` of the whole event; only the members that it reads are parsed. */
function userIn(event: Event): string {
  const idOf = (name: 'userId' | 'anonymousId'): unknown => {
    const member = event.find(name);
    return member && JSON.parse(event.bytes.toString('utf8', member.start, member.end));
  };
  return userOf({ value: { userId: idOf('userId'), anonymousId: idOf('anonymousId') } });
}

/** Not the bytes that `--sample` compares: a sample of users is shared out evenly, too. */
function hashOf(user: string): number {
  return createHash('sha1').update(user).digest().readUInt32BE(4);
}

/** Whether the line that begins at `offset` belongs to the share; not for `events`. */
export function ownsLine(share: FileShare, offset: number): boolean {
  if (share.kind !== 'blocks') return share.kind === 'all';
  return Math.floor(offset / share.blockBytes) % share.count === share.first;
}

/** About how many of the first `size` bytes of an input belong to the share. */
export function ownBytes(share: FileShare, size: number): number {
  if (share.kind === 'all') return size;
  if (share.kind === 'nothing') return 0;
  if (share.kind === 'events') return size * share.part;
  const { first, count, blockBytes } = share;
  const whole = Math.floor(size / blockBytes);
  const ownBlocks = Math.max(0, Math.ceil((whole - first) / count));
  const rest = ownsLine(share, size) ? size % blockBytes : 0;
  return ownBlocks * blockBytes + rest;
}
