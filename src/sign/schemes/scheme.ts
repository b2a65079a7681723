/** A secret as given: a text, which each scheme reads in its own way, or the bytes of a key. */
export type Secret = string | Uint8Array;

export type Digest = 'sha1' | 'sha256' | 'sha512' | 'ed25519';
export type SignatureEncoding = 'hex' | 'base64';
export type TimestampFormat = 'seconds' | 'ms' | 'iso';

/** How the text of a secret becomes a key. */
export interface SecretForm {
  /** Taken away if the secret begins with it, e.g. `whsec_`. */
  readonly prefix?: string;
  /** What is left: the text itself, or Base64 of the key. */
  readonly encoding: 'utf8' | 'base64';
  /** Shorter keys give a warning; in bytes. */
  readonly advisedBytes?: number;
}

/** One way to make a signature; a scheme has several only where the form of the secret chooses. */
export interface SignatureVersion {
  readonly digest: Digest;
  readonly encoding: SignatureEncoding;
  readonly secret: SecretForm;
  /** Part of the value for one signature: text around `{signature}`, e.g. `v1,{signature}`. With a
   * separator, parts with other texts before the value are taken for other versions and skipped. */
  readonly item: string;
}

/**
 * How a webhook is signed, as plain data: it is copied to threads. Header names are as they are sent; they
 * are compared in any case.
 */
export interface Scheme {
  readonly name: string;
  /** The signed text: literal text with `{body}`, `{id}`, `{timestamp}`, `{url}`, `{method}`. */
  readonly content: string;
  /** The first one signs, unless the form of the secret belongs to a later one. */
  readonly versions: readonly SignatureVersion[];
  /** The header of the signature. */
  readonly header: string;
  /** Other names under which the headers are accepted, all of them together. */
  readonly aliases?: readonly HeaderNames[];
  /** The whole value: literal text with `{timestamp}` and `{signatures}`. */
  readonly value: string;
  /** Between signatures; without one the header carries a single signature. */
  readonly separator?: string;
  /** A header for a second signature (`hookdeck`). */
  readonly secondHeader?: string;
  readonly timestamp?: {
    /** Absent where it is only in the value. */
    readonly header?: string;
    readonly format: TimestampFormat;
  };
  readonly id?: { readonly header: string };
  /** How old a signature may be, in milliseconds; absent: its time is not judged. */
  readonly toleranceMs?: number;
  /** Whether a time ahead of ours by more than the tolerance is refused, too. */
  readonly judgesFuture: boolean;
  /** `twilio` alone signs in a way that no template describes. */
  readonly special?: 'twilio';
}

/** The headers of a scheme under one sender's names. */
export interface HeaderNames {
  readonly signature: string;
  readonly timestamp?: string;
  readonly id?: string;
}
