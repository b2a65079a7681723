import { requestVerifier, type RequestToVerify, type RequestVerdict } from '../request-verifier.js';
import { presets } from '../schemes/index.js';
import { hmacKeyProblem } from '../asymmetric-key.js';
import { versionFor } from '../scheme-key.js';
import type { Scheme, Secret, SignatureVersion } from '../schemes/scheme.js';
import { mistakeByVerifier } from './by-verifier.js';
import { contentBy, otherContents, type KnownValues } from './content-hypotheses.js';
import { explainSigning, firstThatFits, type Effort, type Explanation } from './explain.js';
import { lenientHeaders, type LenientHeaders } from './lenient-headers.js';
import type { Signing } from './signing.js';
import { explainTime } from './time-hypotheses.js';

export interface ExplainVerdictOptions extends Effort {
  readonly secrets: readonly Secret[];
  /** Schemes of the configuration file. */
  readonly own?: readonly Scheme[];
  /** As of when the request was judged, in milliseconds since 1970. */
  readonly nowMs: number;
  /** Whether that was when it arrived, so that no flag of `verify-sig` helps. Default false. */
  readonly isLive?: boolean;
}

/**
 * Says why a request is not valid in the words of its scheme. Never throws for what was received.
 *
 * @param verdict of `requestVerifier` for this request, not valid
 */
export function explainVerdict(
  request: RequestToVerify,
  verdict: RequestVerdict,
  options: ExplainVerdictOptions,
): Explanation {
  const hint = verdict.hint ?? '';
  const time = explainTime(verdict, options.nowMs, options.isLive);
  if (time !== undefined) return { fits: true, message: time };
  if (verdict.reason === 'scheme_mismatch') return ofOtherScheme(request, hint, options);
  const scheme = schemeOf(verdict, options.own);
  if (!scheme || !isExplained(verdict)) return { fits: true, message: hint };
  const explanation = ofScheme(scheme, request, options);
  if (explanation.fits || verdict.reason === 'mismatch') return explanation;
  return { fits: false, message: `${hint}; ${explanation.message}` };
}

/** Where nothing can be tried, the reason says it all. */
const plainReasons = new Set(['missing', 'repeated', 'empty', 'no_timestamp', 'no_id', 'no_url']);

function isExplained({ reason }: RequestVerdict): boolean {
  return reason !== undefined && !plainReasons.has(reason);
}

function schemeOf({ scheme }: RequestVerdict, own: readonly Scheme[] = []): Scheme | undefined {
  if (scheme === null) return undefined;
  return presets.get(scheme) ?? own.find(({ name }) => name === scheme);
}

/** The same secret may be that of the scheme whose headers came. */
function ofOtherScheme(
  request: RequestToVerify,
  hint: string,
  { secrets, own = [], nowMs }: ExplainVerdictOptions,
): Explanation {
  const verifier = requestVerifier({ scheme: 'auto', secrets, own, toleranceMs: null });
  const { valid } = verifier.verify(request, nowMs);
  const message = valid ? `${hint}; by that scheme it is valid with the same secret` : hint;
  return { fits: true, message };
}

function ofScheme(
  scheme: Scheme,
  request: RequestToVerify,
  options: ExplainVerdictOptions,
): Explanation {
  return firstThatFits(options.secrets, options, (secret, effort) =>
    bySecret(scheme, request, secret, effort),
  );
}

function bySecret(
  scheme: Scheme,
  request: RequestToVerify,
  secret: Secret,
  effort: Required<Effort>,
): Explanation {
  const version = versionFor(scheme, secret);
  const problem = version.digest === 'ed25519' ? undefined : hmacKeyProblem(secret);
  if (problem !== undefined) return { fits: false, message: problem };
  const said = lenientHeaders(scheme, version, request.headers);
  const signing = signingOf(scheme, version, request, said);
  if (signing) {
    return explainSigning(signing, { body: request.body, secret, ...said }, effort);
  }
  const mistake = mistakeByVerifier(scheme, request, secret, effort.maxBytes);
  if (!mistake) return noneFits;
  const { fact, step } = mistake;
  return { fits: true, message: `the signature fits when ${fact}: ${step}` };
}

const noneFits: Explanation = {
  fits: false,
  message:
    'none of the common mistakes fits: most likely the secret differs, or the URL or the body was changed; compare them on both sides',
};

/**
 * How a scheme makes the HMAC of this request; undefined for a scheme whose signatures no key can be
 * tried on: ed25519, and `twilio`, which changes the body.
 */
function signingOf(
  scheme: Scheme,
  version: SignatureVersion,
  request: RequestToVerify,
  said: LenientHeaders,
): Signing | undefined {
  const { digest, encoding, secret, item } = version;
  if (digest === 'ed25519' || scheme.special !== undefined) return undefined;
  const known = knownValues(request, said);
  return {
    header: scheme.header,
    digest,
    encoding,
    secret,
    prefix: item.split('{signature}')[0]!,
    content: contentBy(scheme.content, known),
    otherContents: [...otherContents(scheme, known)],
  };
}

function knownValues(
  { url, method = 'POST' }: RequestToVerify,
  { id, timestamp }: LenientHeaders,
): KnownValues {
  return {
    method,
    ...(url !== undefined && { url }),
    ...(id !== undefined && { id }),
    ...(timestamp !== undefined && { timestamp }),
  };
}
