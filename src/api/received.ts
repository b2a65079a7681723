export type SignatureVerdict = 'valid' | 'invalid' | 'missing' | 'unchecked';

/** How a request was passed on; as in the capture line. */
export interface Forwarded {
  /** Without its query. */
  readonly url: string;
  /** Null without a response. */
  readonly status: number | null;
  readonly durationMs: number;
  /** Why there was no whole response: `refused`, `timeout`, `reset`, …; null when there was. */
  readonly error: string | null;
}
