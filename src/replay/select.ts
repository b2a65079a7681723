import { parseObject, Refusal, trim } from '../events/parse.js';
import { parseCondition } from '../events/where.js';
import { wildcard } from '../events/wildcard.js';
import { valueAtPath } from '../json/path.js';
import { CaptureItem } from './capture-item.js';
import { shownPath } from './path.js';
import type { RecordedRequest } from './recorded-request.js';

/** Which captures are sent. All conditions must hold; an absent one always does. */
export interface CaptureSelection {
  /** Inclusive, milliseconds since 1970. A capture without `receivedAt` is then left out. */
  readonly since?: number | undefined;
  /** Exclusive, milliseconds since 1970. */
  readonly until?: number | undefined;
  /** In any case. */
  readonly methods?: readonly string[] | undefined;
  /** `*` matches any text, `/` included; without a `?` the query is not looked at. */
  readonly paths?: readonly string[] | undefined;
  /** Statuses of the recorded response: `404`, `5xx`. */
  readonly status?: readonly string[] | undefined;
  /** Conditions on members of the body, as `parseCondition` reads them; a body that is no JSON object has none. */
  readonly where?: readonly string[] | undefined;
}

type Condition = (request: RecordedRequest) => boolean;

/** One test for a whole selection; lines without a request never pass. */
export function captureSelector(selection: CaptureSelection): (item: unknown) => boolean {
  const conditions = conditionsOf(selection);
  return (item) => {
    if (!(item instanceof CaptureItem) || !item.isRequest) return false;
    return conditions.every((condition) => condition(item.request));
  };
}

function conditionsOf({
  since,
  until,
  methods,
  paths,
  status,
  where,
}: CaptureSelection): Condition[] {
  const conditions: Condition[] = [];
  if (since !== undefined || until !== undefined) conditions.push(between(since, until));
  if (methods) conditions.push(withMethod(methods));
  if (paths) conditions.push(withPath(paths));
  if (status) conditions.push(withStatus(status));
  if (where) conditions.push(withMembers(where));
  return conditions;
}

function between(since = -Infinity, until = Infinity): Condition {
  return ({ receivedAt }) => receivedAt !== undefined && receivedAt >= since && receivedAt < until;
}

function withMethod(methods: readonly string[]): Condition {
  const names = new Set(methods.map((method) => method.toUpperCase()));
  return ({ method }) => names.has(method.toUpperCase());
}

function withPath(patterns: readonly string[]): Condition {
  const forms = patterns.map((pattern) => ({
    form: wildcard(pattern),
    hasQuery: pattern.includes('?'),
  }));
  return ({ path }) =>
    forms.some(({ form, hasQuery }) => form.test(hasQuery ? path : shownPath(path)));
}

function withStatus(statuses: readonly string[]): Condition {
  const forms = statuses.map((status) => new RegExp(`^${status.replaceAll('x', '\\d')}$`));
  return ({ response }) =>
    response !== undefined && forms.some((form) => form.test(String(response.status)));
}

function withMembers(texts: readonly string[]): Condition {
  const tests = texts.map((text) => parseCondition(text));
  return ({ body }) => {
    const text = trim(body);
    const hasMembers = !(parseObject(text, false) instanceof Refusal);
    return tests.every((fits) =>
      fits((path) => (hasMembers ? valueAtPath(text, path) : undefined)),
    );
  };
}
