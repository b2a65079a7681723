import { isUtf8 } from 'node:buffer';

/** The body of a capture: as text, or as Base64 where it is not UTF-8. */
export type CapturedBody = { readonly body: string } | { readonly bodyBase64: string };

/** The headers of a capture: names in lower case; a repeated header has a list of values. */
export type CapturedHeaders = Record<string, string | string[]>;

export function capturedBody(body: Buffer): CapturedBody {
  return isUtf8(body) ? { body: body.toString('utf8') } : { bodyBase64: body.toString('base64') };
}

/** @param headers name, value, name, value, … */
export function capturedHeaders(headers: readonly string[]): CapturedHeaders {
  // A header may be called `__proto__`.
  const found = Object.create(null) as CapturedHeaders;
  for (let i = 0; i < headers.length; i += 2) {
    const name = headers[i]!.toLowerCase();
    const value = headers[i + 1]!;
    const before = found[name];
    if (before === undefined) found[name] = value;
    else if (typeof before === 'string') found[name] = [before, value];
    else before.push(value);
  }
  return found;
}
