/** Whether HTTP/1.1 can carry this header name. */
export function isHeaderName(text: string): boolean {
  return /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/.test(text);
}

/** Whether HTTP/1.1 can carry this header value: tab, space, visible ASCII and Latin-1. */
export function isHeaderValue(text: string): boolean {
  return /^[\t\x20-\x7e\x80-\xff]*$/.test(text);
}

/** Headers that describe one connection or one message, which each sender sets itself. */
export const connectionHeaders: readonly string[] = [
  'connection',
  'content-length',
  'expect',
  'http2-settings',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
];

const neverForwarded = new Set([...connectionHeaders, 'host']);

/**
 * Whether a header must not be forwarded; the request's Connection header can name additional ones.
 * `headers` are name, value, name, value, …
 */
export function isHopByHop(name: string, headers: readonly string[]): boolean {
  const lower = name.toLowerCase();
  if (neverForwarded.has(lower)) return true;
  return headerValues(headers, 'connection').some((value) =>
    value
      .toLowerCase()
      .split(/[\s,]+/)
      .includes(lower),
  );
}

/** All values of a header, whatever the case of its name. */
export function headerValues(headers: readonly string[], name: string): string[] {
  const values: string[] = [];
  for (let i = 0; i < headers.length; i += 2) {
    const found = headers[i]!;
    if (found.length === name.length && found.toLowerCase() === name) values.push(headers[i + 1]!);
  }
  return values;
}

/** The Content-Type of a request; several are one text, joined as HTTP joins them. Undefined without one. */
export function contentTypeOf(headers: readonly string[]): string | undefined {
  return headerValues(headers, 'content-type').join(', ') || undefined;
}

/** The values of each header by its name in lower case; several are one text, joined as HTTP joins them. */
export function headerTexts(headers: readonly string[]): Map<string, string> {
  const texts = new Map<string, string>();
  for (let i = 0; i + 1 < headers.length; i += 2) {
    const name = headers[i]!.toLowerCase();
    const before = texts.get(name);
    texts.set(name, before === undefined ? headers[i + 1]! : `${before}, ${headers[i + 1]!}`);
  }
  return texts;
}

/** Methods whose requests have a Content-Length only if they have a body. */
export const bodilessMethods = new Set(['GET', 'HEAD', 'DELETE', 'OPTIONS', 'TRACE']);
