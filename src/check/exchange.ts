/** A request as it is sent. */
export interface ProbeRequest {
  readonly method: string;
  /** The whole URL, with its query. */
  readonly url: string;
  /** Without Host, Content-Length and Connection, which the client adds. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Buffer;
  /** An event that a receiver has to accept: `answer.*` judges the responses to these. */
  readonly isValid: boolean;
  /** The right signatures of a forged request, which its response must not hold. */
  readonly rightSignatures?: readonly string[];
  /** Default `plain`. */
  readonly transfer?: Transfer;
  /** Whether a single command repeats what it shows. Default true; false where only several requests show it. */
  readonly isRepeatable?: boolean;
}

/**
 * How the body goes out: `plain` at once, `chunked` without a length, `slow` its second half after 2 s,
 * `cut` the first half alone, then the connection is closed, `continue` after `100 Continue` or a second.
 */
export type Transfer = 'plain' | 'chunked' | 'slow' | 'cut' | 'continue';

export interface ProbeResponse {
  readonly status: number;
  /** Name, value, name, value, … as received. */
  readonly headers: readonly string[];
  /** At most `maxBodyBytes` and what came with them. */
  readonly body: Buffer;
  readonly bodyEnd: BodyEnd;
  /** The status of each interim response: `100`. */
  readonly interim: readonly number[];
}

/** `endless`: longer than 16 KiB, or not ended 5 s after its status line. */
export type BodyEnd = 'complete' | 'too-large' | 'endless' | 'broken';

/** A request and what came back. */
export interface Exchange {
  readonly checkId: string;
  readonly request: ProbeRequest;
  /** Undefined if none came. */
  readonly response?: ProbeResponse;
  /** Why no response came: a sentence in lower case. */
  readonly error?: string;
  /** The code of that error: `ECONNREFUSED`, `ETIMEDOUT`, … */
  readonly errorCode?: string;
  /** From the connection being open to the status line, or to the error. */
  readonly durationMs: number;
  /** Whether it went over a connection that was open already. */
  readonly isReused?: boolean;
}

export function statusOf({ response }: Exchange): number | undefined {
  return response?.status;
}

export function isSuccess({ response }: Exchange): boolean {
  return response !== undefined && response.status >= 200 && response.status < 300;
}

export function isRedirect({ response }: Exchange): boolean {
  return response !== undefined && response.status >= 300 && response.status <= 399;
}

/** Whether it is one that a receiver has to refuse. */
export function isForged({ request }: Exchange): boolean {
  return request.rightSignatures !== undefined;
}

/** What came, in words: `HTTP 500`, `no response: connection reset`. */
export function described({ response, error }: Exchange): string {
  return response ? `HTTP ${response.status}` : `no response: ${error ?? 'unknown error'}`;
}

/** The request with another Content-Type; undefined removes it. */
export function withType(request: ProbeRequest, type: string | undefined): ProbeRequest {
  const others = request.headers.filter(([name]) => name.toLowerCase() !== 'content-type');
  const own: ProbeRequest['headers'] = type === undefined ? [] : [['Content-Type', type]];
  return { ...request, headers: [...own, ...others] };
}

/** The values of a header, joined by commas; undefined if there is none. @param name in lower case */
export function headerOf({ headers }: ProbeResponse, name: string): string | undefined {
  const values = headers.filter((_, i) => i % 2 === 1 && headers[i - 1]!.toLowerCase() === name);
  return values.length === 0 ? undefined : values.join(', ');
}
