import { UsageError } from '../errors.js';
import { hasAsymmetric, hmacKeyProblem, isKeyLike, placeOf } from './asymmetric-key.js';
import { crossSchemeCheck } from './cross-scheme.js';
import { presentHeader, valuesOf } from './parsed-headers.js';
import { schemeChooser } from './scheme-choice.js';
import { schemeVerifier, type SchemeVerifier, type VerifierRules } from './scheme-verifier.js';
import { schemeKey, versionFor } from './scheme-key.js';
import { presets } from './schemes/index.js';
import type { Scheme, Secret } from './schemes/scheme.js';
import { valueParser } from './signature-value.js';
import type { RequestHead, RequestVerdict } from './verdict.js';
import { fault, type VerifyFault, type VerifyReason } from './verify-reason.js';

export type { RequestHead, RequestToVerify, RequestVerdict } from './verdict.js';
export type { VerifyReason } from './verify-reason.js';

export interface VerifierOptions extends VerifierRules {
  /** `auto`: chosen by the headers of each request, among the presets and `own`. */
  readonly scheme: Scheme | 'auto';
  /** Any that fits; at least one. */
  readonly secrets: readonly Secret[];
  /** Own schemes, for `auto` and for hints. */
  readonly own?: readonly Scheme[];
}

/**
 * Judges requests; never throws for what was received. With `auto` it has no warnings, and needs whole
 * bodies. Times are in milliseconds since 1970.
 */
export type RequestVerifier = SchemeVerifier;

/** @throws UsageError for a secret that is not in the form of the scheme (with `auto`: of none) */
export function requestVerifier(options: VerifierOptions): RequestVerifier {
  const { scheme, secrets } = options;
  if (secrets.length === 0) {
    throw new UsageError('no secret; pass the shared secret', 'no_secret');
  }
  return scheme === 'auto' ? choosingVerifier(options) : fixedVerifier(scheme, options);
}

/** By one scheme; if the request has the headers of another one, the verdict says so. */
function fixedVerifier(scheme: Scheme, options: VerifierOptions): RequestVerifier {
  const { secrets, own = [] } = options;
  const verifier = schemeVerifier(scheme, secrets, options);
  const otherScheme = otherSchemeFinder(scheme, own);
  const orOther = (verdict: RequestVerdict, { headers }: RequestHead): RequestVerdict => {
    if (verdict.valid || !mayBeOther.has(verdict.reason!)) return verdict;
    const other = otherScheme(headers);
    return other === undefined ? verdict : { ...verdict, ...schemeMismatch(other) };
  };
  const { warnings, verifyChunks } = verifier;
  return {
    warnings,
    verify: (request, nowMs) => orOther(verifier.verify(request, nowMs), request),
    ...(verifyChunks && {
      verifyChunks: async (head, chunks, nowMs) =>
        orOther(await verifyChunks(head, chunks, nowMs), head),
    }),
  };
}

/** What a request of another scheme looks like. */
const mayBeOther: ReadonlySet<VerifyReason> = new Set([
  'missing',
  'malformed',
  'unknown_version',
  'not_base64',
  'not_hex',
  'length',
]);

interface OtherScheme {
  readonly name: string;
  readonly header: string;
}

/** Finds the scheme whose headers a request has: another header, or the same one in the other's form. */
function otherSchemeFinder(
  scheme: Scheme,
  own: readonly Scheme[],
): (headers: readonly string[]) => OtherScheme | undefined {
  const given = presentHeader(scheme);
  let choose: ReturnType<typeof schemeChooser> | undefined;
  return (headers) => {
    const givenName = given(headers);
    choose ??= schemeChooser(own);
    for (const { scheme: other, header } of choose(headers)) {
      if (other.name === scheme.name) continue;
      const isSame = header.toLowerCase() === givenName?.toLowerCase();
      if (givenName === undefined || (isSame && isReadable(other, header, headers))) {
        return { name: other.name, header };
      }
    }
    return undefined;
  };
}

function isReadable(scheme: Scheme, header: string, headers: readonly string[]): boolean {
  return 'signatures' in valueParser(scheme)(header, valuesOf(headers, header)[0]!);
}

