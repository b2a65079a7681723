import { isUtf8 } from 'node:buffer';
import type { ParquetParsers, SchemaElement, SchemaTree } from 'hyparquet';
import { notJson } from '../../json/scalars.js';
import { endOfValue, skipSpace } from '../../json/scan.js';
import { damagedParquet } from './parquet-errors.js';

/** A value that is JSON text already. */
class JsonText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  /** As the key of a map. */
  toString(): string {
    return this.text;
  }
}

/** The bytes of a text column that are no text. */
class NotText extends JsonText {}

/** What is found while values are written. */
export interface Findings {
  /** Whether a text is not UTF-8. */
  hasNotText: boolean;
}

/** The JSON text of a value that is there. */
export type ValueText = (value: unknown, findings: Findings) => string;

/**
 * Of values that hyparquet converts itself, the parsers make JSON text: once for each entry of a dictionary,
 * not once for each row.
 */
export const parsers: ParquetParsers = {
  timestampFromMilliseconds: (value) => new JsonText(timestamp(value, 3)),
  timestampFromMicroseconds: (value) => new JsonText(timestamp(value, 6)),
  timestampFromNanoseconds: (value) => new JsonText(timestamp(value, 9)),
  dateFromDays: (days) => new JsonText(date(days)),
  stringFromBytes: textOf,
  jsonFromBytes: (bytes) => jsonOf(bytes) ?? textOf(bytes),
  geometryFromBytes: (bytes) => bytes,
  geographyFromBytes: (bytes) => bytes,
  uuidFromBytes: (bytes) => new JsonText(`"${uuid(Buffer.from(bytes).toString('hex'))}"`),
};

/** A name that can be set on an object. */
export function safeName(name: string): string {
  return name === '__proto__' ? '\0__proto__' : name;
}

/** The element without what would make hyparquet convert values with a loss, or refuse them. */
export function rawElement(element: SchemaElement): SchemaElement {
  const { converted_type, logical_type, ...rest } = element;
  const renamed = { ...rest, name: safeName(element.name) };
  const isLossy =
    ['DECIMAL', 'BSON', 'INTERVAL'].includes(converted_type ?? '') ||
    ['DECIMAL', 'GEOMETRY', 'GEOGRAPHY'].includes(logical_type?.type ?? '');
  if (isLossy && element.type !== undefined) return renamed;
  return {
    ...renamed,
    ...(converted_type && { converted_type }),
    ...(logical_type && { logical_type }),
  };
}

/** How the values of a column become JSON. */
export function valueTextOf(node: SchemaTree): ValueText {
  const { element, children } = node;
  // Repeated without the annotation of a list, as old writers have it.
  if (element.repetition_type === 'REPEATED') return listText(singleText(node));
  const [inner] = children;
  const isRepeated = children.length === 1 && inner!.element.repetition_type === 'REPEATED';
  if (isRepeated && element.converted_type === 'LIST' && inner!.children.length <= 1) {
    const item = inner!.children[0];
    return listText(item ? valueTextOf(item) : singleText(inner!));
  }
  if (isRepeated && element.converted_type === 'MAP' && inner!.children.length === 2)
    return mapText(valueTextOf(inner!.children[1]!));
  return singleText(node);
}

function singleText({ element, children }: SchemaTree): ValueText {
  if (element.logical_type?.type === 'VARIANT') return anyText;
  return children.length > 0 ? structText(children) : leafText(element);
}

function structText(children: readonly SchemaTree[]): ValueText {
  const fields = children.map((child) => {
    const { name } = child.element;
    return { key: safeName(name), prefix: `${JSON.stringify(name)}:`, text: valueTextOf(child) };
  });
  return (value, findings) => {
    let members = '';
    for (const { key, prefix, text } of fields) {
      const member = (value as Record<string, unknown>)[key];
      if (member === null || member === undefined) continue;
      members += (members && ',') + prefix + text(member, findings);
    }
    return `{${members}}`;
  };
}

function listText(item: ValueText): ValueText {
  return (value, findings) => {
    const items = Array.from(value as ArrayLike<unknown>, (one) => orNull(one, item, findings));
    return `[${items.join(',')}]`;
  };
}

function mapText(item: ValueText): ValueText {
  return (value, findings) => {
    const members = Object.entries(value as object).map(([key, one]) => {
      const name = key.startsWith('"') ? key : JSON.stringify(key);
      return `${name}:${orNull(one, item, findings)}`;
    });
    return `{${members.join(',')}}`;
  };
}

function orNull(value: unknown, text: ValueText, findings: Findings): string {
  return value === null || value === undefined ? 'null' : text(value, findings);
}

function leafText(element: SchemaElement): ValueText {
  const { type, converted_type: converted, logical_type: logical } = element;
  if (converted === 'DECIMAL' || logical?.type === 'DECIMAL') {
    const declared = logical?.type === 'DECIMAL' ? logical.scale : element.scale;
    const scale = declared ?? 0;
    if (scale < 0 || scale > maxScale) throw damagedParquet();
    return (value) => decimal(unscaled(value), scale);
  }
  if (type === 'FLOAT') return (value) => numberText(value as number, shortest);
  if (logical?.type === 'TIME') {
    const digits = { MILLIS: 3, MICROS: 6, NANOS: 9 }[logical.unit];
    return (value) => timeOfDay(BigInt(value as number), digits);
  }
  if (converted === 'TIME_MILLIS') return (value) => timeOfDay(BigInt(value as number), 3);
  if (converted === 'TIME_MICROS') return (value) => timeOfDay(value as bigint, 6);
  return leafValueText;
}

