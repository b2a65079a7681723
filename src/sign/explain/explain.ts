import { timingSafeEqual } from 'node:crypto';
import type { Hypothesis, Variant } from './hypothesis.js';
import { bodyVariants } from './body-hypotheses.js';
import { longestJson } from './json-hypotheses.js';
import { keyedHash, otherDigest, otherAlgorithms, type Algorithm } from './algorithms.js';
import { formsOf, type SignatureForm } from './signature-forms.js';
import { secretVariants } from './secret-hypotheses.js';
import type { Bytes } from '../x-signature.js';

export interface Explanation {
  /** Whether a common mistake explains the signature, or it is valid. */
  readonly fits: boolean;
  /** One sentence with the next step. Contains neither secret, body nor expected signature. */
  readonly message: string;
}

export interface Effort {
  /** Tests a mistake of the body together with one of the secret or the algorithm. Default true. */
  readonly pairs?: boolean;
  /** Bytes that may be hashed, about a second for each 500 MB. Default 2 GiB. */
  readonly maxBytes?: number;
}

/**
 * Looks for a common mistake that explains a signature: newlines, byte order mark, JSON that was
 * written again, quotes or space around the secret, another digest or encoding, and pairs of them.
 * Never throws for a malformed signature or body.
 */
export function explain(
  body: Bytes,
  signature: string,
  secret: Bytes,
  { pairs = true, maxBytes = 2 ** 31 }: Effort = {},
): Explanation {
  const given = { body: toBuffer(body), key: toBuffer(secret) };
  const forms = formsOf(signature);
  const budget = { bytes: maxBytes };
  const search = pairs ? [...stages, withPairs] : stages;
  for (const stage of search) {
    for (const attempt of stage(given)) {
      if (budget.bytes < 0) return noneFits(true);
      for (const form of forms) {
        if (isFit(attempt, form, budget)) return fit(hypothesesOf(attempt, form));
      }
    }
  }
  return forms.length === 0 ? notADigest : noneFits(given.body.length > longestJson);
}

interface Given {
  readonly body: Buffer;
  readonly key: Buffer;
}

interface Attempt {
  readonly body: Variant;
  readonly key: Variant;
  readonly algorithm: Algorithm;
}

type Stage = (given: Given) => Iterable<Attempt>;

/** One mistake at a time, the cheap ones first. */
const stages: readonly Stage[] = [withBodyAsGiven, withOneOfTheBody];

function* withBodyAsGiven({ body, key }: Given): Generator<Attempt> {
  yield* algorithmsAndSecrets({ bytes: body }, { bytes: key }, secretVariants(key));
}

function* withOneOfTheBody({ body, key }: Given): Generator<Attempt> {
  for (const variant of bodyVariants(body)) {
    yield { body: variant, key: { bytes: key }, algorithm: keyedHash };
  }
}

function* withPairs({ body, key }: Given): Generator<Attempt> {
  const secrets = secretVariants(key);
  for (const variant of bodyVariants(body)) {
    yield* algorithmsAndSecrets(variant, { bytes: key }, secrets);
  }
}

function* algorithmsAndSecrets(
  body: Variant,
  key: Variant,
  secrets: readonly Variant[],
): Generator<Attempt> {
  yield { body, key, algorithm: keyedHash };
  for (const secret of secrets) yield { body, key: secret, algorithm: keyedHash };
  for (const algorithm of otherAlgorithms) yield { body, key, algorithm };
}

/** The fixed cost of a digest, in bytes: its setup, and writing the body again. */
const costOfDigest = 2000;

function isFit(
  { body, key, algorithm }: Attempt,
  form: SignatureForm,
  budget: { bytes: number },
): boolean {
  budget.bytes -= body.bytes.length + costOfDigest;
  const digest = algorithm.digest(form.algorithm, body.bytes, key.bytes);
  return timingSafeEqual(digest, form.digest);
}

function hypothesesOf({ body, key, algorithm }: Attempt, form: SignatureForm): Hypothesis[] {
  const digest = otherDigest(algorithm, form.algorithm, form.label);
  const ofAttempt = [body.hypothesis, key.hypothesis, algorithm.hypothesis, digest];
  return [...ofAttempt.filter((hypothesis) => hypothesis !== undefined), ...form.hypotheses];
}

function fit(hypotheses: readonly Hypothesis[]): Explanation {
  if (hypotheses.length === 0) return { fits: true, message: 'the signature is valid as it is' };
  const facts = hypotheses.map(({ fact }) => fact);
  const steps = [...new Set(hypotheses.map(({ step }) => step))];
  const message = `the signature fits when ${facts.join(', and ')}: ${steps.join(', and ')}`;
  return { fits: true, message };
}

function noneFits(isCutShort: boolean): Explanation {
  const result = isCutShort
    ? 'none of the common mistakes that were tested fits (the body is too large to test all)'
    : 'none of the common mistakes fits';
  const message = `${result}: most likely the secret differs or the body was changed; compare the secret on both sides, then the bytes of the body`;
  return { fits: false, message };
}

const notADigest: Explanation = {
  fits: false,
  message:
    'the signature is not a digest in hex or base64, so none of the common mistakes fits: copy the whole value of the X-Signature header',
};

function toBuffer(bytes: Bytes): Buffer {
  if (typeof bytes === 'string') return Buffer.from(bytes);
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
