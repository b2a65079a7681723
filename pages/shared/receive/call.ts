/** An error response of the server. */
export class RefusedError extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.name = 'RefusedError';
    this.status = status;
  }
}

export interface Call {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly body?: unknown;
  readonly signal?: AbortSignal;
  /** The message when there is no response. */
  readonly unreachable: string;
}

/**
 * Makes a call, and parses the response as JSON.
 *
 * @throws RefusedError for an error response; an `Error` with a readable message when there is none.
 */
export async function callApi<T>(call: Call): Promise<T> {
  return (await responseTo(call, (response) => response.json())) as T;
}

/** The same for a response that is a file. */
export function callForFile(call: Call): Promise<Blob> {
  return responseTo(call, (response) => response.blob());
}

async function responseTo<T>(call: Call, read: (response: Response) => Promise<T>): Promise<T> {
  const { method, url, body, signal } = call;
  const headers = new Headers(call.headers);
  if (body !== undefined) headers.set('content-type', 'application/json');
  const noResponse = (error: unknown): never => {
    throw signal?.aborted ? error : new Error(call.unreachable);
  };
  const response = await fetch(url, {
    method,
    headers,
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(signal && { signal }),
  }).catch(noResponse);
  // A truncated or aborted response counts as none.
  if (response.ok) return read(response).catch(noResponse);
  const refusal: unknown = await response.json().catch(() => undefined);
  throw new RefusedError(response.status, messageOf(refusal) ?? `HTTP ${response.status}`);
}

function messageOf(refusal: unknown): string | undefined {
  return (refusal as { error?: { message?: string } } | undefined)?.error?.message;
}