/** Of texts, the parsers have made JSON text. */
function leafValueText(value: unknown, findings: Findings): string {
  return typeof value === 'string' ? value : anyText(value, findings);
}

function anyText(value: unknown, findings: Findings): string {
  if (value instanceof JsonText) {
    if (value instanceof NotText) findings.hasNotText = true;
    return value.text;
  }
  if (typeof value === 'number') return numberText(value, String);
  if (typeof value === 'bigint' || typeof value === 'boolean') return String(value);
  if (value === null || value === undefined) return 'null';
  if (value instanceof Uint8Array) return String(textOf(value));
  if (Array.isArray(value)) return `[${value.map((one) => anyText(one, findings)).join(',')}]`;
  if (typeof value !== 'object' || value instanceof Date) return JSON.stringify(value);
  const members = Object.entries(value).filter(([, one]) => one !== undefined);
  return `{${members.map(([name, one]) => `${JSON.stringify(name)}:${anyText(one, findings)}`).join(',')}}`;
}

/** JSON has no NaN and no infinities: they are null. */
function numberText(value: number, text: (value: number) => string): string {
  if (Object.is(value, -0)) return '-0';
  return Number.isFinite(value) ? text(value) : 'null';
}

/** The shortest text that is this float of 32 bits: 0.1, not 0.10000000149011612. */
function shortest(value: number): string {
  for (let digits = 6; digits < 9; digits++) {
    const rounded = Number(value.toPrecision(digits));
    if (Math.fround(rounded) === value) return String(rounded);
  }
  return String(value);
}

/** Faster than `Buffer.toString` for views of a page. */
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/** The JSON text of a text; of bytes that are not UTF-8, of their base64. */
function textOf(value: Uint8Array): string | NotText {
  if (isPlain(value)) return `"${decoder.decode(value)}"`;
  if (isUtf8(value)) return JSON.stringify(decoder.decode(value));
  const bytes = Buffer.from(value.buffer, value.byteOffset, value.length);
  return new NotText(`"${bytes.toString('base64')}"`);
}

/** Whether all bytes are characters of ASCII that JSON does not escape, as most are. */
function isPlain(bytes: Uint8Array): boolean {
  const { length } = bytes;
  for (let at = 0; at < length; at++) {
    const byte = bytes[at]!;
    if (byte < 0x20 || byte > 0x7e || byte === 0x22 || byte === 0x5c) return false;
  }
  return true;
}

function jsonOf(value: Uint8Array): JsonText | undefined {
  const bytes = Buffer.from(value.buffer, value.byteOffset, value.length);
  if (!isUtf8(bytes)) return undefined;
  const end = endOfValue(bytes, skipSpace(bytes, 0), { depth: 0 });
  const isJson = end !== notJson && skipSpace(bytes, end) === bytes.length;
  // A newline can only be space between tokens, and would end the line.
  return isJson ? new JsonText(bytes.toString().replaceAll('\n', ' ')) : undefined;
}

/** Arrow has decimals of 76 digits, in 32 bytes. The time to print one grows with the square of its length. */
const maxDecimalBytes = 1024;
const maxScale = 4096;

function unscaled(value: unknown): bigint {
  if (!(value instanceof Uint8Array)) return BigInt(value as bigint | number);
  if (value.length > maxDecimalBytes) throw damagedParquet();
  const hex = Buffer.from(value.buffer, value.byteOffset, value.length).toString('hex');
  return BigInt.asIntN(8 * value.length, BigInt(`0x${hex || '0'}`));
}

function decimal(value: bigint, scale: number): string {
  if (scale === 0) return String(value);
  const digits = String(value < 0n ? -value : value).padStart(scale + 1, '0');
  return `${value < 0n ? '-' : ''}${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
}

/** In UTC, with all digits of the unit. Outside the years of ISO 8601 it is the number as it is stored. */
function timestamp(value: bigint, digits: number): string {
  const unit = 10n ** BigInt(digits);
  const fraction = ((value % unit) + unit) % unit;
  const seconds = (value - fraction) / unit;
  const text = isoSecond(Number(seconds));
  return text ? `"${text}.${String(fraction).padStart(digits, '0')}Z"` : String(value);
}

function date(days: number): string {
  const text = isoSecond(days * 86_400);
  return text ? `"${text.slice(0, 10)}"` : String(days);
}

/** From the year 0 to 9999. */
function isoSecond(seconds: number): string | undefined {
  if (seconds < -62_167_219_200 || seconds > 253_402_300_799) return undefined;
  return new Date(seconds * 1000).toISOString().slice(0, 19);
}

function timeOfDay(value: bigint, digits: number): string {
  const unit = 10n ** BigInt(digits);
  if (value < 0n || value >= 86_400n * unit) return String(value);
  const second = isoSecond(Number(value / unit))!.slice(11);
  return `"${second}.${String(value % unit).padStart(digits, '0')}"`;
}

function uuid(hex: string): string {
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
