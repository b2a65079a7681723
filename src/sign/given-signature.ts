import { UsageError } from '../errors.js';

export interface SignatureFlags {
  /** Text of `--signature`. */
  readonly signature?: string;
  /** Text of `--header`: name, colon, value. */
  readonly header?: string;
}

/**
 * The signature from the flags.
 *
 * @throws UsageError for both flags or neither, and for a header that is not `X-Signature: …`
 */
export function givenSignature({ signature, header }: SignatureFlags): string {
  if (signature !== undefined && header !== undefined) {
    throw new UsageError('--signature and --header cannot be combined; use one of them');
  }
  if (signature !== undefined) return signature;
  if (header !== undefined) return fromHeader(header);
  throw new UsageError(
    "no signature: use --signature <hex>, --header 'X-Signature: <hex>' or --requests <file>",
    'no_signature',
  );
}

/** Space around a header's value is not part of it. The text is not shown: it may be a secret. */
function fromHeader(header: string): string {
  const colon = header.indexOf(':');
  const form = "write it as --header 'X-Signature: <hex>'";
  if (colon < 0) throw new UsageError(`--header has no colon; ${form}`, 'malformed_header');
  if (header.slice(0, colon).trim().toLowerCase() !== 'x-signature') {
    throw new UsageError(`--header is not an X-Signature header; ${form}`, 'malformed_header');
  }
  return header.slice(colon + 1).replace(/^[ \t]+|[ \t]+$/g, '');
}
