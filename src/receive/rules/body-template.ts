import { scanElements } from '../../json/elements.js';
import { scanMembers } from '../../json/members.js';
import { inflated } from '../inflate.js';
import type { IncomingRequest } from '../incoming-request.js';

/** The parts of a request that a body can repeat. */
type Source = Pick<IncomingRequest, 'path' | 'headers' | 'body'>;

/** Fills a body in with what one request holds. */
export type BodyTemplate = (request: Source) => Buffer;

/**
 * A body in which `{body.a.b}` stands for a member of a JSON body, `{query.name}` for a parameter of the
 * query and `{header.name}` for a header. What is absent is empty. All other text stays, braces too; what
 * was filled in is not searched again.
 */
export function bodyTemplate(text: string): BodyTemplate {
  if (!placeholder.test(text)) {
    const fixed = Buffer.from(text);
    return () => fixed;
  }
  return (request) => {
    const readers = readersOf(request);
    const fill = (_all: string, kind: keyof Readers, name: string): string => readers[kind](name);
    return Buffer.from(text.replace(new RegExp(placeholder, 'g'), fill));
  };
}

const placeholder = /\{(body|query|header)\.([^{}]+)\}/;

type Readers = Readonly<Record<'body' | 'query' | 'header', (name: string) => string>>;

function readersOf({ path, headers, body }: Source): Readers {
  let json: Buffer | undefined;
  return {
    body: (name) => memberText((json ??= jsonOf(body)), name.split('.')),
    query: (name) => queryOf(path).get(name) ?? '',
    header: (name) => headerText(headers, name),
  };
}

/** The text of a JSON body without space around it; empty for a body that is not JSON. */
function jsonOf(body: Buffer): Buffer {
  const text = inflated(body)?.toString('utf8').trim() ?? '';
  try {
    JSON.parse(text);
    return Buffer.from(text);
  } catch {
    return Buffer.alloc(0);
  }
}

/** A text without its quotes; anything else as it is written in the body, with all digits. */
function memberText(json: Buffer, names: readonly string[]): string {
  let value: Buffer | undefined = json;
  for (const name of names) value = value && member(value, name);
  const text = value?.toString('utf8') ?? '';
  return text.startsWith('"') ? (JSON.parse(text) as string) : text;
}

/** Of a JSON value, the member of this name, or the element of this number. The last of several counts. */
function member(value: Buffer, name: string): Buffer | undefined {
  const found =
    value[0] === openBracket
      ? elementAt(value, name)
      : scanMembers(value).members.findLast((one) => one.name === name);
  return found && value.subarray(found.start, found.end);
}

const openBracket = 0x5b;

function elementAt(array: Buffer, name: string) {
  return /^\d{1,9}$/.test(name) ? scanElements(array, 0)[Number(name)] : undefined;
}

function queryOf(path: string): URLSearchParams {
  const mark = path.indexOf('?');
  return new URLSearchParams(mark < 0 ? '' : path.slice(mark + 1));
}

function headerText(headers: readonly string[], name: string): string {
  const values: string[] = [];
  for (let i = 0; i < headers.length; i += 2) {
    if (headers[i]!.toLowerCase() === name.toLowerCase()) values.push(headers[i + 1]!);
  }
  return values.join(', ');
}
