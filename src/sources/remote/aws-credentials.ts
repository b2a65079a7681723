/** Keys of AWS. */
export interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
  /** Milliseconds since 1970; without it they do not expire, or do not say so. */
  readonly expires?: number;
  /** For messages: `the environment`. */
  readonly from: string;
}
