import type { OwnRequest } from '../../delivery/own-request.js';
import { querySecrets } from '../../delivery/redaction.js';
import type { Outgoing } from '../../delivery/target.js';
import type { Event } from '../../events/event.js';
import { withoutQuery } from '../../http/url.js';
import { headersForApp } from '../../receive/headers-for-app.js';
import { isHost, type ComposedRequest } from '../../replay/compose.js';
import { ownRequest } from '../../replay/own-request.js';
import { baseUrl, type BaseUrl } from '../../replay/path.js';
import { requestSigner, type RequestSigner } from '../../sign/request-signer.js';
import { fixedAuthorization } from '../../webhook/auth.js';
import type { Endpoint } from '../../webhook/endpoint.js';
import type { OwnRequests } from '../../webhook/own-requests.js';
import { replayHeader } from '../../webhook/request.js';
import { headerPairs } from '../../webhook/settings.js';
import { signingSecrets } from '../../webhook/signing.js';
import type { Destination } from '../types.js';
import { RawFilters } from './filters.js';
import { pathBehind, queryOf } from './paths.js';
import { isRaw, rawOf, type RawRequest } from './raw-request.js';
import { shownId } from './repeat-id.js';

type Pair = readonly [name: string, value: string];

/** What is made of every request for one URL. */
interface UrlParts {
  /** For display, without its query. */
  readonly shown: string;
  readonly base: BaseUrl;
  /** The values in its own query, of any length. */
  readonly secrets: readonly string[];
  /** Its Host header: that of the endpoint's own headers, else of the URL. */
  readonly host: string;
  /** Headers that are added, or replace those of the sender. */
  readonly added: readonly Pair[];
  /** Names, in lower case, of headers of the sender that are left out. */
  readonly dropped: ReadonlySet<string>;
}

/** Sends stored requests to the URLs of a destination, as they were received, or signed anew at each attempt. */
export class RawOutgoing implements OwnRequests {
  readonly #urls: readonly UrlParts[];
  readonly #filters: RawFilters | undefined;
  readonly #signers: readonly RequestSigner[];
  /** What responses must not show. */
  readonly #secrets: readonly string[];
  readonly #now: () => number;

  /** @param now milliseconds since 1970 */
  constructor({ endpoints, resign }: Pick<Destination, 'endpoints' | 'resign'>, now: () => number) {
    this.#urls = endpoints.map((endpoint) => urlParts(endpoint, resign?.replaced ?? []));
    this.#filters = RawFilters.of(endpoints);
    this.#signers = resign ? [requestSigner(resign.signing, 'resign')] : [];
    this.#secrets = resign ? signingSecrets(resign.signing).filter(isText) : [];
    this.#now = now;
  }

  isFor(event: Event): boolean {
    return isRaw(event);
  }

  wantedBy(event: Event): number | undefined {
    return this.#filters?.wantedBy(rawOf(event));
  }

  bodyOf(event: Event): Buffer {
    return rawOf(event).body;
  }

  requestsOf({ event, stamp }: Outgoing): OwnRequest[] {
    const request = rawOf(event);
    return this.#urls.map((parts) => {
      const own = ownRequest({
        composed: composed(request, parts, stamp.replay),
        origin: parts.base.origin,
        // Asked for only to be signed: by then it may have been dropped from memory, and is loaded again.
        get body() {
          return rawOf(event).body;
        },
        messageId: shownId(stamp.messageId),
        signers: this.#signers,
        comparison: undefined,
        now: this.#now,
      });
      // What is known of an endpoint is counted by its URL: paths of requests may be any.
      return {
        ...own,
        url: parts.shown,
        secrets: () => [...own.secrets(), ...parts.secrets, ...this.#secrets],
      };
    });
  }
}

function urlParts({ url, headers, auth }: Endpoint, replaced: readonly string[]): UrlParts {
  const authorization = auth && fixedAuthorization(auth);
  const added: readonly Pair[] = [
    ...headerPairs(headers),
    ...(authorization === undefined ? [] : [['Authorization', authorization] as const]),
  ];
  const names = added.map(([name]) => name.toLowerCase());
  const dropped = new Set([...replaced, ...names, ...(auth ? ['authorization'] : [])]);
  const base = baseUrl(url);
  return {
    ...{ shown: withoutQuery(url), base, dropped },
    secrets: querySecrets(new URL(url)),
    host: added.find(isHost)?.[1] ?? base.url.host,
    added: added.filter((pair) => !isHost(pair)),
  };
}

/** The request to one URL, but for its signature. */
function composed(
  request: RawRequest,
  { base, host, added, dropped }: UrlParts,
  replay: string | undefined,
): ComposedRequest {
  const { method, path, sourcePathLength, headers, remoteAddress, isTls } = request.head;
  const sent = headersForApp(
    {
      ...{ method, headers, body: request.body, isTls },
      ...(remoteAddress !== null && { remoteAddress }),
    },
    host,
  );
  const kept: Pair[] = [];
  const replayed: Pair[] = replay === undefined ? [] : [[replayHeader, replay]];
  for (let i = 0; i < sent.length; i += 2) {
    const name = sent[i]!;
    const lower = name.toLowerCase();
    // Written by the connection.
    if (lower === 'host' || lower === 'content-length' || dropped.has(lower)) continue;
    if (replay !== undefined && lower === replayHeader.toLowerCase()) continue;
    kept.push([name, sent[i + 1]!]);
  }
  return {
    method,
    path: targetOf(base, path, sourcePathLength),
    host,
    headers: [...kept, ...replayed, ...added],
  };
}

/** A URL with a path is used as it is; the query of the request is always sent. */
function targetOf(base: BaseUrl, path: string, sourcePathLength: number): string {
  if (base.path === undefined) return pathBehind(path, sourcePathLength);
  const query = queryOf(path);
  if (query === '' || !base.path.includes('?')) return base.path + query;
  return query.length === 1 ? base.path : `${base.path}&${query.slice(1)}`;
}

function isText(secret: string | Uint8Array): secret is string {
  return typeof secret === 'string';
}
