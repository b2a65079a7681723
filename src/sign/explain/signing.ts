import type { SecretForm, SignatureEncoding } from '../schemes/scheme.js';
import type { Hypothesis } from './hypothesis.js';

/** How a scheme makes an HMAC of one request: what the hypotheses differ from. */
export interface Signing {
  /** The name of the header, for people. */
  readonly header: string;
  /** As node:crypto calls it. */
  readonly digest: 'sha1' | 'sha256' | 'sha512';
  readonly encoding: SignatureEncoding;
  readonly secret: SecretForm;
  /** What precedes each signature in the header, e.g. `sha256=`; often empty. */
  readonly prefix: string;
  readonly content: Content;
  /** What a signer may have signed instead. */
  readonly otherContents: readonly OtherContent[];
}

/** The signed bytes of a body. */
export type Content = (body: Buffer) => Buffer;

export interface OtherContent {
  readonly content: Content;
  readonly hypothesis: Hypothesis;
}
