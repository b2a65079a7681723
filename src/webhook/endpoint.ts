/** A URL that every event is sent to, with its static headers. */
export interface Endpoint {
  /** Absolute `http:` or `https:` URL. A query is allowed, and never shown. */
  readonly url: string;
  /** Up to 5 static headers; sent unchanged, never shown. */
  readonly headers?: StaticHeaders;
  /**
   * The HTTP proxy in front of it: `http://` or `https://`, with user and password if it wants them, which are never
   * shown. Loopback and literal private addresses are reached without it. Default: none.
   */
  readonly proxy?: string;
}

/** Name → value, or pairs, in which a name can be repeated. */
export type StaticHeaders =
  Readonly<Record<string, string>> | readonly (readonly [name: string, value: string])[];
