import { UsageError } from '../errors.js';
import { LineSplitter, type Line } from '../input/lines.js';
import { readCaptureLine, type CapturedRequest } from './capture-line.js';
import {
  captureJudge,
  type CaptureFault,
  type CaptureJudge,
  type JudgeOptions,
} from './capture-judge.js';
import { explain, type Effort } from './explain/explain.js';
import { hintOf } from './explain/hint.js';
import { judge } from './judge.js';
import type { VerifyReason } from './request-verifier.js';

/** A request whose signature is not valid, or a line that is not a request. */
export interface CaptureProblem {
  /** Number of the line, from 1. */
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

/**
 * Checks the signature of every request of a capture, chunk by chunk. Yields the problems of each
 * chunk that has any; `counts` is updated meanwhile.
 *
 * @throws UsageError for a gzip file, and for a secret that is not in the form of the scheme
 */
export async function* checkCapture(
  chunks: AsyncIterable<Buffer>,
  options: JudgeOptions,
  counts: CaptureCounts,
): AsyncGenerator<CaptureProblem[]> {
  const check = captureJudge(options);
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
  judgeRequest: CaptureJudge,
  counts: CaptureCounts,
): Promise<CaptureProblem[]> {
  const problems: CaptureProblem[] = [];
  for (const { bytes, line, cutFrom } of lines) {
    const request = cutFrom === undefined ? readCaptureLine(bytes) : tooLong;
    if (!request) continue;
    counts.read++;
    if ('unreadable' in request) {
      counts.unreadable++;
      const hint = `not a captured request: ${request.unreadable}`;
      problems.push({ line, reason: 'not_a_request', hint });
      continue;
    }
    const judged = judgeRequest(request);
    const fault = judged instanceof Promise ? await judged : judged;
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

type Signed = Pick<CapturedRequest, 'body' | 'signatures'>;

/** Why the signature of one request is not valid; null when it is. */
export function explainRequest(
  request: Signed,
  secret: string | Buffer,
  effort: Effort,
): string | null {
  const [signature] = request.signatures;
  const fault = faultOfHeader(request);
  if (fault || signature === undefined) return fault?.hint ?? null;
  const judgement = judge(request.body, signature, secret);
  if (judgement.valid) return null;
  return hintOf(judgement, explain(request.body, signature, secret, effort));
}

function faultOfHeader({ signatures }: Signed): { hint: string } | undefined {
  if (signatures.length === 0) {
    return { hint: 'the request has no X-Signature header; make the sender sign it' };
  }
  if (signatures.length === 1) return undefined;
  return { hint: 'the request has more than one X-Signature header; send one' };
}
