import { isUtf8 } from 'node:buffer';
import { builtHere, type Event } from '../../events/event.js';
import { TextEvent } from '../../events/text-event.js';
import { headerTexts } from '../../http/header-rules.js';
import { notJson } from '../../json/scalars.js';
import { endOfValue, skipSpace } from '../../json/scan.js';
import type { Endpoint, EndpointFilter } from '../../webhook/endpoint.js';
import { pathWithoutQuery } from '../../receive/rules/path-pattern.js';
import { EndpointFilters, whyNobody } from '../../webhook/endpoint-filters.js';
import type { RawRequest } from './raw-request.js';

/**
 * Which endpoints want a request: `where` sees `method`, `path` (without its query), `header.<name>` in any case, and
 * `body.<path>` of JSON. `types` and `events` are for events, and do not count.
 */
export class RawFilters {
  readonly #conditions: EndpointFilters;
  readonly #seesBody: boolean;
  /** Each attempt asks again. */
  readonly #wanted = new WeakMap<RawRequest, number>();

  private constructor(conditions: EndpointFilters, seesBody: boolean) {
    this.#conditions = conditions;
    this.#seesBody = seesBody;
  }

  /** Undefined: each wants all. @throws UsageError for a condition that cannot be read */
  static of(endpoints: readonly EndpointFilter[]): RawFilters | undefined {
    const conditions = EndpointFilters.of(
      endpoints.map(({ where = [] }) => ({ where: where.map(inLowerCase) })),
    );
    const seesBody = endpoints.some(({ where = [] }) => where.some((one) => ofBody.test(one)));
    return conditions && new RawFilters(conditions, seesBody);
  }

  /** As of `EndpointFilters`. */
  wantedBy(request: RawRequest): number {
    let wanted = this.#wanted.get(request);
    if (wanted === undefined) {
      wanted = this.#conditions.wantedBy(seen(request, this.#seesBody));
      this.#wanted.set(request, wanted);
    }
    return wanted;
  }

  /** As the end of a sentence. */
  whyNobody(request: RawRequest, endpoints: readonly Pick<Endpoint, 'url'>[]): string {
    return whyNobody(this.#conditions, endpoints, seen(request, this.#seesBody));
  }
}

/** A condition that looks at the body, which is read for no other. */
const ofBody = /^!?body(?:\W|$)/;

/** Names of headers in conditions, as they are seen. */
function inLowerCase(condition: string): string {
  return condition.replace(/^!?header\.[^=!~<>]+/, (name) => name.toLowerCase());
}

/** What the conditions see, as an event: they look at members alone. */
function seen(request: RawRequest, seesBody: boolean): Event {
  const { method, headers } = request.head;
  const path = pathWithoutQuery(request.head.path);
  const header = Object.fromEntries(headerTexts(headers));
  const head = JSON.stringify({ method, path, header });
  const text =
    seesBody && hasJson(request)
      ? Buffer.concat([Buffer.from(`${head.slice(0, -1)},"body":`), request.body, Buffer.from('}')])
      : Buffer.from(head);
  return new TextEvent(text, 'track', builtHere('', text.length));
}

/** Whether the body of a request is JSON; all destinations ask. */
const json = new WeakMap<RawRequest, boolean>();

function hasJson(request: RawRequest): boolean {
  let is = json.get(request);
  if (is === undefined) json.set(request, (is = isJson(request.body)));
  return is;
}

/** A body that nests deeper counts as no JSON. */
const maxLevels = 200;

function isJson(body: Buffer): boolean {
  if (body.length === 0 || !isUtf8(body)) return false;
  const outer = 1;
  const levels = { depth: outer };
  const end = endOfValue(body, skipSpace(body, 0), levels, outer);
  return (
    end !== notJson && skipSpace(body, end) === body.length && levels.depth - outer <= maxLevels
  );
}
