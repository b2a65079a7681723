import { createHash, createHmac } from 'node:crypto';
import type { Hypothesis } from './hypothesis.js';

/** A way to make a signature of the signed bytes and a key. */
export interface Algorithm {
  readonly hypothesis?: Hypothesis;
  /** `algorithm` is a name that node:crypto knows. */
  digest(algorithm: string, content: Buffer, key: Buffer): Buffer;
}

/**
 * The hypothesis that the digest is not that of the scheme.
 *
 * @param label its name for people
 * @param own the digest of the scheme
 */
export function otherDigest(
  used: Algorithm,
  algorithm: string,
  label: string,
  own: string,
): Hypothesis | undefined {
  if (algorithm === own) return undefined;
  const right = `HMAC-${own.toUpperCase()}`;
  const fact =
    used === keyedHash ? `it is HMAC-${label} instead of ${right}` : `its digest is ${label}`;
  return { fact, step: `use ${right}` };
}

/** The algorithm of the schemes. */
export const keyedHash: Algorithm = {
  digest: (algorithm, content, key) => createHmac(algorithm, key).update(content).digest(),
};

const step = 'use HMAC with the secret as its key';

/** Algorithms that are mistaken for it. */
export const otherAlgorithms: readonly Algorithm[] = [
  {
    hypothesis: { fact: 'it is a plain hash of the body, without any secret', step },
    digest: (algorithm, content) => createHash(algorithm).update(content).digest(),
  },
  {
    hypothesis: { fact: 'it is a plain hash of the secret followed by the body', step },
    digest: (algorithm, content, key) => createHash(algorithm).update(key).update(content).digest(),
  },
  {
    hypothesis: { fact: 'it is a plain hash of the body followed by the secret', step },
    digest: (algorithm, content, key) => createHash(algorithm).update(content).update(key).digest(),
  },
  {
    hypothesis: { fact: 'the body is used as the key and the secret as the message', step },
    digest: (algorithm, content, key) => createHmac(algorithm, content).update(key).digest(),
  },
];
