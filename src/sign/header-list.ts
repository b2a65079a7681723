import { UsageError } from '../errors.js';

/** Headers as frameworks have them: a plain object, a `Headers`, or pairs of names and values. */
export type ReceivedHeaderFields =
  | Readonly<Record<string, string | readonly string[] | undefined>>
  | Iterable<readonly [string, string]>;

/**
 * Name, value, name, value, …; a list of values is as many headers.
 * @throws UsageError for what has no headers in it
 * @internal
 */
export function headerList(headers: ReceivedHeaderFields): string[] {
  if (!isObject(headers)) throw notHeaders();
  const pairs = isIterable(headers) ? [...headers] : Object.entries(headers);
  return pairs.flatMap((pair: unknown) => {
    if (!Array.isArray(pair)) throw notHeaders();
    const [name, value] = pair as [unknown, unknown];
    const values: unknown[] = Array.isArray(value) ? value : [value];
    return values.flatMap((one) =>
      typeof name === 'string' && typeof one === 'string' ? [name, one] : [],
    );
  });
}

/** JavaScript callers may pass anything. */
function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}

function isIterable(headers: object): headers is Iterable<readonly [string, string]> {
  return Symbol.iterator in headers;
}

function notHeaders(): UsageError {
  return new UsageError(
    'headers must be an object, a Headers, or pairs of names and values; pass those of the request',
    'bad_headers',
  );
}
