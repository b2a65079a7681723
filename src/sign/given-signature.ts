import { UsageError } from '../errors.js';
import type { Scheme } from './schemes/scheme.js';

export interface SignatureFlags {
  /** Text of `--signature`. */
  readonly signature?: string;
  /** Texts of `--header`: name, colon, value. */
  readonly header?: readonly string[];
}

/**
 * The value of `X-Signature`, where the flags have that alone; undefined where they have another header
 * or several.
 *
 * @throws UsageError without a signature, and for a header without a colon
 */
export function givenSignature({ signature, header = [] }: SignatureFlags): string | undefined {
  if (signature === undefined && header.length === 0) {
    throw new UsageError(
      "no signature: use --signature <hex>, --header 'X-Signature: <hex>' or --requests <file>",
      'no_signature',
    );
  }
  const headers = header.map(parsedHeader);
  if (signature !== undefined) return headers.length === 0 ? signature : undefined;
  const [[name, value] = ['', '']] = headers;
  return headers.length === 1 && name.toLowerCase() === 'x-signature' ? value : undefined;
}

/**
 * Name, value, name, value, … of the flags; `--signature` is the value of the scheme's header.
 *
 * @throws UsageError for a header without a colon, and for `--signature` without a scheme
 */
export function givenHeaders(
  { signature, header = [] }: SignatureFlags,
  scheme: Scheme | 'auto',
): string[] {
  const headers = header.flatMap(parsedHeader);
  if (signature === undefined) return headers;
  if (scheme === 'auto') {
    throw new UsageError(
      '--signature and --header cannot be combined without --scheme; name the scheme, or use --header alone',
    );
  }
  return [scheme.header, signature, ...headers];
}

/** Space around a header's value is not part of it. The text is not shown: it may be a secret. */
function parsedHeader(header: string): [name: string, value: string] {
  const colon = header.indexOf(':');
  const name = header.slice(0, Math.max(colon, 0)).trim();
  if (/^[\w!#$%&'*+.^`|~-]+$/.test(name)) {
    return [name, header.slice(colon + 1).replace(/^[ \t]+|[ \t]+$/g, '')];
  }
  const problem = colon < 0 ? 'has no colon' : 'has no name before its colon';
  throw new UsageError(
    `--header ${problem}; write it as --header 'Name: value'`,
    'malformed_header',
  );
}
