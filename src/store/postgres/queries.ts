/** Where statements are sent: the database itself, or a transaction. */
export interface Queries {
  /** `values` for `$1` and on. */
  query<Row = Record<string, unknown>>(text: string, values?: readonly unknown[]): Promise<Row[]>;
}

/**
 * All or nothing; ends with the work that it was given to. Statements are executed in the order of the calls, also where
 * nobody waits in between. Where one has failed, so do all behind it. A statement after the end is not sent: `query` rejects
 * with an Error, and `send` does nothing.
 */
export interface Transaction extends Queries {
  /**
   * Sends a statement whose result nobody needs, without waiting for it. Where it fails, so does the transaction, at
   * its end.
   */
  send(text: string, values?: readonly unknown[]): void;
  /**
   * Calls `listener` when it has ended; `isCommitted` is false, too, where the connection broke during the
   * commit and nobody knows.
   */
  onEnd(listener: (isCommitted: boolean) => void): void;
}
