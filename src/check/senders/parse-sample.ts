import { UsageError } from '../../errors.js';
import { headerValues, isHeaderName, isHeaderValue, isHopByHop } from '../../http/header-rules.js';
import { isObject } from '../../json/is-object.js';
import { requestPath } from '../../replay/path.js';
import { recordedRequest, type RecordedRequest } from '../../replay/recorded-request.js';
import { headerNamesOf, presets } from '../../sign/schemes/index.js';
import type { Scheme } from '../../sign/schemes/scheme.js';
import type { Field, Message } from './sender.js';

/** A body of the user, or a captured request. */
export interface SampleText {
  /** Of its check: `accept.<name>`. */
  readonly name: string;
  readonly text: string;
  /** Begins messages: `--body order.json`. */
  readonly where: string;
}

/** A sample as a message. */
export interface Sample extends SampleText {
  readonly message: Message;
}

/** @throws UsageError for a sample that cannot be sent */
export function parsedSample(
  sample: SampleText,
  scheme: Scheme | undefined,
  keepsPath: boolean,
): Sample {
  const text = sample.text.replace(/^\ufeff/, '').trim();
  if (text === '') throw new UsageError(`${sample.where}: the file is empty`, 'bad_body');
  const value = jsonOf(text, sample.where);
  if (value !== undefined && !isCapture(value)) return { ...sample, message: { json: value } };
  if (value === undefined) return { ...sample, message: { form: formOf(text) } };
  return { ...sample, message: messageOf(value, sample, scheme, keepsPath) };
}

/** Undefined if it does not begin like JSON. */
function jsonOf(text: string, where: string): unknown {
  if (!/^[{[]/.test(text)) return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch (cause) {
    const [firstLine = ''] = text.split('\n', 1);
    const hint = canParse(firstLine)
      ? 'it has several lines of JSON; put one into the file'
      : 'correct it, or pass a form or a capture';
    throw new UsageError(`${where}: not JSON; ${hint}`, 'bad_body', { cause });
  }
}

function canParse(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function formOf(text: string): Field[] {
  return [...new URLSearchParams(text)];
}

/** As `listen --record` writes it. */
function isCapture(value: unknown): value is Readonly<Record<string, unknown>> {
  return (
    isObject(value) &&
    value.type === 'request' &&
    typeof value.method === 'string' &&
    typeof value.path === 'string'
  );
}

function messageOf(
  value: Readonly<Record<string, unknown>>,
  { where }: SampleText,
  scheme: Scheme | undefined,
  keepsPath: boolean,
): Message {
  const request = recordedRequest(value);
  if (typeof request === 'string') throw new UsageError(`${where}: ${request}`, 'bad_body');
  if (request.method.toUpperCase() !== 'POST') {
    throw new UsageError(`${where}: not a POST, which is what check sends`, 'bad_body');
  }
  const path = requestPath('POST', request.path);
  if (typeof path !== 'string') throw new UsageError(`${where}: ${path.message}`, 'bad_body');
  const [contentType] = headerValues(request.headers, 'content-type');
  const text = request.body.toString('utf8').trim();
  const json = jsonOf(text, where);
  return {
    ...(json === undefined ? { form: formOf(text) } : { json }),
    contentType,
    headers: headersOf(request, scheme, where),
    ...(keepsPath && { path }),
  };
}

/** Without those that are made anew: of the connection, the body and signatures. */
function headersOf(
  { headers }: RecordedRequest,
  scheme: Scheme | undefined,
  where: string,
): [string, string][] {
  const made = new Set(['host', 'content-length', 'content-type', 'expect']);
  const schemes = scheme ? [...presets.values(), scheme] : [...presets.values()];
  for (const { header, secondHeader = header } of schemes) {
    made.add(header.toLowerCase()).add(secondHeader.toLowerCase());
  }
  for (const name of scheme ? headerNamesOf(scheme) : []) made.add(name);
  const pairs: [string, string][] = [];
  for (let i = 0; i + 1 < headers.length; i += 2) {
    const name = headers[i]!;
    if (!isHeaderName(name) || !isHeaderValue(headers[i + 1]!)) {
      throw new UsageError(`${where}: it has a header that HTTP cannot carry`, 'bad_body');
    }
    if (!made.has(name.toLowerCase()) && !isHopByHop(name, headers))
      pairs.push([name, headers[i + 1]!]);
  }
  return pairs;
}
