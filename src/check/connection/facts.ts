/** What is known of the connection to an endpoint before anything is sent over it. Plain data. */
export interface ConnectionFacts {
  /** All addresses of the host, in the order of the lookup. */
  readonly addresses: readonly AddressFacts[];
  /** Undefined for http. */
  readonly tls?: TlsFacts;
  /** Why no event is sent over this connection, in lower case; undefined if it may be used. */
  readonly refusal?: string;
  /** Whether the failure of a check says why: of a certificate, and not of an outdated protocol. */
  readonly isExplained: boolean;
}

export interface AddressFacts {
  readonly address: string;
  readonly family: 4 | 6;
  readonly durationMs: number;
  /** Why it does not connect; undefined if it does. */
  readonly error?: string;
  /** `ECONNREFUSED`, `ETIMEDOUT`, `ENETUNREACH`, … */
  readonly errorCode?: string;
}

export interface TlsFacts {
  /** Protocol versions that the server offers, newest first: `TLSv1.3`. */
  readonly versions: readonly string[];
  /** Undefined if the server offers no version that an event may be sent with. */
  readonly certificate?: CertificateFacts;
}

/** What a certificate lacks, each thing judged on its own: an outdated one may have a good chain. */
export interface CertificateFacts {
  /** Why no trusted issuer has signed it. */
  readonly untrusted?: string;
  /** Why it is for another host. */
  readonly wrongHost?: string;
  /** Since when it, or the certificate of an issuer, is not valid. */
  readonly outOfDate?: string;
  /** Milliseconds since 1970. */
  readonly validTo: number;
}

/** Of a session that has not looked. */
export const nothingKnown: ConnectionFacts = { addresses: [], isExplained: false };
