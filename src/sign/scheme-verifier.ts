import { contentTypeOf } from '../http/header-rules.js';
import { faultOfTimes, headerParser, type ParsedHeaders } from './parsed-headers.js';
import {
  chunksCheck,
  schemeKeys,
  signatureCheck,
  signsBodyAlone,
  type SchemeKey,
} from './scheme-key.js';
import type { Scheme, Secret } from './schemes/scheme.js';
import type { ReceivedSignature } from './signature-value.js';
import { contentOf, signs } from './template.js';
import { timeFault } from './time-fault.js';
import { lacksDigest, twilioContents } from './twilio.js';
import type { RequestHead, RequestToVerify, RequestVerdict } from './verdict.js';
import { fault, type ValueFault, type VerifyFault } from './verify-reason.js';

/** Judges requests by one scheme; the keys are prepared once. */
export interface SchemeVerifier {
  readonly warnings: readonly string[];
  verify(request: RequestToVerify, nowMs: number): RequestVerdict;
  /**
   * The same for a body in chunks, which need not fit in memory. Absent where the scheme signs more than
   * the body.
   */
  readonly verifyChunks?: (
    request: RequestHead,
    chunks: AsyncIterable<Uint8Array>,
    nowMs: number,
  ) => Promise<RequestVerdict>;
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
  const parse = headerParser(scheme);
  const faultOf = faultFinder(scheme, keys);
  const judge = (headers: readonly string[], nowMs: number, texts: TextsOf): RequestVerdict => {
    const parsed = parse(headers);
    if ('reason' in parsed) return { valid: false, scheme: scheme.name, ...parsed };
    const { id, timestampMs } = parsed;
    const wrong = faultOf(parsed, texts) ?? timeFault(scheme, timestampMs, nowMs, toleranceMs);
    return {
      valid: wrong === undefined,
      scheme: scheme.name,
      ...wrong,
      ...(id !== undefined && { id }),
      ...(timestampMs !== undefined && { timestampMs }),
    };
  };
  const textsOf = scheme.special === 'twilio' ? twilioTexts : templateTexts(scheme);
  return {
    warnings: keys.flatMap(({ warning }) => warning ?? []),
    verify: (request, nowMs) => judge(request.headers, nowMs, (parsed) => textsOf(request, parsed)),
    ...(signsBodyAlone(scheme) && {
      verifyChunks: async ({ headers }, chunks, nowMs) => {
        const text = await chunksCheck(keys, chunks);
        return judge(headers, nowMs, () => [text]);
      },
    }),
  };
}

/** A signed text: makes a check of signatures by a key. */
type SignedText = (key: SchemeKey) => (signature: Uint8Array) => boolean;

/** The signed texts of which one has to fit. */
type TextsOf = (parsed: ParsedHeaders) => readonly SignedText[] | VerifyFault;

type FindFault = (parsed: ParsedHeaders, texts: TextsOf) => VerifyFault | undefined;

function faultFinder(scheme: Scheme, keys: readonly SchemeKey[]): FindFault {
  const mismatch = mismatchOf(scheme);
  return (parsed, textsOf) => {
    const signatures = parsed.values.flatMap((one) => ('signatures' in one ? one.signatures : []));
    if (signatures.length === 0) {
      const malformed = parsed.values.find((one) => 'reason' in one);
      return malformed && withRepair(malformed, keys[0]!, () => textsOf(parsed));
    }
    const wrong = faultOfTimes(scheme, parsed);
    if (wrong) return wrong;
    const texts = textsOf(parsed);
    if ('reason' in texts) return texts;
    const usable = signatures.filter(({ version }) => keys.some((key) => key.version === version));
    if (usable.length === 0) return otherVersion;
    return texts.some((text) => isSigned(keys, usable, text)) ? undefined : mismatch;
  };
}

/** Says whether the form of the value is all that is wrong. */
function withRepair(
  { reason, hint, repaired }: ValueFault,
  newest: SchemeKey,
  textsOf: () => ReturnType<TextsOf>,
): VerifyFault {
  const texts = repaired && textsOf();
  if (!texts || 'reason' in texts) return { reason, hint };
  const fits = texts.some((text) => text(newest)(repaired.bytes));
  return { reason, hint: fits ? `${hint}; ${repaired.hint}` : hint };
}

function isSigned(
  keys: readonly SchemeKey[],
  signatures: readonly ReceivedSignature[],
  text: SignedText,
): boolean {
  return keys.some((key) => {
    const fits = text(key);
    return signatures.some(({ version, bytes }) => version === key.version && fits(bytes));
  });
}

type RequestTexts = (
  request: RequestToVerify,
  ...given: Parameters<TextsOf>
) => ReturnType<TextsOf>;

function templateTexts(scheme: Scheme): RequestTexts {
  const content = contentOf(scheme);
  const signsUrl = signs(scheme, 'url');
  return ({ body, url, method = 'POST' }, { id = '', times: [timestamp = ''] }) => {
    if (signsUrl && url === undefined) return noUrl(scheme.name);
    const pieces = content({ body, url: url ?? '', method, id, timestamp });
    return [(key) => signatureCheck(key, pieces)];
  };
}

function twilioTexts({ url, body, headers }: RequestToVerify): ReturnType<TextsOf> {
  if (url === undefined) return noUrl('twilio');
  const request = { url, body, contentType: contentTypeOf(headers) };
  if (lacksDigest(request)) return noDigest;
  return twilioContents(request).map((text) => (key) => signatureCheck(key, [text]));
}

function noUrl(name: string): VerifyFault {
  return fault('no_url', `${name} signs the URL, which is not known; pass it (--url)`);
}

const noDigest = fault(
  'no_digest',
  'the body is no form, and the URL has no bodySHA256; judge by the URL that the sender calls, or send a form with its Content-Type',
);

function mismatchOf({ name }: Scheme): VerifyFault {
  const what = name === 'x-signature' ? 'body' : 'request';
  return fault(
    'mismatch',
    `the signature does not match this ${what} and secret; check that the secret is the same on both sides and that the body is the bytes that were sent`,
  );
}

const otherVersion = fault(
  'unknown_version',
  'the signatures are of another version than the secret; use the key of that version',
);
