import { UsageError } from '../errors.js';
import { LineSplitter, type Line } from '../input/lines.js';
import { readCaptureLine, type CapturedRequest } from './capture-line.js';
import { explain, type Effort } from './explain/explain.js';
import { hintOf } from './explain/hint.js';
import { judge, type SignatureFault } from './judge.js';

/** A request whose signature is not valid, or a line that is not a request. */
export interface CaptureProblem {
  /** Number of the line, from 1. */
  readonly line: number;
  /** From the captured line; absent if the line could not be read. */
  readonly request?: { readonly id: string; readonly method: string; readonly path: string };
  readonly reason: SignatureFault | 'missing' | 'repeated' | 'not_a_request';
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

export interface CaptureOptions {
  readonly secret: string | Buffer;
  readonly explain: boolean;
}

/**
 * Checks the signature of every request of a capture, chunk by chunk. Yields the problems of each
 * chunk that has any; `counts` is updated meanwhile.
 */
export async function* checkCapture(
  chunks: AsyncIterable<Buffer>,
  options: CaptureOptions,
  counts: CaptureCounts,
): AsyncGenerator<CaptureProblem[]> {
  const check = checker(options);
  const splitter = new LineSplitter(maxCaptureBytes);
  const checkAll = (lines: readonly Line[]): CaptureProblem[] =>
    lines.flatMap((line) => checkLine(line, check, counts) ?? []);
  let isFirst = true;
  for await (const chunk of chunks) {
    if (isFirst) refuseGzip(chunk);
    isFirst = false;
    const problems = checkAll(splitter.push(chunk));
    if (problems.length > 0) yield problems;
  }
  const problems = checkAll(splitter.end());
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

type Verdict = Pick<CaptureProblem, 'reason' | 'hint'> | undefined;
type Signed = Pick<CapturedRequest, 'body' | 'signatures'>;
type Check = (request: Signed) => Verdict;

function checkLine(
  { bytes, line, cutFrom }: Line,
  check: Check,
  counts: CaptureCounts,
): CaptureProblem | undefined {
  const request = cutFrom === undefined ? readCaptureLine(bytes) : tooLong;
  if (!request) return undefined;
  counts.read++;
  if ('unreadable' in request) {
    counts.unreadable++;
    return { line, reason: 'not_a_request', hint: `not a captured request: ${request.unreadable}` };
  }
  const verdict = check(request);
  if (!verdict) {
    counts.valid++;
    return undefined;
  }
  counts.invalid++;
  const { id, method, path } = request;
  return { line, request: { id, method, path }, ...verdict };
}

/**
 * A capture line is longer than its body, of 1 MiB at most: JSON needs six characters for a control
 * character, and the line has headers, too.
 */
const maxCaptureBytes = 8 * 1024 * 1024;

const tooLong = { unreadable: `the line is longer than any request (${maxCaptureBytes} bytes)` };

/** After so many requests without an explanation, pairs of mistakes are not tested any more. */
const fullSearches = 50;

function checker({ secret, explain: isExplained }: CaptureOptions): Check {
  let unexplained = 0;
  return (request) => {
    const [signature] = request.signatures;
    const fault = faultOfHeader(request);
    if (fault || signature === undefined) return fault;
    const { body } = request;
    const judgement = judge(body, signature, secret);
    if (judgement.valid) return undefined;
    const reason = judgement.reason!;
    if (!isExplained) return { reason, hint: judgement.message };
    const explanation = explain(body, signature, secret, { pairs: unexplained < fullSearches });
    if (!explanation.fits) unexplained++;
    return { reason, hint: hintOf(judgement, explanation) };
  };
}

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

function faultOfHeader({ signatures }: Signed): Verdict {
  if (signatures.length === 0) return missing;
  return signatures.length > 1 ? repeated : undefined;
}

const missing: Verdict = {
  reason: 'missing',
  hint: 'the request has no X-Signature header; make the sender sign it',
};

const repeated: Verdict = {
  reason: 'repeated',
  hint: 'the request has more than one X-Signature header; send one',
};
