import { contentTypeOf } from '../http/header-rules.js';
import { contentOf, signs } from './content.js';
import { judge } from './judge.js';
import { receivedHeaders, valuesOf } from './received-headers.js';
import { faultOfTimes, saidReader, type Said } from './said.js';
import { schemeKeys, signatureCheck, type Pieces, type SchemeKey } from './scheme-key.js';
import type { Scheme, Secret } from './schemes/scheme.js';
import type { ReceivedSignature } from './signature-value.js';
import { signer } from './signer.js';
import { timeFault } from './time-fault.js';
import { lacksDigest, twilioContents, type TwilioRequest } from './twilio.js';
import type { RequestToVerify, RequestVerdict } from './verdict.js';
import { fault, type VerifyFault } from './verify-reason.js';
import { matchesHex } from './x-signature.js';

/** Judges requests by one scheme; the keys are prepared once. */
export interface SchemeVerifier {
  readonly warnings: readonly string[];
  verify(request: RequestToVerify, nowMs: number): RequestVerdict;
}

export interface VerifierRules {
  /** In place of that of the scheme; null: times are not judged. */
  readonly toleranceMs?: number | null | undefined;
  /** Begins messages about secrets, e.g. `--secret-file`. Default: nothing. */
  readonly where?: string | undefined;
}

/** @throws UsageError for a secret that is not in the form of the scheme */
export function schemeVerifier(
  scheme: Scheme,
  secrets: readonly Secret[],
  { toleranceMs, where = '' }: VerifierRules,
): SchemeVerifier {
  const keys = schemeKeys(scheme, secrets, 'verify', where);
  const signsBodyOnly = scheme.name === 'x-signature';
  return {
    warnings: keys.flatMap(({ warning }) => warning ?? []),
    verify: signsBodyOnly
      ? bodyVerifier(scheme, secrets)
      : headerVerifier(scheme, keys, toleranceMs),
  };
}

type Verify = SchemeVerifier['verify'];

/**
 * `x-signature` signs the body alone, so a valid request needs one HMAC. `judge` says why another is
 * refused.
 */
function bodyVerifier(scheme: Scheme, secrets: readonly Secret[]): Verify {
  const { name, header } = scheme;
  const signers = secrets.map(signer);
  return ({ headers, body }) => {
    const values = valuesOf(headers, header);
    const [signature] = values;
    if (signature === undefined || values.length > 1) {
      return { valid: false, scheme: name, ...receivedHeaders(scheme, headers) };
    }
    if (signers.some((sign) => matchesHex(sign(body), signature))) {
      return { valid: true, scheme: name };
    }
    const { reason, message } = judge(body, signature, secrets[0]!);
    return { valid: false, scheme: name, ...fault(reason!, message) };
  };
}

/** By all that the headers of a scheme say. */
function headerVerifier(
  scheme: Scheme,
  keys: readonly SchemeKey[],
  toleranceMs: number | null | undefined,
): Verify {
  const check = signatureCheckOf(scheme, keys);
  const read = saidReader(scheme);
  return (request, nowMs) => {
    const headers = receivedHeaders(scheme, request.headers);
    if ('reason' in headers) return { valid: false, scheme: scheme.name, ...headers };
    const said = read(headers);
    const wrong = check(request, said) ?? timeFault(scheme, said.timestampMs, nowMs, toleranceMs);
    return { valid: wrong === undefined, scheme: scheme.name, ...wrong, ...shown(said) };
  };
}

function shown({ id, timestampMs }: Said): Pick<RequestVerdict, 'id' | 'timestampMs'> {
  return { ...(id !== undefined && { id }), ...(timestampMs !== undefined && { timestampMs }) };
}

type Check = (request: RequestToVerify, said: Said) => VerifyFault | undefined;

function signatureCheckOf(scheme: Scheme, keys: readonly SchemeKey[]): Check {
  const contents = contentsOf(scheme);
  return (request, said) => {
    const signatures = said.values.flatMap((one) => ('signatures' in one ? one.signatures : []));
    if (signatures.length === 0) return said.values.find((one) => 'reason' in one);
    const wrong =
      faultOfTimes(scheme, said) ?? faultOfUrl(scheme, request) ?? faultOfDigest(scheme, request);
    if (wrong) return wrong;
    const usable = signatures.filter(({ version }) => keys.some((key) => key.version === version));
    if (usable.length === 0) return otherVersion;
    const fits = contents(request, said).some((pieces) => isSigned(keys, usable, pieces));
    return fits ? undefined : mismatch;
  };
}

function isSigned(
  keys: readonly SchemeKey[],
  signatures: readonly ReceivedSignature[],
  pieces: Pieces,
): boolean {
  return keys.some((key) => {
    const fits = signatureCheck(key, pieces);
    return signatures.some(({ version, bytes }) => version === key.version && fits(bytes));
  });
}

type Contents = (request: RequestToVerify, said: Said) => readonly Pieces[];

/** The signed texts of which one has to fit: a single one, but for `twilio`. */
function contentsOf(scheme: Scheme): Contents {
  if (scheme.special === 'twilio') {
    return (request) => twilioContents(twilioRequest(request)).map((text) => [text]);
  }
  const content = contentOf(scheme);
  return ({ body, url = '', method = 'POST' }, { id = '', times: [timestamp = ''] }) => [
    content({ body, url, method, id, timestamp }),
  ];
}

function faultOfUrl(scheme: Scheme, { url }: RequestToVerify): VerifyFault | undefined {
  if (url !== undefined || !signs(scheme, 'url')) return undefined;
  return fault('no_url', `${scheme.name} signs the URL, which is not known; pass it (--url)`);
}

function faultOfDigest(scheme: Scheme, request: RequestToVerify): VerifyFault | undefined {
  if (scheme.special !== 'twilio' || !lacksDigest(twilioRequest(request))) return undefined;
  return fault(
    'no_digest',
    'the body is no form, and the URL has no bodySHA256; judge by the URL that the sender calls, or send a form with its Content-Type',
  );
}

function twilioRequest({ url = '', body, headers }: RequestToVerify): TwilioRequest {
  return { url, body, contentType: contentTypeOf(headers) };
}

const mismatch = fault(
  'mismatch',
  'the signature does not match this request and secret; check that the secret is the same on both sides and that the body is the bytes that were sent',
);

const otherVersion = fault(
  'unknown_version',
  'the signatures are of another version than the secret; use the key of that version',
);
