import {
  apiPrefix,
  type FaultPlan,
  type PageSetup,
  type ReplayRequest,
  type ReplayResult,
  type RequestDetail,
  type SearchResult,
  type SharedRequests,
  type Stats,
  type StreamMessages,
  tokenHeader,
} from '../../../src/api/listen.js';
import { type Call, callApi, callForFile } from '../../shared/receive/call.js';

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

  /** One HTML page of these requests, without their secrets. */
  sharedPage(request: SharedRequests): Promise<Blob> {
    return callForFile(callOf('POST', '/requests.html', { token: this.#token, body: request }));
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

function call<T>(method: Call['method'], path: string, options?: CallOptions): Promise<T> {
  return callApi(callOf(method, path, options));
}

function callOf(
  method: Call['method'],
  path: string,
  { token, body, signal }: CallOptions = {},
): Call {
  return {
    method,
    url: apiPrefix + path,
    ...(token !== undefined && { headers: { [tokenHeader]: token } }),
    ...(body !== undefined && { body }),
    ...(signal && { signal }),
    unreachable: 'The receiver does not respond: is evfwd listen still running?',
  };
}

/** The handlers of the messages of the stream. */
type StreamHandlers = {
  readonly [Name in keyof StreamMessages]: (data: StreamMessages[Name]) => void;
} & {
  /** A connection is open; all kept rows follow. */
  readonly opened: () => void;
  /** The connection is lost; a new one is attempted. */
  readonly lost: () => void;
};

/** A browser reconnects by itself, but not after a response that is not a stream. */
const retryMs = 2000;

/** Follows the receiver, and connects again for as long as the page is open. */
export function followStream(handlers: StreamHandlers): void {
  const source = new EventSource(`${apiPrefix}/stream`);
  source.addEventListener('open', handlers.opened);
  source.addEventListener('error', () => {
    handlers.lost();
    if (source.readyState === EventSource.CLOSED) setTimeout(() => followStream(handlers), retryMs);
  });
  listen(source, 'rows', handlers.rows);
  listen(source, 'reset', handlers.reset);
  listen(source, 'faults', handlers.faults);
}

function listen<Name extends keyof StreamMessages>(
  source: EventSource,
  name: Name,
  handle: (data: StreamMessages[Name]) => void,
): void {
  source.addEventListener(name, (message: MessageEvent<string>) =>
    handle(JSON.parse(message.data) as StreamMessages[Name]),
  );
}
