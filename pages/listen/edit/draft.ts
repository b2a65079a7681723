import type { EditedRequest, RequestDetail } from '../../../src/api/listen.js';
import { isHopByHop } from '../../../src/http/header-rules.js';
import { binaryOf, bytesOfText } from '../../shared/body/bytes.js';
import { jsonProblem, readBody } from '../../shared/body/read-body.js';

/**
 * How a body is edited. A text field has newlines (LF) alone, so a text with CRLF gets them back when it
 * is sent; bytes that a text field cannot hold are edited as base64.
 */
export type BodyForm = 'text' | 'crlf' | 'base64';

/** A request as it is edited. */
export interface Draft {
  /** `Name: value`, one per line. */
  readonly headers: string;
  readonly body: string;
  readonly form: BodyForm;
}

/** The draft of a request, without the headers that belong to its connection. */
export function draftOf(detail: RequestDetail): Draft {
  const { headers, body, bodyBase64 } = detail;
  const flat = headers.flat();
  // An inflated body is sent as it is shown.
  const isInflated = body !== null && bodyBase64 !== null;
  const kept = headers.filter(
    ([name]) =>
      !isHopByHop(name, flat) && !(isInflated && name.toLowerCase() === 'content-encoding'),
  );
  const text = kept.map(([name, value]) => `${name}: ${value}`).join('\n');
  return { headers: text, ...bodyDraft(body, bodyBase64) };
}

function bodyDraft(body: string | null, bodyBase64: string | null): Omit<Draft, 'headers'> {
  if (body === null) return { body: bodyBase64 ?? '', form: 'base64' };
  if (!body.includes('\r')) return { body, form: 'text' };
  const lines = body.replaceAll('\r\n', '\n');
  const isCrlf = !lines.includes('\r') && lines.replaceAll('\n', '\r\n') === body;
  if (isCrlf) return { body: lines, form: 'crlf' };
  return { body: btoa(binaryOf(bytesOfText(body))), form: 'base64' };
}

/**
 * What is sent.
 *
 * @throws Error for people, for a line that is no header and for a body that is no base64
 */
export function editedOf({ headers, body, form }: Draft): EditedRequest {
  const pairs = headers
    .split('\n')
    .map((line, index) => [line.trim(), index + 1] as const)
    .filter(([line]) => line !== '')
    .map(([line, number]) => headerOf(line, number));
  if (form === 'base64') return { headers: pairs, bodyBase64: base64Of(body) };
  return { headers: pairs, body: form === 'crlf' ? body.replaceAll('\n', '\r\n') : body };
}

/** Where the body is not JSON, though it should be; undefined where nothing is wrong. */
export function problemOf({ headers, body, form }: Draft): string | undefined {
  const type = /^content-type\s*:(.*)$/im.exec(headers)?.[1];
  return form === 'base64' ? undefined : jsonProblem(body, type);
}

/** Whether the body can be formatted as JSON. */
export function isJson({ body, form }: Draft): boolean {
  return form !== 'base64' && readBody({ body, bodyBase64: null }).shape.kind === 'json';
}

function headerOf(line: string, number: number): readonly [string, string] {
  const colon = line.indexOf(':');
  if (colon > 0) return [line.slice(0, colon).trim(), line.slice(colon + 1).trim()];
  throw new Error(`Headers, line ${number}: write a header as Name: value`);
}

function base64Of(text: string): string {
  const base64 = text.replaceAll(/\s/g, '');
  try {
    atob(base64);
    return base64;
  } catch {
    throw new Error('Body: this is not valid base64');
  }
}
