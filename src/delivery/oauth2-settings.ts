/** The client credentials grant: RFC 6749, section 4.4. */
export interface OAuth2Settings {
  /** Absolute `http:` or `https:` URL of the token endpoint. */
  readonly tokenUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly scope?: string | undefined;
  readonly audience?: string | undefined;
  /** Where id and secret stand: in an `Authorization: Basic` header (default) or in the body. */
  readonly authMethod?: 'basic' | 'body' | undefined;
  /**
   * The HTTP proxy in front of the token endpoint; null: none. Default: that of the endpoint.
   * @internal
   */
  readonly proxy?: string | null | undefined;
}
