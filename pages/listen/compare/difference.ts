/** A named value that two requests do not share. */
export interface Difference {
  readonly name: string;
  /** Undefined where the older request has none. */
  readonly before: string | undefined;
  /** Undefined where the newer request has none. */
  readonly after: string | undefined;
}
