/** The header Content-Range of a response. */
export interface ContentRange {
  /** The bytes that follow, both included; undefined after 416. */
  readonly bytes: { readonly first: number; readonly last: number } | undefined;
  /** Of the whole; undefined where the server does not know. */
  readonly total: number | undefined;
}

/** RFC 9110 section 14.4; undefined if it is not of bytes, contradicts itself, or is beyond exact numbers. */
export function parseContentRange(header: string | undefined): ContentRange | undefined {
  const match = /^bytes (?:(\d{1,15})-(\d{1,15})|\*)\/(\d{1,15}|\*)$/i.exec(header?.trim() ?? '');
  if (!match) return undefined;
  const [, first, last, whole] = match;
  const total = whole === '*' ? undefined : Number(whole);
  if (first === undefined) return { bytes: undefined, total };
  const bytes = { first: Number(first), last: Number(last) };
  const isPossible = bytes.first <= bytes.last && bytes.last < (total ?? Infinity);
  return isPossible ? { bytes, total } : undefined;
}
