/** An answer of the program that says no. */
export class RefusedError extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.name = 'RefusedError';
    this.status = status;
  }
}

export interface Call {
  readonly method: 'GET' | 'POST' | 'PUT';
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly body?: unknown;
  readonly signal?: AbortSignal;
  /** What to say when there is no answer at all. */
  readonly silence: string;
}

/**
 * Makes a call, and reads its answer as JSON.
 *
 * @throws RefusedError for an answer that says no; an `Error` made for people when there is none.
 */
export async function callApi<T>(call: Call): Promise<T> {
  const { method, url, body, signal } = call;
  const headers = new Headers(call.headers);
  if (body !== undefined) headers.set('content-type', 'application/json');
  const noAnswer = (error: unknown): never => {
    throw signal?.aborted ? error : new Error(call.silence);
  };
  const response = await fetch(url, {
    method,
    headers,
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(signal && { signal }),
  }).catch(noAnswer);
  // An answer that breaks off, or that nobody waits for any more, is none.
  if (response.ok) return (await response.json().catch(noAnswer)) as T;
  const answer: unknown = await response.json().catch(() => undefined);
  throw new RefusedError(response.status, messageOf(answer) ?? `It answered ${response.status}.`);
}

function messageOf(answer: unknown): string | undefined {
  return (answer as { error?: { message?: string } } | undefined)?.error?.message;
}
