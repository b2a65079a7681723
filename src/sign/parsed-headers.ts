import { headerValues } from '../http/header-rules.js';
import type { HeaderNames, Scheme } from './schemes/scheme.js';
import { valueParser, type SignatureValue } from './signature-value.js';
import { readTimestamp } from './timestamp.js';
import { fault, type ValueFault, type VerifyFault } from './verify-reason.js';

/** What the headers of a request say, as far as it can be read. */
export interface ParsedHeaders {
  /** Of each header of a signature. */
  readonly values: readonly (SignatureValue | ValueFault)[];
  readonly id?: string;
  /** As written: in its own header, in the value, or in both. */
  readonly times: readonly string[];
  /** Absent unless there is exactly one time, which can be read. */
  readonly timestampMs?: number;
}

/** Parses the headers of one scheme; a fault if one is missing or repeated. */
export function headerParser(
  scheme: Scheme,
): (headers: readonly string[]) => ParsedHeaders | VerifyFault {
  const parseValue = valueParser(scheme);
  const families = familiesOf(scheme);
  return (headers) => {
    const names = presentFamily(families, headers);
    const received: Received = {
      signature: fieldOf(headers, names.signature),
      second: fieldOf(headers, scheme.secondHeader),
      timestamp: fieldOf(headers, names.timestamp),
      id: fieldOf(headers, names.id),
    };
    const problem = problemOf(scheme, received);
    if (problem) return problem;
    const values: ParsedHeaders['values'][number][] = [];
    for (const { name, value } of [received.signature, received.second]) {
      if (name !== undefined && value !== undefined) values.push(parseValue(name, value));
    }
    const id = received.id.value;
    return {
      values,
      ...(id !== undefined && { id }),
      ...parsedTimes(scheme, received.timestamp.value, values),
    };
  };
}

/** A header of a scheme; `name` is undefined where the scheme has none. */
interface Field {
  readonly name: string | undefined;
  /** The first value. */
  readonly value: string | undefined;
  readonly isRepeated: boolean;
}

type Received = Readonly<Record<'signature' | 'second' | 'timestamp' | 'id', Field>>;

const noField: Field = { name: undefined, value: undefined, isRepeated: false };

function fieldOf(headers: readonly string[], name: string | undefined): Field {
  if (name === undefined) return noField;
  const values = valuesOf(headers, name);
  return { name, value: values[0], isRepeated: values.length > 1 };
}

function problemOf(
  { header }: Scheme,
  { signature, second, timestamp, id }: Received,
): VerifyFault | undefined {
  const repeated = [signature, second, timestamp, id].find(({ isRepeated }) => isRepeated);
  if (repeated) {
    return fault('repeated', `the request has more than one ${repeated.name!} header; send one`);
  }
  if (signature.value === undefined && second.value === undefined) {
    return fault('missing', `the request has no ${header} header; make the sender sign it`);
  }
  if (id.name !== undefined && !id.value) {
    return fault('no_id', `the request has no ${id.name} header; make the sender set it`);
  }
  if (timestamp.name !== undefined && !timestamp.value) {
    const hint = `the request has no ${timestamp.name} header; make the sender set it`;
    return fault('no_timestamp', hint);
  }
  // HTTP libraries join headers of one name so; neither an id nor a time has a comma.
  const joined = [id, timestamp].find(({ value }) => value?.includes(', '));
  if (!joined) return undefined;
  return fault('repeated', `the ${joined.name!} header was sent more than once; send one`);
}

function parsedTimes(
  { timestamp: form }: Scheme,
  ofHeader: string | undefined,
  values: ParsedHeaders['values'],
): Pick<ParsedHeaders, 'times' | 'timestampMs'> {
  if (!form) return { times: [] };
  const all = [ofHeader, ...values.map((value) => 'timestamp' in value && value.timestamp)];
  const times = [...new Set(all.filter((time) => typeof time === 'string'))];
  const timestampMs = times.length === 1 ? readTimestamp(times[0]!, form.format) : undefined;
  return { times, ...(timestampMs !== undefined && { timestampMs }) };
}

/** What is wrong with the times as texts. */
export function faultOfTimes(
  { timestamp, value, header }: Scheme,
  { times, timestampMs, values }: ParsedHeaders,
): VerifyFault | undefined {
  if (!timestamp) return undefined;
  const isInValue = value.includes('{timestamp}');
  if (isInValue && values.some((one) => !('timestamp' in one) && 'signatures' in one)) {
    return fault('no_timestamp', `the ${header} header has no time; make the sender set it`);
  }
  if (times.length > 1) {
    return fault('bad_timestamp', `the request has two times that differ; make the sender set one`);
  }
  if (timestampMs !== undefined) return undefined;
  return fault('bad_timestamp', `the time of the request is not ${written[timestamp.format]}`);
}

const written = {
  seconds: 'a number of seconds since 1970; write it in whole digits',
  ms: 'a number of milliseconds since 1970; write it in whole digits',
  iso: 'a time with its zone; write it like 2026-09-01T12:00:00Z',
};

/** Finds the name of the header of the signature that is there. */
export function presentHeader(scheme: Scheme): (headers: readonly string[]) => string | undefined {
  const names = familiesOf(scheme).map(({ signature }) => signature);
  if (scheme.secondHeader !== undefined) names.push(scheme.secondHeader);
  const lower = names.map((name) => name.toLowerCase());
  return (headers) => names.find((_, i) => hasHeader(headers, lower[i]!));
}

function hasHeader(headers: readonly string[], lowerName: string): boolean {
  for (let i = 0; i < headers.length; i += 2) {
    const name = headers[i]!;
    if (name.length === lowerName.length && name.toLowerCase() === lowerName) return true;
  }
  return false;
}

/** The names under which the signature of a request came; those of the scheme itself if it has none. */
export function receivedNames(scheme: Scheme, headers: readonly string[]): HeaderNames {
  return presentFamily(familiesOf(scheme), headers);
}

function presentFamily(families: readonly HeaderNames[], headers: readonly string[]): HeaderNames {
  if (families.length === 1) return families[0]!;
  const isPresent = ({ signature }: HeaderNames) => hasHeader(headers, signature.toLowerCase());
  return families.find(isPresent) ?? families[0]!;
}

/** The names of the headers as they are sent, and those under which they are accepted. */
function familiesOf({ header, timestamp, id, aliases = [] }: Scheme): HeaderNames[] {
  const own: HeaderNames = {
    signature: header,
    ...(timestamp?.header !== undefined && { timestamp: timestamp.header }),
    ...(id && { id: id.header }),
  };
  return [own, ...aliases];
}

/** All values of a header, whatever the case of its name. */
export function valuesOf(headers: readonly string[], name: string): string[] {
  return headerValues(headers, name.toLowerCase());
}
