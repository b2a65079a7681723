import { timingSafeEqual } from 'node:crypto';
import type { Hypothesis, Variant } from './accident.js';
import { bodyVariants } from './body-accidents.js';
import { longestJson } from './json-accidents.js';
import { keyedHash, otherDigest, otherAlgorithms, type Algorithm } from './methods.js';
import { formsOf, type SignatureForm } from './readings.js';
import { secretVariants } from './secret-accidents.js';
import type { Bytes } from './x-signature.js';

export interface Explanation {
  /** Whether an accident, or none at all, makes the signature fit. */
  readonly fits: boolean;
  /** One sentence with the next step. Holds neither secret, body nor expected signature. */
  readonly message: string;
}

export interface Effort {
  /** Tries an accident of the body together with one of the secret or the method. Default true. */
  readonly pairs?: boolean;
  /** Bytes that may be hashed, about a second for each 500 MB. Default 2 GiB. */
  readonly maxBytes?: number;
}

/**
 * Looks for the usual accident that makes a signature fit: line ends, byte order mark, JSON that
 * was written again, quotes or space around the secret, another digest or encoding, and pairs of
 * them. Never throws for a malformed signature or body.
 */
export function explain(
  body: Bytes,
  signature: string,
  secret: Bytes,
  { pairs = true, maxBytes = 2 ** 31 }: Effort = {},
): Explanation {
  const given = { body: toBuffer(body), key: toBuffer(secret) };
  const readings = formsOf(signature);
  const budget = { bytes: maxBytes };
  const search = pairs ? [...stages, withPairs] : stages;
  for (const stage of search) {
    for (const attempt of stage(given)) {
      if (budget.bytes < 0) return noneFits(true);
      for (const reading of readings) {
        if (isFit(attempt, reading, budget)) return fit(accidentsOf(attempt, reading));
      }
    }
  }
  return readings.length === 0 ? notADigest : noneFits(given.body.length > longestJson);
}

interface Given {
  readonly body: Buffer;
  readonly key: Buffer;
}

interface Attempt {
  readonly body: Variant;
  readonly key: Variant;
  readonly method: Algorithm;
}

type Stage = (given: Given) => Iterable<Attempt>;

/** One accident at a time, the cheap ones first. */
const stages: readonly Stage[] = [withBodyAsGiven, withOneOfTheBody];

function* withBodyAsGiven({ body, key }: Given): Generator<Attempt> {
  yield* methodsAndSecrets({ bytes: body }, { bytes: key }, secretVariants(key));
}

function* withOneOfTheBody({ body, key }: Given): Generator<Attempt> {
  for (const variant of bodyVariants(body)) {
    yield { body: variant, key: { bytes: key }, method: keyedHash };
  }
}

function* withPairs({ body, key }: Given): Generator<Attempt> {
  const secrets = secretVariants(key);
  for (const variant of bodyVariants(body)) {
    yield* methodsAndSecrets(variant, { bytes: key }, secrets);
  }
}

function* methodsAndSecrets(
  body: Variant,
  key: Variant,
  secrets: readonly Variant[],
): Generator<Attempt> {
  yield { body, key, method: keyedHash };
  for (const secret of secrets) yield { body, key: secret, method: keyedHash };
  for (const method of otherAlgorithms) yield { body, key, method };
}

/** What a digest costs beside its bytes, in bytes: setting it up, and writing the body again. */
const costOfDigest = 2000;

function isFit(
  { body, key, method }: Attempt,
  reading: SignatureForm,
  budget: { bytes: number },
): boolean {
  budget.bytes -= body.bytes.length + costOfDigest;
  const digest = method.digest(reading.algorithm, body.bytes, key.bytes);
  return timingSafeEqual(digest, reading.digest);
}

function accidentsOf({ body, key, method }: Attempt, reading: SignatureForm): Hypothesis[] {
  const digest = otherDigest(method, reading.algorithm, reading.label);
  const ofAttempt = [body.accident, key.accident, method.accident, digest];
  return [...ofAttempt.filter((accident) => accident !== undefined), ...reading.accidents];
}

function fit(accidents: readonly Hypothesis[]): Explanation {
  if (accidents.length === 0) return { fits: true, message: 'the signature is valid as it is' };
  const facts = accidents.map(({ fact }) => fact);
  const steps = [...new Set(accidents.map(({ step }) => step))];
  const message = `the signature fits when ${facts.join(', and ')}: ${steps.join(', and ')}`;
  return { fits: true, message };
}

function noneFits(isCutShort: boolean): Explanation {
  const tried = isCutShort
    ? 'of the usual accidents none that was tried fits (the body is too big for all of them)'
    : 'none of the usual accidents fits';
  const message = `${tried}: most likely the secret differs or the body was changed; compare the secret on both sides, then the bytes of the body`;
  return { fits: false, message };
}

const notADigest: Explanation = {
  fits: false,
  message:
    'the signature is no digest in hex or base64, so none of the usual accidents fits: copy the whole value of the X-Signature header',
};

function toBuffer(bytes: Bytes): Buffer {
  if (typeof bytes === 'string') return Buffer.from(bytes);
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
