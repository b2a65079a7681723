import { headerValues } from '../../http/header-rules.js';
import { receivedNames } from '../parsed-headers.js';
import type { Scheme, SignatureVersion } from '../schemes/scheme.js';

/** What the headers of a scheme say, whether or not they are in its form. */
export interface LenientHeaders {
  /** The parts of the value that may be signatures, each with its prefix. */
  readonly signatures: readonly string[];
  /** As written. */
  readonly timestamp?: string;
  readonly id?: string;
}

/** Reads the headers of a scheme as far as they can be read. */
export function lenientHeaders(
  scheme: Scheme,
  version: SignatureVersion,
  headers: readonly string[],
): LenientHeaders {
  const names = receivedNames(scheme, headers);
  const value = first(headers, names.signature) ?? '';
  const second = scheme.secondHeader && first(headers, scheme.secondHeader);
  const parts = partsOf(value, scheme);
  const timestamp = first(headers, names.timestamp) ?? timeIn(parts, scheme);
  const id = first(headers, names.id);
  return {
    signatures: [...signaturesIn(parts, scheme, version), ...(second ? [second] : [])],
    ...(timestamp !== undefined && { timestamp }),
    ...(id !== undefined && { id }),
  };
}

function first(headers: readonly string[], name: string | undefined): string | undefined {
  return name === undefined ? undefined : headerValues(headers, name.toLowerCase())[0];
}

function partsOf(value: string, { separator }: Scheme): string[] {
  if (separator === undefined) return [value];
  return value.split(separator).flatMap((part) => part.trim() || []);
}

/** The text before a placeholder of a form. */
function before(form: string, placeholder: string): string {
  return form.split(placeholder)[0]!;
}

function timePrefix({ value, separator }: Scheme): string | undefined {
  const parts = separator === undefined ? [value] : value.split(separator);
  const part = parts.find((one) => one.includes('{timestamp}'));
  return part && before(part, '{timestamp}');
}

function timeIn(parts: readonly string[], scheme: Scheme): string | undefined {
  const prefix = timePrefix(scheme);
  if (prefix === undefined) return undefined;
  return parts.find((part) => part.startsWith(prefix))?.slice(prefix.length);
}

/** The parts with the prefix of the version; else all that are not the time. */
function signaturesIn(
  parts: readonly string[],
  scheme: Scheme,
  { item }: SignatureVersion,
): readonly string[] {
  const prefix = before(item, '{signature}');
  const own = parts.filter((part) => part.startsWith(prefix));
  if (own.length > 0) return own;
  const time = timePrefix(scheme);
  return parts.filter((part) => !time || !part.startsWith(time));
}
