/** The `Authorization` header of the requests to a URL, where it is fetched and changes with time. */
export interface Authorization {
  /** The header line with its CRLF; undefined while there is none that is valid, until `fetch` has resolved. */
  readonly line: string | undefined;
  /** For a request whose last attempt was refused: `line`, unless that may be what was refused. */
  readonly lineAfterRefusal: string | undefined;
  /**
   * Gets a line, also where a fetch is under way. Never throws.
   * @returns why there is none; undefined if there is one
   */
  fetch(): Promise<TokenProblem | undefined>;
  /**
   * A server has responded 401 to a request with this line: it is not used again, or, if the one before was refused
   * just now, only until there is another one.
   */
  refused(line: string): void;
  /** What is to be masked in what an endpoint sends back. */
  secrets(): readonly string[];
}

/** Why there is no token. */
export interface TokenProblem {
  /** One sentence, without secrets. */
  readonly reason: string;
  /** Whether the credentials are refused (`invalid_client`), which no retry repairs. */
  readonly isInvalidClient: boolean;
}
