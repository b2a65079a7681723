import {
  serviceApiPrefix,
  type AttemptRow,
  type DeletionRequest,
  type DeletionResult,
  type DeletionRow,
  type DestinationState,
  type EventAtDestination,
  type ListQuery,
  type Overview,
  type Page,
  type RedeliveryRequest,
  type RedeliveryResult,
  type ReplayBody,
  type ReplayCount,
  type ReplayCreated,
  type ReplayList,
  type ReplayRow,
  type SearchQuery,
  type SearchResult,
  type Series,
  type SeriesQuery,
  type ServiceSetup,
  type TestResult,
  type UserQueues,
} from '../../../src/api/serve.js';
import { callApi, RefusedError, type Call } from '../../shared/receive/call.js';

/** The lists of events that the service has. */
export type ListName = 'waiting' | 'dead-letters' | 'rejected';

/**
 * The calls of the service's API, with the token where it wants one.
 *
 * All of them throw `RefusedError` for an error response, and an `Error` made for people when
 * there is no response.
 */
export class Service {
  #token = '';
  /** Called when the service does not know the token. */
  onInvalidToken: () => void = () => undefined;

  /** What all calls carry from now on. */
  set token(token: string) {
    this.#token = token;
  }

  setup(): Promise<ServiceSetup> {
    return this.#call('GET', '/page');
  }

  overview(): Promise<Overview> {
    return this.#call('GET', '/overview');
  }

  list(name: ListName, query: ListQuery, signal?: AbortSignal): Promise<Page> {
    return this.#call('GET', `/${name}?${queryText(query)}`, undefined, signal);
  }

  search(query: SearchQuery, signal?: AbortSignal): Promise<SearchResult> {
    return this.#call('GET', `/search?${queryText(query)}`, undefined, signal);
  }

  /** All that is known of an event at a destination: what the responses said, the text of a dead letter. */
  event(id: string, signal: AbortSignal): Promise<EventAtDestination> {
    return this.#call('GET', `/events/${encodeURIComponent(id)}`, undefined, signal);
  }

  lastFailure(destination: string, signal: AbortSignal): Promise<AttemptRow> {
    return this.#call('GET', `/failures/${encodeURIComponent(destination)}`, undefined, signal);
  }

  userQueues(destination: string, signal: AbortSignal): Promise<UserQueues> {
    const path = `/destinations/${encodeURIComponent(destination)}/users`;
    return this.#call('GET', path, undefined, signal);
  }

  series(query: SeriesQuery, signal: AbortSignal): Promise<Series> {
    return this.#call('GET', `/series?${queryText(query)}`, undefined, signal);
  }

  switchDestination(name: string, enabled: boolean): Promise<DestinationState> {
    return this.#call('PUT', `/destinations/${encodeURIComponent(name)}`, { enabled });
  }

  testDestination(name: string): Promise<TestResult> {
    return this.#call('POST', `/destinations/${encodeURIComponent(name)}/test`, {});
  }

  redeliver(request: RedeliveryRequest): Promise<RedeliveryResult> {
    return this.#call('POST', '/redeliveries', request);
  }

  replays(): Promise<ReplayList> {
    return this.#call('GET', '/replays');
  }

  countReplay(body: ReplayBody): Promise<ReplayCount> {
    return this.#call('POST', '/replays?preview', body);
  }

  createReplay(body: ReplayBody): Promise<ReplayCreated> {
    return this.#call('POST', '/replays', body);
  }

  stopReplay(id: string): Promise<ReplayRow> {
    return this.#call('DELETE', `/replays/${encodeURIComponent(id)}`);
  }

  deletions(limit: number, signal: AbortSignal): Promise<Page<DeletionRow>> {
    return this.#call('GET', `/deletions?limit=${limit}`, undefined, signal);
  }

  deleteUser(request: DeletionRequest): Promise<DeletionResult> {
    return this.#call('POST', '/deletions', request);
  }

  /** The stream of events, for `follow`. */
  stream(signal: AbortSignal): Promise<Response> {
    return fetch(`${serviceApiPrefix}/stream`, { headers: this.#headers(), signal });
  }

  async #call<T>(
    method: Call['method'],
    path: string,
    body?: unknown,
    signal?: AbortSignal,
  ): Promise<T> {
    try {
      return await callApi<T>({
        method,
        url: serviceApiPrefix + path,
        headers: this.#headers(),
        ...(body !== undefined && { body }),
        ...(signal && { signal }),
        unreachable: 'The service does not respond: is evfwd serve still running?',
      });
    } catch (error) {
      if (error instanceof RefusedError && error.status === 401) this.onInvalidToken();
      throw error;
    }
  }

  #headers(): Record<string, string> {
    return this.#token === '' ? {} : { authorization: `Bearer ${this.#token}` };
  }
}

function queryText(query: ListQuery | SeriesQuery): string {
  const entries = Object.entries(query).map(([key, value]) => [key, String(value)]);
  return new URLSearchParams(entries).toString();
}
