import {
  apiPrefix,
  tokenHeader,
  type ApiError,
  type FaultPlan,
  type PageSetup,
  type ReplayRequest,
  type ReplayResult,
  type RequestDetail,
  type Stats,
} from '../api.js';

/** An answer of the receiver that says no. */
export class RefusedError extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.name = 'RefusedError';
    this.status = status;
  }
}

/**
 * The calls of the receiver's API.
 *
 * All of them throw `RefusedError` for an answer that says no, and an `Error` made for people when
 * there is no answer.
 */
export class Receiver {
  /** For calls that change something; a receiver that was started again has another one. */
  #token = '';

  async setup(): Promise<PageSetup> {
    const setup = await call<PageSetup>('GET', '/page');
    this.#token = setup.token;
    return setup;
  }

  stats(): Promise<Stats> {
    return call('GET', '/stats');
  }

  detail(id: string, signal: AbortSignal): Promise<RequestDetail> {
    return call('GET', `/requests/${encodeURIComponent(id)}`, { signal });
  }

  faults(): Promise<FaultPlan> {
    return call('GET', '/faults');
  }

  changeFaults(plan: FaultPlan): Promise<FaultPlan> {
    return call('PUT', '/faults', { token: this.#token, body: plan });
  }

  replay(request: ReplayRequest, signal: AbortSignal): Promise<ReplayResult> {
    return call('POST', '/replay', { token: this.#token, body: request, signal });
  }

  async reset(): Promise<void> {
    await call('POST', '/reset', { token: this.#token, body: {} });
  }
}

interface CallOptions {
  readonly token?: string;
  readonly body?: unknown;
  readonly signal?: AbortSignal;
}

async function call<T>(
  method: string,
  path: string,
  { token, body, signal }: CallOptions = {},
): Promise<T> {
  const headers = new Headers();
  if (token !== undefined) headers.set(tokenHeader, token);
  if (body !== undefined) headers.set('content-type', 'application/json');
  const response = await fetch(apiPrefix + path, {
    method,
    headers,
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(signal && { signal }),
  }).catch((error: unknown) => {
    if (signal?.aborted) throw error;
    throw new Error('The receiver does not answer: is evfwd listen still running?');
  });
  const answer: unknown = await response.json().catch(() => undefined);
  if (response.ok) return answer as T;
  throw new RefusedError(response.status, messageOf(answer) ?? `It answered ${response.status}.`);
}

function messageOf(answer: unknown): string | undefined {
  return (answer as Partial<ApiError> | undefined)?.error?.message;
}
