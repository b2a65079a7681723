import { createHash, createHmac } from 'node:crypto';
import type { Hypothesis } from './hypothesis.js';

/** The digest of X-Signature, as node:crypto calls it. */
const ownAlgorithm = 'sha1';

/** A way to make a signature of a body and a key. */
export interface Algorithm {
  readonly hypothesis?: Hypothesis;
  /** `algorithm` is a name that node:crypto knows. */
  digest(algorithm: string, body: Buffer, key: Buffer): Buffer;
}

/** The hypothesis that the digest is not SHA-1; `label` is its name for people. */
export function otherDigest(
  used: Algorithm,
  algorithm: string,
  label: string,
): Hypothesis | undefined {
  if (algorithm === ownAlgorithm) return undefined;
  const fact =
    used === keyedHash ? `it is HMAC-${label} instead of HMAC-SHA1` : `its digest is ${label}`;
  return { fact, step: 'use HMAC-SHA1' };
}

/** The algorithm of X-Signature. */
export const keyedHash: Algorithm = {
  digest: (algorithm, body, key) => createHmac(algorithm, key).update(body).digest(),
};

const step = 'use HMAC with the secret as its key';

/** Algorithms that are mistaken for it. */
export const otherAlgorithms: readonly Algorithm[] = [
  {
    hypothesis: { fact: 'it is a plain hash of the body, without any secret', step },
    digest: (algorithm, body) => createHash(algorithm).update(body).digest(),
  },
  {
    hypothesis: { fact: 'it is a plain hash of the secret followed by the body', step },
    digest: (algorithm, body, key) => createHash(algorithm).update(key).update(body).digest(),
  },
  {
    hypothesis: { fact: 'it is a plain hash of the body followed by the secret', step },
    digest: (algorithm, body, key) => createHash(algorithm).update(body).update(key).digest(),
  },
  {
    hypothesis: { fact: 'the body is used as the key and the secret as the message', step },
    digest: (algorithm, body, key) => createHmac(algorithm, body).update(key).digest(),
  },
];
