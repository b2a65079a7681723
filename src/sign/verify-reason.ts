/** Why a request is not valid. Stable: scripts may compare them. */
export type VerifyReason =
  | 'mismatch'
  | 'empty'
  | 'space'
  | 'prefix'
  | 'not_hex'
  | 'length'
  | 'uppercase'
  | 'missing'
  | 'repeated'
  | 'malformed'
  | 'not_base64'
  | 'unknown_version'
  | 'scheme_mismatch'
  | 'no_timestamp'
  | 'bad_timestamp'
  | 'no_id'
  | 'no_url'
  | 'no_digest'
  | 'expired'
  | 'future';

/** @internal */
export interface VerifyFault {
  readonly reason: VerifyReason;
  /** One sentence: what is wrong, and what to do. Contains neither signature nor secret. */
  readonly hint: string;
}

/** @internal */
export interface ValueFault extends VerifyFault {
  /** The signature without this fault, and what to add to the hint if it fits then. */
  readonly repaired?: { readonly bytes: Buffer; readonly hint: string };
}

/** @internal */
export function fault(reason: VerifyReason, hint: string): VerifyFault {
  return { reason, hint };
}
