import { headerValues } from '../http/header-rules.js';
import type { HeaderNames, Scheme } from './schemes/scheme.js';
import { fault, type VerifyFault } from './verify-reason.js';

/** The headers of a scheme, as they came. */
export interface ReceivedHeaders {
  /** Name and value of the header of the signature, and of the second one, if it is there. */
  readonly signatures: readonly (readonly [name: string, value: string])[];
  readonly timestamp?: string;
  readonly id?: string;
}

/** The name of the header of the signature that is there. */
export function presentHeader(scheme: Scheme, headers: readonly string[]): string | undefined {
  const names = families(scheme).map(({ signature }) => signature);
  if (scheme.secondHeader !== undefined) names.push(scheme.secondHeader);
  return names.find((name) => valuesOf(headers, name).length > 0);
}

/** The names under which the signature of a request came; those of the scheme itself if it has none. */
export function receivedNames(scheme: Scheme, headers: readonly string[]): HeaderNames {
  const all = families(scheme);
  return all.find(({ signature }) => valuesOf(headers, signature).length > 0) ?? all[0]!;
}

/** The headers of a scheme under the first of its names that is there; a fault if one is missing or repeated. */
export function receivedHeaders(
  scheme: Scheme,
  headers: readonly string[],
): ReceivedHeaders | VerifyFault {
  const names = receivedNames(scheme, headers);
  const second = scheme.secondHeader === undefined ? [] : [scheme.secondHeader];
  const all = [names.signature, ...second, names.timestamp, names.id];
  const repeated = all.find((name) => name !== undefined && valuesOf(headers, name).length > 1);
  if (repeated !== undefined) {
    return fault('repeated', `the request has more than one ${repeated} header; send one`);
  }
  const signatures = [names.signature, ...second].flatMap((name) =>
    valuesOf(headers, name).map((value) => [name, value] as const),
  );
  if (signatures.length === 0) {
    return fault('missing', `the request has no ${scheme.header} header; make the sender sign it`);
  }
  return companions(names, headers, signatures);
}

function companions(
  { id: idName, timestamp: timeName }: HeaderNames,
  headers: readonly string[],
  signatures: ReceivedHeaders['signatures'],
): ReceivedHeaders | VerifyFault {
  const id = idName === undefined ? undefined : valuesOf(headers, idName)[0];
  const timestamp = timeName === undefined ? undefined : valuesOf(headers, timeName)[0];
  if (idName !== undefined && !id) {
    return fault('no_id', `the request has no ${idName} header; make the sender set it`);
  }
  if (timeName !== undefined && !timestamp) {
    return fault('no_timestamp', `the request has no ${timeName} header; make the sender set it`);
  }
  // HTTP libraries join headers of one name so; neither an id nor a time has a comma.
  const joined = [idName, timeName].find(
    (name) => name && valuesOf(headers, name)[0]!.includes(', '),
  );
  if (joined !== undefined) {
    return fault('repeated', `the ${joined} header was sent more than once; send one`);
  }
  return {
    signatures,
    ...(id !== undefined && { id }),
    ...(timestamp !== undefined && { timestamp }),
  };
}

/** The names of the headers as they are sent, and those under which they are accepted. */
function families({ header, timestamp, id, aliases = [] }: Scheme): HeaderNames[] {
  const own: HeaderNames = {
    signature: header,
    ...(timestamp?.header !== undefined && { timestamp: timestamp.header }),
    ...(id && { id: id.header }),
  };
  return [own, ...aliases];
}

/** All values of a header, whatever the case of its name. */
export function valuesOf(headers: readonly string[], name: string): string[] {
  return headerValues(headers, name.toLowerCase()).filter((value) => typeof value === 'string');
}
