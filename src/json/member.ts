/** A top-level member of a JSON object, as spans of the object's own bytes. */
export interface Member {
  /** The name with its escapes undone: `"\u0074ype"` is `type`. */
  readonly name: string;
  /** Offset of the quote that opens the name. */
  readonly nameStart: number;
  /** Offset of the value's first byte. */
  readonly start: number;
  /** Offset after the value's last byte. */
  readonly end: number;
}