function schemeMismatch({ name, header }: OtherScheme) {
  const hint = `the ${header} header of the request belongs to the scheme ${name}; verify it with ${name}`;
  return fault('scheme_mismatch', hint);
}

/** By the schemes whose headers each request has; any that finds it valid. */
function choosingVerifier(options: VerifierOptions): RequestVerifier {
  const { own = [] } = options;
  const choose = schemeChooser(own);
  const verifierOf = lazyVerifiers(options);
  const crossSchemeFault = crossSchemeCheck(own);
  return {
    warnings: [],
    verify(request, nowMs) {
      const verdicts: RequestVerdict[] = [];
      let passedOver: RequestVerdict | undefined;
      for (const { scheme } of choose(request.headers)) {
        const verifier = verifierOf(scheme);
        if (!('verify' in verifier)) {
          passedOver ??= { valid: false, scheme: scheme.name, ...verifier };
          continue;
        }
        const verdict = verifier.verify(request, nowMs);
        const { body } = request;
        const problem = verdict.valid ? crossSchemeFault(scheme, { ...verdict, body }) : undefined;
        if (verdict.valid && !problem) return verdict;
        verdicts.push({ ...verdict, ...problem, valid: false });
      }
      return verdicts[0] ?? passedOver ?? noSignature;
    },
  };
}

const noSignature: RequestVerdict = {
  valid: false,
  scheme: null,
  ...fault(
    'missing',
    'the request has no header with a signature of a known scheme; make the sender sign it',
  ),
};

type Lazy = (scheme: Scheme) => SchemeVerifier | VerifyFault;

/** One verifier a scheme, made when it is first needed, of the secrets that are in its form. */
function lazyVerifiers({ secrets, own = [], toleranceMs, where = '' }: VerifierOptions): Lazy {
  checkReadable(secrets, own, where);
  const asymmetric = own.filter(hasAsymmetric);
  const made = new Map<Scheme, SchemeVerifier | VerifyFault>();
  return (scheme) => {
    const known = made.get(scheme);
    if (known) return known;
    const problems = secrets.map(
      (secret) => problemOf(scheme, secret) ?? sharedKeyProblem(scheme, secret, asymmetric),
    );
    const readable = secrets.filter((_, index) => problems[index] === undefined);
    const verifier =
      readable.length > 0
        ? schemeVerifier(scheme, readable, { toleranceMs })
        : fault('mismatch', problems[0]!);
    made.set(scheme, verifier);
    return verifier;
  };
}

/** @throws UsageError for an empty secret, and if none is in the form of a scheme */
function checkReadable(secrets: readonly Secret[], own: readonly Scheme[], where: string): void {
  const schemes = [...presets.values(), ...own].filter(hasAsymmetric);
  // Any other text is a key of the schemes that take the text itself.
  const isReadable = (secret: Secret): boolean =>
    hmacKeyProblem(secret) === undefined ||
    schemes.some((scheme) => problemOf(scheme, secret) === undefined);
  const isAnyReadable = secrets.some(isReadable);
  secrets.forEach((secret, index) => {
    if (isAnyReadable && secret.length > 0) return;
    schemeKey(schemes[0]!, secret, 'verify', placeOf(where, index, secrets.length));
  });
}

/**
 * A key without a prefix may be the public one of an own scheme. Anyone who knows it could sign by the
 * schemes that take any text for a shared secret.
 */
function sharedKeyProblem(
  scheme: Scheme,
  secret: Secret,
  asymmetric: readonly Scheme[],
): string | undefined {
  if (versionFor(scheme, secret).digest === 'ed25519') return undefined;
  const owner =
    asymmetric.find((one) => problemOf(one, secret) === undefined) ??
    (isKeyLike(secret) ? asymmetric[0] : undefined);
  if (!owner) return undefined;
  return `the secret may be the ed25519 key of ${owner.name}; name the scheme ${scheme.name} to use it as its shared secret`;
}

function problemOf(scheme: Scheme, secret: Secret): string | undefined {
  try {
    schemeKey(scheme, secret, 'verify', '');
    return undefined;
  } catch (error) {
    if (error instanceof UsageError) return error.message;
    throw error;
  }
}
