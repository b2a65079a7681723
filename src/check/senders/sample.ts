import { UsageError } from '../../errors.js';
import { isObject } from '../../json/is-object.js';
import type { Scheme } from '../../sign/schemes/scheme.js';
import {
  withAt,
  type FieldLocation,
  withField,
  type EventKind,
  type EventMarks,
  type Message,
  type Sender,
} from './sender.js';
import { numberOf, uuidOf } from './ids.js';
import { senderOf } from './index.js';
import { parsedSample, type Sample, type SampleText } from './parse-sample.js';

export interface SampleOptions {
  readonly scheme: Scheme | undefined;
  /** Where the id of each event stands. Default: where the sender of the scheme has it, if the first sample has it there. */
  readonly id?: FieldLocation | undefined;
  /** Whether a capture is sent to its own path. */
  readonly keepsPath: boolean;
}

/**
 * A sender of the user's own samples.
 * @throws UsageError for a sample that is neither JSON, a form nor a capture, and for an id that is not there
 */
export function sampleSender(
  samples: readonly [SampleText, ...SampleText[]],
  { scheme, id, keepsPath }: SampleOptions,
): Sender {
  const [first, ...others] = samples.map((sample) => parsedSample(sample, scheme, keepsPath)) as [
    Sample,
    ...Sample[],
  ];
  const location = id ?? usualLocation(first, scheme);
  if (location) checkLocation(first, location);
  const kinds = uniqueNames([first, ...others]).map((sample) => kindOf(sample, location, scheme));
  const { json } = first.message;
  const root = Array.isArray(json) ? ['0'] : [];
  const event: unknown = Array.isArray(json) ? json[0] : json;
  return {
    kinds,
    usual: kinds[0]!,
    id: location,
    kind: kindLocation(first.message, event),
    root,
    free: isObject(event) || first.message.form ? [...root, 'evfwdCheck'] : undefined,
    hasForms: first.message.form !== undefined,
    secrets: [first, ...others].flatMap(({ message }) => secretsOf(message)),
    isSample: true,
    isBatch: false,
  };
}

/** Of these headers, values are shown. */
const publicHeader =
  /^(accept|accept-.*|user-agent|content-.*|date|via|x-.*-(event|topic|delivery|id))$/i;

function secretsOf({ headers = [], path = '' }: Message): string[] {
  const values = headers.filter(([name]) => !publicHeader.test(name)).map(([, value]) => value);
  const [, query = ''] = path.split('?');
  return [
    ...values,
    ...new URLSearchParams(query).values(),
    ...query.split('&').map((pair) => pair.replace(/^[^=]*=/, '')),
  ];
}

/** Where the sender of the scheme has its ids, if the sample has one there. */
function usualLocation({ message }: Sample, scheme: Scheme | undefined): FieldLocation | undefined {
  const { id } = senderOf(scheme);
  if (!id || 'header' in id) return id;
  return valueAt(message, id.path) === undefined ? undefined : id;
}

function checkLocation({ message, where }: Sample, location: FieldLocation): void {
  if ('header' in location || valueAt(message, location.path) !== undefined) return;
  throw new UsageError(
    `--id-path ${location.path.join('.')}: ${where} has no such text or number; correct the path`,
    'bad_id_path',
  );
}

/** Undefined unless it is a text or a number. */
function valueAt({ json, form }: Message, path: readonly string[]): string | number | undefined {
  let value: unknown = form ? Object.fromEntries(form) : json;
  for (const name of path) {
    const isThere = typeof value === 'object' && value !== null && Object.hasOwn(value, name);
    value = isThere ? (value as Readonly<Record<string, unknown>>)[name] : undefined;
  }
  return typeof value === 'string' || typeof value === 'number' ? value : undefined;
}

/** Names of files may be equal, and have characters that ids do not; one is the name of another check. */
function uniqueNames(samples: readonly Sample[]): Sample[] {
  const taken = new Set(['no-redirect']);
  return samples.map((sample) => {
    const name = sample.name.replace(/[^\w.-]+/g, '-') || 'body';
    let own = name;
    for (let count = 2; taken.has(own); count++) own = `${name}-${count}`;
    taken.add(own);
    return { ...sample, name: own };
  });
}

function kindOf(
  { name, message, where }: Sample,
  location: FieldLocation | undefined,
  scheme: Scheme | undefined,
): EventKind {
  const what = `the sample ${where.replace(/^--body /, '')}`;
  return {
    name,
    what,
    make: (marks) => withMark(location ? withId(message, location, marks, scheme) : message),
  };
}

/** A sample has no place for another mark. */
function withMark(message: Message): Message {
  const { headers = [] } = message;
  return { ...message, headers: [...headers, ['X-Evfwd-Check', '1']] };
}

function withId(
  message: Message,
  location: FieldLocation,
  { id }: EventMarks,
  scheme: Scheme | undefined,
): Message {
  if ('header' in location) return withIdHeader(message, location.header, id, scheme);
  const old = valueAt(message, location.path);
  if (old === undefined) return message;
  const next = idLike(old, id);
  const { json, form } = message;
  if (form) return { ...message, form: withField(form, location.path[0]!, String(next)) };
  return { ...message, json: withAt(json, location.path, next) };
}

function withIdHeader(
  message: Message,
  header: string,
  id: string,
  scheme: Scheme | undefined,
): Message {
  const name = header.toLowerCase();
  // Where the signature covers the id, its header comes with the signature.
  if (scheme?.id?.header.toLowerCase() === name) return message;
  const { headers = [] } = message;
  const old = headers.find(([own]) => own.toLowerCase() === name)?.[1];
  const others = headers.filter(([own]) => own.toLowerCase() !== name);
  return { ...message, headers: [...others, [header, String(idLike(old ?? '', id))]] };
}

/** An id in the form of another one. */
function idLike(old: string | number, id: string): string | number {
  if (typeof old === 'number') return numberOf(id);
  if (/^[\da-f]{8}-([\da-f]{4}-){3}[\da-f]{12}$/i.test(old)) return uuidOf(id);
  return /^\d{4,}$/.test(old) ? String(numberOf(id)) : id;
}

/** What tells the kind of an event: a header like `X-…-Event` or `-Topic`, else one of the usual members. */
function kindLocation({ headers = [] }: Message, event: unknown): FieldLocation | undefined {
  const header = headers.find(([name]) => /^x-.*-(event|topic)$/i.test(name))?.[0];
  if (header !== undefined) return { header };
  const members = isObject(event) ? event : {};
  const name = ['type', 'event', 'kind', 'action'].find((one) => typeof members[one] === 'string');
  return name === undefined ? undefined : { path: [name] };
}
