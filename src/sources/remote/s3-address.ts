import { UsageError } from '../../errors.js';

/** What `s3://…` names: one object, all below a prefix, or those that match a pattern. */
export type S3Address = { readonly bucket: string } & (
  | { readonly kind: 'key'; readonly key: string }
  | { readonly kind: 'prefix'; readonly prefix: string }
  /** `prefix` is the text before the first wildcard. */
  | { readonly kind: 'pattern'; readonly prefix: string; readonly pattern: string }
);

/**
 * Reads an address. A key is not percent-encoded. `*`, `?`, `[…]` and `{a,b}` are wildcards unless a backslash is
 * before them.
 *
 * @throws UsageError
 */
export function parseS3Address(text: string): S3Address {
  const [, bucket, path = ''] = /^s3:\/\/([A-Za-z0-9][\w.-]{1,254})(?:\/(.*))?$/su.exec(text) ?? [];
  if (bucket === undefined)
    throw new UsageError('not an address of S3; write s3://bucket/key, or s3://bucket/prefix/');
  const tokens = tokensOf(path);
  const literal = (end?: number): string =>
    tokens
      .slice(0, end)
      .map(({ text: part }) => part)
      .join('');
  const first = tokens.findIndex(({ isWild }) => isWild);
  if (first >= 0)
    return { bucket, kind: 'pattern', prefix: literal(first), pattern: globOf(tokens) };
  const key = literal();
  const isPrefix = key === '' || key.endsWith('/');
  return isPrefix ? { bucket, kind: 'prefix', prefix: key } : { bucket, kind: 'key', key };
}

/**
 * Whether an object is meant. Names that begin with `.` or `_` are left out, unless they are named; so are the empty
 * objects that stand for folders.
 */
export async function matcherOf(
  address: S3Address,
): Promise<(key: string, size: number) => boolean> {
  const isMeant = await keyMatcher(address);
  return (key, size) => !(size === 0 && key.endsWith('/')) && isMeant(key);
}

async function keyMatcher(address: S3Address): Promise<(key: string) => boolean> {
  if (address.kind === 'key') return (key) => key === address.key;
  const { prefix } = address;
  if (address.kind === 'prefix')
    return (key) => key.startsWith(prefix) && !/(?:^|\/)[._]/.test(key.slice(prefix.length));
  const { default: picomatch } = await import('picomatch');
  const options = { nonegate: true, noextglob: true, strictSlashes: true };
  const matches = picomatch(address.pattern, { ...options, dot: true });
  // Wildcards do not match a dot at the start of a name, and with one before it no underscore either.
  const matchesVisible = picomatch(dotted(address.pattern, /(^|\/|[{,])_/g), options);
  return (key) => matches(key) && matchesVisible(dotted(key, /(^|\/)_/g));
}

function dotted(text: string, start: RegExp): string {
  return text.replace(start, '$1._');
}

interface Token {
  /** As in the key, or the wildcard as it is. */
  readonly text: string;
  readonly isWild: boolean;
}

/** An escaped character, a set, alternatives, stars, a question mark, or any other character. */
const token = /\\([*?[\]{}\\])|(\[[!^]?\]?[^\]/]*\]|\{[^{}]*(?:,|\.\.)[^{}]*\}|\*+|\?)|(.)/gsu;

function tokensOf(path: string): Token[] {
  return [...path.matchAll(token)].map(([, escaped, wild, other]) => ({
    text: escaped ?? wild ?? other ?? '',
    isWild: wild !== undefined,
  }));
}

/** For picomatch, which gives many more characters a meaning. */
function globOf(tokens: readonly Token[]): string {
  return tokens
    .map(({ text, isWild }) =>
      isWild ? text.replace(/^\[!/, '[^') : text.replace(/[^\w/.\-,]/gu, '\\$&'),
    )
    .join('');
}
