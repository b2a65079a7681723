import type { Scheme } from '../../sign/schemes/scheme.js';
import type { RespondRule } from '../../receive/rules/respond-rule.js';

/** How a source takes the requests of any sender. */
export interface RawSource {
  /** Exact; or with a `/*` at its end: also what is below it. */
  readonly path: string;
  readonly scheme: Scheme | 'auto';
  /** Any that fits, newest first; none: nothing is verified. Never shown. */
  readonly secrets: readonly string[];
  /** Whether a request without a valid signature gets 401. */
  readonly enforce: boolean;
  /** The schemes of the configuration file. */
  readonly own: readonly Scheme[];
  readonly respond: RawResponses;
}

export interface RawResponses {
  /** Of a request that no rule answers. */
  readonly status: number;
  /** As in the configuration file. */
  readonly texts: readonly string[];
  /** The first that fits answers. */
  readonly rules: readonly RespondRule[];
}
