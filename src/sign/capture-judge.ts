import { timestampMs } from '../events/timestamp.js';
import type { CapturedRequest } from './capture-line.js';
import { receivedRequest } from './captured-request.js';
import type { Explanation } from './explain/explain.js';
import {
  presetsFirstVerifier,
  type PresetsFirstOptions,
  type PresetsFirstVerdict,
} from './presets-first.js';
import type { RequestToVerify, VerifyReason } from './request-verifier.js';
import type { Secret } from './schemes/scheme.js';
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

export interface JudgeOptions extends PresetsFirstOptions {
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
export function captureJudge(options: JudgeOptions): CaptureJudge {
  const { scheme, secrets } = options;
  const judge = schemeJudge(options);
  if (scheme !== 'auto' && scheme.name !== 'x-signature') return judge;
  return (captured) => (hasBodySignature(captured, secrets) ? undefined : judge(captured));
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

function schemeJudge(options: JudgeOptions): CaptureJudge {
  const verifier = presetsFirstVerifier(options);
  const explain = options.explain ? explainer(options) : undefined;
  return async (captured) => {
    const request = receivedRequest(captured);
    const nowMs = options.atMs ?? timestampMs(captured.receivedAt) ?? options.nowMs;
    const judged = await verifier.verify(request, nowMs);
    const { valid, scheme, reason, hint = '' } = judged.verdict;
    if (valid || reason === undefined) return undefined;
    return { scheme, reason, hint: (await explain?.(request, judged, nowMs)) ?? hint };
  };
}

/** After so many requests without an explanation, pairs of mistakes are not tested any more. */
const fullSearches = 50;

function explainer({ secrets }: JudgeOptions) {
  let unexplained = 0;
  return async (
    request: RequestToVerify,
    { verdict, own }: PresetsFirstVerdict,
    nowMs: number,
  ): Promise<string> => {
    const { explainVerdict } = await import('./explain/explain-verdict.js');
    const pairs = unexplained < fullSearches;
    const found: Explanation = explainVerdict(request, verdict, { secrets, own, nowMs, pairs });
    if (!found.fits) unexplained++;
    return found.message;
  };
}
