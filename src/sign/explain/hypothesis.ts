import type { RequestToVerify } from '../verdict.js';

/** A mistake between the signer and the checker that would explain a wrong signature. */
export interface Hypothesis {
  /** Completes "the signature fits when …"; contains neither signature, secret nor body. */
  readonly fact: string;
  /** How to fix it, as a command. */
  readonly step: string;
}

/** A request without the mistake. */
export interface ChangedRequest {
  readonly changed: RequestToVerify;
  readonly hypothesis: Hypothesis;
}

/** Bytes as a mistake changes them; without a hypothesis they are unchanged. */
export interface Variant {
  readonly bytes: Buffer;
  readonly hypothesis?: Hypothesis;
}

/** The variants that differ from the given bytes: a mistake without effect explains nothing. */
export function differing(given: Buffer, variants: readonly Variant[]): Variant[] {
  return variants.filter(({ bytes }) => !bytes.equals(given));
}
