import type { SignatureFault } from './judge.js';
import type { Scheme, Secret } from './schemes/scheme.js';

/** Why a request is not valid. Stable: scripts may compare them. */
export type VerifyReason =
  | SignatureFault
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
  | 'expired'
  | 'future';

/** A request as it was received. */
export interface RequestToVerify {
  /** Name, value, name, value, …, in the order received. */
  readonly headers: readonly string[];
  readonly body: Uint8Array;
  readonly method?: string | undefined;
  /** As the sender signed it; only some schemes need it. */
  readonly url?: string | undefined;
}

export interface RequestVerdict {
  readonly valid: boolean;
  /** By which scheme it was judged; null where `auto` found none. */
  readonly scheme: string | null;
  /** Absent when valid, as is `hint`. */
  readonly reason?: VerifyReason;
  /** One sentence: what is wrong, and what to do. Contains neither signature nor secret. */
  readonly hint?: string;
  /** What the headers say, valid or not. */
  readonly id?: string;
  /** Milliseconds since 1970. */
  readonly timestampMs?: number;
}

export interface VerifierOptions {
  /** `auto`: chosen by the headers of each request, among the presets and `own`. */
  readonly scheme: Scheme | 'auto';
  /** Any that fits; at least one. */
  readonly secrets: readonly Secret[];
  /** Own schemes, for `auto` and for hints. */
  readonly own?: readonly Scheme[];
  /** In place of that of the scheme; null: times are not judged. */
  readonly toleranceMs?: number | null | undefined;
}

/** Judges requests; never throws for what was received. */
export interface RequestVerifier {
  /** `nowMs`: as of when it is judged, in milliseconds since 1970. */
  verify(request: RequestToVerify, nowMs: number): RequestVerdict;
}

/** @throws UsageError for a secret that is not in the form of the scheme (with `auto`: of none) */
export declare function requestVerifier(options: VerifierOptions): RequestVerifier;
