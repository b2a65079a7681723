import {
  apiPrefix,
  tokenHeader,
  type FaultPlan,
  type PageSetup,
  type ReplayRequest,
  type ReplayResult,
  type RequestDetail,
  type SearchResult,
  type Stats,
} from '../../../src/api/listen.js';
import { callApi, type Call } from '../../shared/receive/call.js';

/**
 * The calls of the receiver's API.
 *
 * All of them throw `RefusedError` for an error response, and an `Error` made for people when
 * there is no response.
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

  /** Requests after a sequence number that hold a text. */
  search(text: string, after: number, signal: AbortSignal): Promise<SearchResult> {
    const query = new URLSearchParams({ q: text, after: String(after) }).toString();
    return call('GET', `/search?${query}`, { signal });
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

function call<T>(
  method: Call['method'],
  path: string,
  { token, body, signal }: CallOptions = {},
): Promise<T> {
  return callApi({
    method,
    url: apiPrefix + path,
    ...(token !== undefined && { headers: { [tokenHeader]: token } }),
    ...(body !== undefined && { body }),
    ...(signal && { signal }),
    silence: 'The receiver does not respond: is evfwd listen still running?',
  });
}
