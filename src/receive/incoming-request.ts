/** A request as received: read to its end, or refused for its size. */
export interface IncomingRequest {
  /** Milliseconds since 1970. */
  readonly receivedAt: number;
  /** When the first byte of the body arrived, by `performance.now()`. */
  readonly startedAt: number;
  readonly method: string;
  /** With its query, as in the request line. */
  readonly path: string;
  /** Name, value, name, value, …, as spelled by the sender. */
  readonly headers: readonly string[];
  /** The bytes as received; empty if there were too many. */
  readonly body: Buffer;
  /** Size of the body; of a too large one, the announced size or the bytes received. */
  readonly bytes: number;
  readonly isTooLarge: boolean;
}
