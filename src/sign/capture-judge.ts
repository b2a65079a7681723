import { timestampMs } from '../events/timestamp.js';
import type { CapturedRequest } from './capture-line.js';
import { receivedRequest } from './captured-request.js';
import type { Explanation } from './explain/explain.js';
import {
  requestVerifier,
  type RequestToVerify,
  type RequestVerdict,
  type RequestVerifier,
  type VerifyReason,
} from './request-verifier.js';
import type { Scheme, Secret } from './schemes/scheme.js';
import { verify } from './x-signature.js';

/** Why a captured request is not valid. */
export interface CaptureFault {
  /** Null where the request has the headers of no known scheme. */
  readonly scheme: string | null;
  readonly reason: VerifyReason;
  readonly hint: string;
}

/** Undefined for a request that is valid. */
export type CaptureJudge = (
  captured: CapturedRequest,
) => undefined | Promise<CaptureFault | undefined>;

export interface JudgeOptions {
  /** `auto`: by the headers of each request. */
  readonly scheme: Scheme | 'auto';
  /** Any that fits; at least one. */
  readonly secrets: readonly Secret[];
  /** Reads the schemes of the configuration file; called once, when they are needed. */
  readonly ownSchemes: () => Promise<readonly Scheme[]>;
  /** In place of that of the scheme; null: times are not judged. */
  readonly toleranceMs?: number | null | undefined;
  /** As of when requests are judged, in place of the time when each was received. */
  readonly atMs?: number | undefined;
  /** The same for a request whose capture does not say when it was received. */
  readonly nowMs: number;
  readonly explain: boolean;
}

/**
 * Judges the requests of a capture, each as of the time when it was received.
 *
 * @throws UsageError for a secret that is not in the form of the scheme
 */
export async function captureJudge(options: JudgeOptions): Promise<CaptureJudge> {
  const { scheme, secrets } = options;
  const judge = schemeJudge(options);
  if (scheme !== 'auto' && scheme.name !== 'x-signature') {
    await judge.prepare();
    return judge.judge;
  }
  return (captured) => (hasBodySignature(captured, secrets) ? undefined : judge.judge(captured));
}

/** The quick way for nearly all requests with `X-Signature`. */
function hasBodySignature(
  { body, signatures }: CapturedRequest,
  secrets: readonly Secret[],
): boolean {
  const [signature] = signatures;
  if (signature === undefined || signatures.length > 1) return false;
  return secrets.some((secret) => verify(body, signature, secret));
}

interface Prepared {
  readonly own: readonly Scheme[];
  readonly verifier: RequestVerifier;
}

interface SchemeJudge {
  prepare(): Promise<unknown>;
  judge(captured: CapturedRequest): Promise<CaptureFault | undefined>;
}

function schemeJudge(options: JudgeOptions): SchemeJudge {
  let prepared: Promise<Prepared> | undefined;
  const prepare = () => (prepared ??= prepareVerifier(options));
  const explain = options.explain ? explainer(options) : undefined;
  return {
    prepare,
    async judge(captured) {
      const { own, verifier } = await prepare();
      const request = receivedRequest(captured);
      const nowMs = options.atMs ?? timestampMs(captured.receivedAt) ?? options.nowMs;
      const verdict = verifier.verify(request, nowMs);
      if (verdict.valid) return undefined;
      const { scheme, reason, hint = '' } = verdict;
      const explained = await explain?.(request, verdict, own, nowMs);
      return { scheme, reason: reason!, hint: explained ?? hint };
    },
  };
}

async function prepareVerifier(options: JudgeOptions): Promise<Prepared> {
  const { scheme, secrets, toleranceMs } = options;
  const own = await options.ownSchemes();
  return { own, verifier: requestVerifier({ scheme, secrets, own, toleranceMs }) };
}

/** After so many requests without an explanation, pairs of mistakes are not tested any more. */
const fullSearches = 50;

function explainer({ secrets }: JudgeOptions) {
  let unexplained = 0;
  return async (
    request: RequestToVerify,
    verdict: RequestVerdict,
    own: readonly Scheme[],
    nowMs: number,
  ): Promise<string> => {
    const { explainVerdict } = await import('./explain/explain-verdict.js');
    const pairs = unexplained < fullSearches;
    const found: Explanation = explainVerdict(request, verdict, { secrets, own, nowMs, pairs });
    if (!found.fits) unexplained++;
    return found.message;
  };
}
