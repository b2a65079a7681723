import { type JsonSpan, JsonTextError, readJsonSpans } from '../../../src/json/spans.js';
import { bytesOfBase64, bytesOfText, hasBinaryControls } from './bytes.js';
import { boundaryOf, type MultipartPart, readMultipart } from './multipart.js';

/** A body as received. */
export interface BodyText {
  /** Null when it is not UTF-8; inflated when it was gzip. */
  readonly body: string | null;
  /** The bytes, when they are not UTF-8. */
  readonly bodyBase64: string | null;
  /** The value of the header. */
  readonly contentType?: string | undefined;
}

/** What a body is, beside its bytes. */
export type Shape =
  | { readonly kind: 'json'; readonly root: JsonSpan }
  | { readonly kind: 'form'; readonly fields: readonly FormField[] }
  | { readonly kind: 'multipart'; readonly parts: readonly MultipartPart[] }
  | { readonly kind: 'binary'; readonly bytes: Uint8Array }
  /** Bytes that are UTF-8, but no text for people. */
  | { readonly kind: 'controls'; readonly bytes: Uint8Array }
  | { readonly kind: 'text' };

export interface ReadBody {
  /** What is copied and shown raw: the text, or base64 where there is none. */
  readonly text: string;
  readonly shape: Shape;
  /** A note about the body. */
  readonly note: string | undefined;
}

/** Finds out how a body can be shown: by its Content-Type, and by what it holds. */
export function readBody({ body, bodyBase64, contentType = '' }: BodyText): ReadBody {
  const type = contentType.toLowerCase();
  const boundary = boundaryOf(contentType);
  const bytes = (): Uint8Array =>
    body === null ? bytesOfBase64(bodyBase64 ?? '') : bytesOfText(body);
  const parts = boundary === undefined ? undefined : readMultipart(bytes(), boundary);
  const text = body ?? bodyBase64 ?? '';
  if (parts) return { text, shape: { kind: 'multipart', parts }, note: 'multipart' };
  if (body === null) {
    return { text, shape: { kind: 'binary', bytes: bytes() }, note: 'binary: not UTF-8 text' };
  }
  const read = readText(body, type);
  return bodyBase64 === null ? read : { ...read, note: 'inflated from gzip' };
}

function readText(text: string, type: string): ReadBody {
  if (text === '') return plain(text, 'empty');
  const json = readJson(text);
  // curl -d announces a form, whatever it sends.
  if (json.root) return { text, shape: { kind: 'json', root: json.root }, note: undefined };
  if (type.startsWith('application/x-www-form-urlencoded')) {
    return { text, shape: { kind: 'form', fields: readForm(text) }, note: 'form' };
  }
  if (/[/+]xml\b/.test(type) || /^\s*<\?xml\b/.test(text)) return plain(text, 'XML');
  if (mayBeJson(text, type)) return plain(text, json.problem);
  if (type.startsWith('text/') || !hasBinaryControls(text)) return plain(text, 'text');
  return { text, shape: { kind: 'controls', bytes: bytesOfText(text) }, note: 'binary' };
}

/** Why a text that should be JSON is none; undefined when it is, is empty, or need not be. */
export function jsonProblem(text: string, contentType = ''): string | undefined {
  return text !== '' && mayBeJson(text, contentType.toLowerCase())
    ? readJson(text).problem
    : undefined;
}

function plain(text: string, note: string | undefined): ReadBody {
  return { text, shape: { kind: 'text' }, note };
}

function mayBeJson(text: string, type: string): boolean {
  return /[/+]json\b/.test(type) || /^\s*[[{]/.test(text);
}

function readJson(text: string): { readonly root?: JsonSpan; readonly problem?: string } {
  try {
    return { root: readJsonSpans(text) };
  } catch (error) {
    if (!(error instanceof JsonTextError)) throw error;
    return { problem: `not JSON: ${placeOf(text, error.offset)}` };
  }
}

function placeOf(text: string, offset: number): string {
  if (offset >= text.length) return 'it ends too early';
  const lines = text.slice(0, offset).split('\n');
  return `line ${lines.length}, column ${lines.at(-1)!.length + 1}`;
}

/** A field of a form, decoded. */
export interface FormField {
  readonly name: string;
  readonly value: string;
}

/** The fields of an `application/x-www-form-urlencoded` body, in their order, duplicates included. */
function readForm(text: string): FormField[] {
  return text
    .split('&')
    .filter((pair) => pair !== '')
    .map((pair) => {
      const equals = pair.indexOf('=');
      if (equals < 0) return { name: decoded(pair), value: '' };
      return { name: decoded(pair.slice(0, equals)), value: decoded(pair.slice(equals + 1)) };
    });
}

/** As received where its escapes are not UTF-8. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}
