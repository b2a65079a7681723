import { timestampMs } from '../events/timestamp.js';
import type { CapturedRequest } from './capture-line.js';
import { receivedRequest } from './captured-request.js';
import type { Explanation } from './explain/explain.js';
import {
  requestVerifier,
  type RequestToVerify,
  type RequestVerdict,
  type VerifierOptions,
  type VerifyReason,
} from './request-verifier.js';

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
) => undefined | CaptureFault | Promise<CaptureFault>;

export interface JudgeOptions extends VerifierOptions {
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
  const verifier = requestVerifier(options);
  const explain = options.explain ? explainer(options) : undefined;
  return (captured) => {
    const request = receivedRequest(captured);
    const nowMs = options.atMs ?? timestampMs(captured.receivedAt) ?? options.nowMs;
    const verdict = verifier.verify(request, nowMs);
    const { valid, scheme, reason, hint = '' } = verdict;
    if (valid || reason === undefined) return undefined;
    if (!explain) return { scheme, reason, hint };
    return explain(request, verdict, nowMs).then((found) => ({ scheme, reason, hint: found }));
  };
}

/** After so many requests without an explanation, pairs of mistakes are not tested any more. */
const fullSearches = 50;

function explainer({ secrets, own }: JudgeOptions) {
  let unexplained = 0;
  return async (
    request: RequestToVerify,
    verdict: RequestVerdict,
    nowMs: number,
  ): Promise<string> => {
    const { explainVerdict } = await import('./explain/explain-verdict.js');
    const pairs = unexplained < fullSearches;
    const found: Explanation = explainVerdict(request, verdict, {
      secrets,
      ...(own && { own }),
      nowMs,
      pairs,
    });
    if (!found.fits) unexplained++;
    return found.message;
  };
}
