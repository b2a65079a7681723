/** A key of a page, and what it does there. */
export interface Key<Target> {
  /** Values of `KeyboardEvent.key`. */
  readonly keys: readonly string[];
  /** As they are written for people. */
  readonly shown: readonly string[];
  readonly does: string;
  readonly act: (target: Target) => void;
}
