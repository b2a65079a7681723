import type { VerifyReason } from './verify-reason.js';

/** A request as it was received, without its body. */
export interface RequestHead {
  /** Name, value, name, value, …, in the order received. */
  readonly headers: readonly string[];
  /** Default POST. Only own schemes may sign it. */
  readonly method?: string | undefined;
  /** As the sender signed it; only some schemes need it. */
  readonly url?: string | undefined;
}

/** A request as it was received. */
export interface RequestToVerify extends RequestHead {
  readonly body: Uint8Array;
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
