import { isUtf8 } from 'node:buffer';
import { builtHere, type Event } from '../../events/event.js';
import { TextEvent } from '../../events/text-event.js';
import type { Endpoint, EndpointFilter } from '../../webhook/endpoint.js';
import { withoutQuery } from '../../receive/rules/path-pattern.js';
import { EndpointFilters, whyNobody } from '../../webhook/endpoint-filters.js';
import type { RawRequest } from './raw-request.js';

/**
 * Which endpoints want a request: `where` sees `method`, `path` (without its query), `header.<name>` in any case, and
 * `body.<path>` of JSON. `types` and `events` are for events, and do not count.
 */
export class RawFilters {
  readonly #conditions: EndpointFilters;

  private constructor(conditions: EndpointFilters) {
    this.#conditions = conditions;
  }

  /** Undefined: each wants all. @throws UsageError for a condition that cannot be read */
  static of(endpoints: readonly EndpointFilter[]): RawFilters | undefined {
    const conditions = EndpointFilters.of(
      endpoints.map(({ where = [] }) => ({ where: where.map(inLowerCase) })),
    );
    return conditions && new RawFilters(conditions);
  }

  /** As of `EndpointFilters`. */
  wantedBy(request: RawRequest): number {
    return this.#conditions.wantedBy(seen(request));
  }

  /** As the end of a sentence. */
  whyNobody(request: RawRequest, endpoints: readonly Pick<Endpoint, 'url'>[]): string {
    return whyNobody(this.#conditions, endpoints, seen(request));
  }
}

/** Names of headers in conditions, as they are seen. */
function inLowerCase(condition: string): string {
  return condition.replace(/^!?header\.[^=!~<>]+/, (name) => name.toLowerCase());
}

/** What the conditions see, as an event: they look at members alone. */
function seen(request: RawRequest): Event {
  const { method, headers } = request.head;
  const path = withoutQuery(request.head.path);
  const values = new Map<string, string>();
  for (let i = 0; i < headers.length; i += 2) {
    const name = headers[i]!.toLowerCase();
    const before = values.get(name);
    values.set(name, before === undefined ? headers[i + 1]! : `${before}, ${headers[i + 1]!}`);
  }
  const head = JSON.stringify({ method, path, header: Object.fromEntries(values) });
  const { body } = request;
  const text = isJson(body)
    ? Buffer.concat([Buffer.from(`${head.slice(0, -1)},"body":`), body, Buffer.from('}')])
    : Buffer.from(head);
  return new TextEvent(text, 'track', builtHere('', text.length));
}

function isJson(body: Buffer): boolean {
  if (body.length === 0 || !isUtf8(body)) return false;
  try {
    JSON.parse(body.toString());
    return true;
  } catch {
    return false;
  }
}
