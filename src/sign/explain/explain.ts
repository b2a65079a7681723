import { timingSafeEqual } from 'node:crypto';
import type { Hypothesis, Variant } from './hypothesis.js';
import { bodyVariants } from './body-hypotheses.js';
import { maxJson } from './json-hypotheses.js';
import { keyedHash, otherDigest, otherAlgorithms, type Algorithm } from './algorithms.js';
import { formsOf, type SignatureForm } from './signature-forms.js';
import { keyOf, secretVariants } from './secret-hypotheses.js';
import type { OtherContent, Signing } from './signing.js';
import type { SecretForm } from '../schemes/scheme.js';
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

/** @param secrets at least one */
export function firstThatFits<Secret>(
  secrets: readonly Secret[],
  { pairs = true, maxBytes = defaultMaxBytes }: Effort,
  explainBy: (secret: Secret, effort: Required<Effort>) => Explanation,
): Explanation {
  const share = { pairs, maxBytes: maxBytes / secrets.length };
  let last: Explanation | undefined;
  for (const secret of secrets) {
    last = explainBy(secret, share);
    if (last.fits) return last;
  }
  return last!;
}

const defaultMaxBytes = 2 ** 31;

/** What was received, as the scheme of the signature reads it. */
export interface Received {
  readonly body: Bytes;
  /** The signatures of the header, each with its prefix. */
  readonly signatures: readonly string[];
  readonly secret: Bytes;
}

/**
 * Looks for a common mistake that explains the HMAC of a scheme: newlines, byte order mark, JSON that was
 * written again, quotes or space around the secret, another digest or encoding, and pairs of them.
 * Never throws for a malformed signature or body.
 */
export function explainSigning(
  signing: Signing,
  { body, signatures, secret }: Received,
  { pairs = true, maxBytes = defaultMaxBytes }: Effort = {},
): Explanation {
  const bytes = toBuffer(secret);
  const form = typeof secret === 'string' ? signing.secret : rawKey;
  const given: Given = {
    body: toBuffer(body),
    signing,
    key: { bytes: keyOf(bytes, form) },
    otherKeys: secretVariants(bytes, form),
  };
  const forms = signatures.flatMap((signature) => formsOf(signature, signing));
  const budget = { bytes: maxBytes };
  const search = pairs ? [...stages, withPairs] : stages;
  for (const stage of search) {
    for (const attempt of stage(given)) {
      if (budget.bytes < 0) return noneFits(true);
      for (const form of forms) {
        if (isFit(attempt, form, budget)) return fit(hypothesesOf(attempt, form, signing));
      }
    }
  }
  return forms.length === 0 ? notADigest(signing) : noneFits(given.body.length > maxJson);
}

/** A secret that is no text is the key itself. */
const rawKey: SecretForm = { encoding: 'utf8' };

interface Given {
  readonly body: Buffer;
  readonly signing: Signing;
  readonly key: Variant;
  readonly otherKeys: readonly Variant[];
}

interface Attempt {
  readonly body: Variant;
  /** Of the signed bytes, where it is not as the scheme says. */
  readonly content?: OtherContent;
  /** The signed bytes: the content of the body. */
  readonly bytes: Buffer;
  readonly key: Variant;
  readonly algorithm: Algorithm;
}

type Stage = (given: Given) => Iterable<Attempt>;

/** One mistake at a time, the cheap ones first. */
const stages: readonly Stage[] = [withBodyAsGiven, withOtherContents, withOneOfTheBody];

function* withBodyAsGiven(given: Given): Generator<Attempt> {
  yield* algorithmsAndSecrets({ bytes: given.body }, given);
}

/** Another scheme may read the secret in another way, too. */
function* withOtherContents({ body, signing, key, otherKeys }: Given): Generator<Attempt> {
  for (const other of signing.otherContents) {
    const bytes = other.content(body);
    for (const one of [key, ...otherKeys]) {
      yield { body: { bytes: body }, content: other, bytes, key: one, algorithm: keyedHash };
    }
  }
}

function* withOneOfTheBody({ body, signing, key }: Given): Generator<Attempt> {
  for (const variant of bodyVariants(body)) {
    const bytes = signing.content(variant.bytes);
    yield { body: variant, bytes, key, algorithm: keyedHash };
  }
}

function* withPairs(given: Given): Generator<Attempt> {
  for (const variant of bodyVariants(given.body)) yield* algorithmsAndSecrets(variant, given);
}

function* algorithmsAndSecrets(
  body: Variant,
  { signing, key, otherKeys }: Given,
): Generator<Attempt> {
  const bytes = signing.content(body.bytes);
  yield { body, bytes, key, algorithm: keyedHash };
  for (const other of otherKeys) yield { body, bytes, key: other, algorithm: keyedHash };
  for (const algorithm of otherAlgorithms) yield { body, bytes, key, algorithm };
}

/** The fixed cost of a digest, in bytes: its setup, and writing the body again. */
const costOfDigest = 2000;

function isFit(
  { bytes, key, algorithm }: Attempt,
  form: SignatureForm,
  budget: { bytes: number },
): boolean {
  budget.bytes -= bytes.length + costOfDigest;
  const digest = algorithm.digest(form.algorithm, bytes, key.bytes);
  return timingSafeEqual(digest, form.digest);
}

function hypothesesOf(
  { body, content, key, algorithm }: Attempt,
  form: SignatureForm,
  { digest }: Signing,
): Hypothesis[] {
  const other = otherDigest(algorithm, form.algorithm, form.label, digest);
  const ofAttempt = [body, content, key, algorithm].map((part) => part?.hypothesis);
  return [...ofAttempt, other, ...form.hypotheses].filter((found) => found !== undefined);
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

function notADigest({ header }: Signing): Explanation {
  const message = `the signature is not a digest in hex or base64, so none of the common mistakes fits: copy the whole value of the ${header} header`;
  return { fits: false, message };
}

function toBuffer(bytes: Bytes): Buffer {
  if (typeof bytes === 'string') return Buffer.from(bytes);
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
