/** What a term can ask for; `text` is found anywhere in a request. */
export const fields = [
  'type',
  'name',
  'user',
  'path',
  'method',
  'status',
  'signature',
  'scheme',
  'reason',
  'duplicate',
  'forwarded',
  'fault',
] as const;

export type Field = (typeof fields)[number];

/** One condition of a query, as in `-path:/health`. */
export interface Term {
  readonly field: Field | 'text';
  readonly value: string;
  readonly isNegated?: boolean;
  /** `path:=/hook`: the whole value, not a part of it. */
  readonly isExact?: boolean;
  /** In quotes, commas and spaces belong to the value. */
  readonly isQuoted?: boolean;
}

const term = new RegExp(
  String.raw`(-?)(?:(${fields.join('|')}):(=?))?(?:"((?:[^"\\]|\\.)*)"(?=\s|$)|(\S+))`,
  'gi',
);

const unfinished = new RegExp(`^(?:-|-?(?:${fields.join('|')}):=?)$`, 'i');

/**
 * The terms of a query: words, texts in quotes, and `field:value`, each with `-` before it to exclude
 * what it matches. A row must match all of them. What is no term of a known field is a word.
 */
export function parseQuery(query: string): Term[] {
  return [...query.matchAll(term)]
    .filter(([text]) => !unfinished.test(text))
    .map(([, minus, field, exact, quoted, plain]) => ({
      field: (field?.toLowerCase() ?? 'text') as Term['field'],
      value: quoted?.replace(/\\(.)/g, '$1') ?? plain ?? '',
      isNegated: minus === '-',
      isExact: exact === '=',
      isQuoted: quoted !== undefined,
    }))
    .filter(({ value }) => value !== '');
}

/** A term as it is written in a query. */
export function termText({ field, value, isNegated, isExact, isQuoted }: Term): string {
  const name = field === 'text' ? '' : `${field}:${isExact ? '=' : ''}`;
  const needsQuotes = isQuoted ?? /[\s",\\]|^=/.test(value);
  const quoted = needsQuotes ? `"${value.replace(/["\\]/g, String.raw`\$&`)}"` : value;
  return (isNegated ? '-' : '') + name + quoted;
}

/** A query with other terms for one field. */
export function withField(query: string, field: Term['field'], terms: readonly Term[]): string {
  const others = parseQuery(query).filter((other) => other.field !== field);
  return [...others, ...terms].map(termText).join(' ');
}

/** The same without one of its terms. */
export function withoutTerm(query: string, removed: Term): string {
  const text = termText(removed);
  return parseQuery(query)
    .map(termText)
    .filter((other) => other !== text)
    .join(' ');
}
