import { binaryOf, bytesOfBinary, utf8Of } from './bytes.js';

/** A part of a multipart body. */
export interface MultipartPart {
  /** Undefined where the part has none. */
  readonly name: string | undefined;
  readonly fileName: string | undefined;
  /** Its `Content-Type`. */
  readonly type: string | undefined;
  readonly bytes: Uint8Array;
  /** Undefined when it is not UTF-8. */
  readonly text: string | undefined;
}

/** The boundary that a `Content-Type` names; undefined when it is not multipart. */
export function boundaryOf(contentType: string): string | undefined {
  if (!/^\s*multipart\//i.test(contentType)) return undefined;
  return parameterOf(contentType, 'boundary');
}

/** The parts of a multipart body, in their order; undefined when it has none with this boundary. */
export function readMultipart(bytes: Uint8Array, boundary: string): MultipartPart[] | undefined {
  const body = binaryOf(bytes);
  const delimiter = `--${boundary}`;
  const parts: MultipartPart[] = [];
  let at = startsAt(body, delimiter, 0);
  while (at !== undefined && !body.startsWith('--', at + delimiter.length)) {
    const start = body.indexOf('\n', at + delimiter.length) + 1;
    const next = start === 0 ? undefined : startsAt(body, delimiter, start);
    if (next === undefined) return undefined;
    parts.push(readPart(body.slice(start, next).replace(/\r?\n$/, '')));
    at = next;
  }
  return parts.length === 0 ? undefined : parts;
}

/** Where the next line begins with the delimiter. */
function startsAt(body: string, delimiter: string, from: number): number | undefined {
  for (let at = body.indexOf(delimiter, from); at >= 0; at = body.indexOf(delimiter, at + 1)) {
    if (at === 0 || body[at - 1] === '\n') return at;
  }
  return undefined;
}

function readPart(part: string): MultipartPart {
  const [, head = '', content = ''] = splitPart(part);
  const headers = utf8Of(bytesOfBinary(head)) ?? head;
  const disposition = headerOf(headers, 'content-disposition') ?? '';
  const bytes = bytesOfBinary(content);
  return {
    name: parameterOf(disposition, 'name'),
    fileName: parameterOf(disposition, 'filename'),
    type: headerOf(headers, 'content-type'),
    bytes,
    text: utf8Of(bytes),
  };
}

/** A part without headers begins with an empty line. */
function splitPart(part: string): readonly string[] {
  const empty = /^\r?\n/.exec(part);
  if (empty) return ['', '', part.slice(empty[0].length)];
  const end = /\r?\n\r?\n/.exec(part);
  return end ? ['', part.slice(0, end.index), part.slice(end.index + end[0].length)] : ['', part];
}

function headerOf(headers: string, name: string): string | undefined {
  const line = headers.split(/\r?\n/).find((text) => text.toLowerCase().startsWith(`${name}:`));
  return line?.slice(name.length + 1).trim();
}

/** A parameter of a header, with or without quotes. */
function parameterOf(value: string, name: string): string | undefined {
  const found = new RegExp(`;\\s*${name}=(?:"((?:[^"\\\\]|\\\\.)*)"|([^;\\s]*))`, 'i').exec(value);
  return found?.[1]?.replace(/\\(.)/g, '$1') ?? found?.[2];
}
