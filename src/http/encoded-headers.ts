/** A request before its body, encoded as far as it is the same each time that it is written. */
export interface EncodedHeaders {
  /** From the request line to the last header that never changes. */
  readonly fixed: Buffer;
  /** The remaining headers, in ASCII, after the `lines` of this request, each with its CRLF. */
  rest(bodyBytes: number, lines: string): string;
}
