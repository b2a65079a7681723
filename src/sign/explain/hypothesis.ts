/** Something that goes wrong on the way from the signer to the checker. */
export interface Hypothesis {
  /** Completes "the signature fits when …"; holds neither signature, secret nor body. */
  readonly fact: string;
  /** What to do about it, as a command. */
  readonly step: string;
}

/** Bytes as an accident leaves them; without one they are as given. */
export interface Variant {
  readonly bytes: Buffer;
  readonly hypothesis?: Hypothesis;
}

/** The variants that differ from what was given; an accident that changes nothing is none. */
export function differing(given: Buffer, variants: readonly Variant[]): Variant[] {
  return variants.filter(({ bytes }) => !bytes.equals(given));
}
