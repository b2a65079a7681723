import type { Scheme, Secret } from './schemes/scheme.js';

/** One way to sign: a scheme and its secrets, newest first. Plain data. */
export interface SigningSettings {
  readonly scheme: Scheme;
  /** At least one. */
  readonly secrets: readonly Secret[];
}

/** What is signed. */
export interface RequestToSign {
  readonly body: Uint8Array;
  /** The messageId; `signedId` makes it fit for the scheme. */
  readonly id: string;
  /** Time of the attempt, in milliseconds since 1970. */
  readonly nowMs: number;
  readonly method: string;
  /** The whole URL, with its query. */
  readonly url: string;
}

export interface SignedRequest {
  /** Names and values, the signature first. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** The URL to send to, where it differs: `twilio` adds `bodySHA256`. */
  readonly url?: string;
}

/** Signs requests by one scheme; the keys are prepared once. */
export interface RequestSigner {
  readonly scheme: Scheme;
  /** Whether the headers of an attempt depend on its time. */
  readonly hasTime: boolean;
  /** Whether the headers or the URL depend on the method or URL. */
  readonly needsUrl: boolean;
  /** In lower case: a static header must not have one of these names. */
  readonly headerNames: readonly string[];
  sign(request: RequestToSign): SignedRequest;
}

/**
 * @param where begins messages: `--secret-file`, `destination crm`, …
 * @throws UsageError for a secret that is not in the form of the scheme, for no secret, and for more
 *   secrets than the headers of the scheme carry
 */
export declare function requestSigner(settings: SigningSettings, where: string): RequestSigner;
