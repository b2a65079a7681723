/** What an answer says about a URL as a whole, for the lanes of other threads. */
export type LaneNews =
  | { readonly kind: 'gone' }
  /** Nothing is to be sent before then; milliseconds since 1970. */
  | { readonly kind: 'paused'; readonly untilMs: number };
