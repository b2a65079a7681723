import { UsageError } from '../errors.js';
import { timestampMs } from '../events/timestamp.js';
import { readRejected } from '../sources/formats/rejected-line.js';
import { LineSplitter, type Line } from '../sources/lines.js';
import { readCaptureLine, receivedRequest, type CapturedRequest } from './captured-request.js';
import {
  requestVerifier,
  type RequestToVerify,
  type RequestVerdict,
  type VerifierOptions,
  type VerifyReason,
} from './request-verifier.js';

/** A request whose signature is not valid, or a line that is not a request. */
export interface CaptureProblem {
  /** Number of the line, or of the entry of a HAR file, from 1. */
  readonly line: number;
  /** From the captured line; absent if the line could not be read. */
  readonly request?: { readonly id: string; readonly method: string; readonly path: string };
  /** By which the request was judged, null where none was found; absent as `request` is. */
  readonly scheme?: string | null;
  readonly reason: VerifyReason | 'not_a_request';
  readonly hint: string;
}

export interface CaptureCounts {
  /** Requests, and lines that should have been one. */
  read: number;
  valid: number;
  invalid: number;
  /** Lines that could not be read as a request. */
  unreadable: number;
}

export interface CaptureOptions extends VerifierOptions {
  /** As of when requests are judged, in place of the time when each was received. */
  readonly atMs?: number | undefined;
  /** The same for a request whose capture does not say when it was received. */
  readonly nowMs: number;
  readonly explain: boolean;
}

/**
 * Checks the signature of every request of a capture, chunk by chunk. Yields the problems of each
 * chunk that has any; `counts` is updated meanwhile.
 *
 * @throws UsageError for a gzip file, and for a secret that is not in the form of the scheme
 */
export async function* checkCapture(
  chunks: AsyncIterable<Buffer>,
  options: CaptureOptions,
  counts: CaptureCounts,
): AsyncGenerator<CaptureProblem[]> {
  const check = captureVerifier(options);
  const splitter = new LineSplitter(maxCaptureBytes);
  let isFirst = true;
  for await (const chunk of chunks) {
    if (isFirst) refuseGzip(chunk);
    isFirst = false;
    const problems = await checkLines(splitter.push(chunk), check, counts);
    if (problems.length > 0) yield problems;
  }
  const problems = await checkLines(splitter.end(), check, counts);
  if (problems.length > 0) yield problems;
}

function refuseGzip(chunk: Buffer): void {
  if (chunk[0] !== 0x1f || chunk[1] !== 0x8b) return;
  const next = 'gzip -dc capture.ndjson.gz | evfwd verify-sig --requests -';
  throw new UsageError(`--requests cannot read gzip; inflate the file first: ${next}`, 'gzip');
}

export function noCounts(): CaptureCounts {
  return { read: 0, valid: 0, invalid: 0, unreadable: 0 };
}

/** Waits only for explanations. */
async function checkLines(
  lines: readonly Line[],
  verify: VerifyCaptured,
  counts: CaptureCounts,
): Promise<CaptureProblem[]> {
  const problems: CaptureProblem[] = [];
  for (const { bytes, line, cutFrom } of lines) {
    const request = cutFrom === undefined ? readCaptureLine(bytes) : tooLong;
    if (!request) continue;
    counts.read++;
    if ('unreadable' in request) {
      counts.unreadable++;
      const hint = readRejected(bytes)?.message ?? `not a captured request: ${request.unreadable}`;
      problems.push({ line, reason: 'not_a_request', hint });
      continue;
    }
    const verified = verify(request);
    const fault = verified instanceof Promise ? await verified : verified;
    if (fault) problems.push(problemOf(line, request, fault));
    counts[fault ? 'invalid' : 'valid']++;
  }
  return problems;
}

function problemOf(
  line: number,
  { id, method, path }: CapturedRequest,
  fault: CaptureFault,
): CaptureProblem {
  return { line, request: { id, method, path }, ...fault };
}

/**
 * A capture line is longer than its body, of 1 MiB at most: JSON needs six characters for a control
 * character, and the line has headers, too.
 */
const maxCaptureBytes = 8 * 1024 * 1024;

const tooLong = { unreadable: `the line is longer than any request (${maxCaptureBytes} bytes)` };

/** Why a captured request is not valid. */
type CaptureFault = Required<Pick<CaptureProblem, 'scheme' | 'hint'>> & {
  readonly reason: VerifyReason;
};

/** Undefined for a request that is valid. */
type VerifyCaptured = (
  captured: CapturedRequest,
) => undefined | CaptureFault | Promise<CaptureFault>;

/** Each request is judged as of the time when it was received. */
function captureVerifier(options: CaptureOptions): VerifyCaptured {
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

/** After this number of requests without an explanation, pairs of mistakes are not tested any more. */
const fullSearches = 50;

function explainer({ secrets, own = [] }: CaptureOptions) {
  let unexplained = 0;
  return async (
    request: RequestToVerify,
    verdict: RequestVerdict,
    nowMs: number,
  ): Promise<string> => {
    const { explainVerdict } = await import('./explain/explain-verdict.js');
    const pairs = unexplained < fullSearches;
    const { fits, message } = explainVerdict(request, verdict, { secrets, own, nowMs, pairs });
    if (!fits) unexplained++;
    return message;
  };
}
