import type { Violation } from '../../events/rules.js';
import { notJson } from '../../json/scalars.js';
import { endOfValue, skipSpace } from '../../json/scan.js';
import type { Column, Columns, Group } from './csv-columns.js';
import type { CsvRecord } from './csv-records.js';
import { doubled, spansPerCell } from './csv-scan.js';
import type { DecodedText } from './decoded-text.js';

const quote = 0x22;
const comma = 0x2c;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const backslash = 0x5c;
const lineFeed = 0x0a;
const space = 0x20;

/** What stands behind the backslash for a byte that a JSON text must escape; 0 for the other bytes. */
const escapes = new Uint8Array(256).fill(0x75, 0, 0x20);
for (const [byte, letter] of ['\bb', '\tt', '\nn', '\ff', '\rr', '""', '\\\\'])
  escapes[byte!.charCodeAt(0)] = letter!.charCodeAt(0);

/** `\u001f` is the longest escape of a byte. */
const longestEscape = 6;

/**
 * Writes the object of a record, which is UTF-8 and has the cells that the columns want. Returns why it cannot
 * be written: a cell that should be JSON is not.
 */
export function writeObject(
  text: DecodedText,
  record: CsvRecord,
  { members, frameBytes }: Columns,
): Violation | undefined {
  const { buffer, start, cells } = record;
  text.reserve(frameBytes + longestEscape * (record.end - start));
  const writer: Writer = { buffer, start, spans: cells.spans, out: text.bytes, notJson: undefined };
  const end = writeMembers(writer, members, text.end + 1);
  if (writer.notJson) return notJsonCell(writer.notJson);
  text.bytes[text.end] = openBrace;
  text.bytes[end] = closeBrace;
  text.end = end + 1;
  return undefined;
}

interface Writer {
  readonly buffer: Buffer;
  /** Where in it the record begins. */
  readonly start: number;
  readonly spans: Int32Array;
  readonly out: Buffer;
  /** The first column whose cell should be JSON and is not. */
  notJson: Column | undefined;
}

/** Writes the members at `at` and returns their end, which is `at` if no cell has a value. */
function writeMembers(writer: Writer, members: readonly (Column | Group)[], at: number): number {
  const { buffer, spans, out } = writer;
  const first = at;
  for (const member of members) {
    let valueAt = at > first ? at + 1 : at;
    const { prefix } = member;
    if (member.members) {
      valueAt += prefix.length;
      const end = writeMembers(writer, member.members, valueAt + 1);
      if (end === valueAt + 1) continue;
      out[valueAt] = openBrace;
      out[end] = closeBrace;
      copyPrefix(prefix, out, valueAt - prefix.length);
      if (at > first) out[at] = comma;
      at = end + 1;
      continue;
    }
    const span = member.cell * spansPerCell;
    const start = writer.start + spans[span]!;
    const end = writer.start + spans[span + 1]!;
    const flags = spans[span + 2]!;
    if (start === end && flags === 0) continue;
    if (at > first) out[at] = comma;
    valueAt = copyPrefix(prefix, out, valueAt);
    if (!member.isJson) {
      at = writeText(buffer, start, end, flags, out, valueAt);
      continue;
    }
    at = writeJson(buffer, start, end, flags, out, valueAt);
    if (!isJson(out, valueAt, at)) writer.notJson ??= member;
  }
  return at;
}

/** Names are short: copying them byte by byte is faster than a call of `copy`. */
function copyPrefix(prefix: Buffer, out: Buffer, at: number): number {
  const { length } = prefix;
  for (let from = 0; from < length; from++) out[at++] = prefix[from]!;
  return at;
}

function writeText(
  bytes: Buffer,
  start: number,
  end: number,
  flags: number,
  out: Buffer,
  at: number,
): number {
  out[at++] = quote;
  for (let from = start; from < end; from++) {
    const byte = bytes[from]!;
    const escape = escapes[byte]!;
    if (escape === 0) {
      out[at++] = byte;
      continue;
    }
    out[at++] = backslash;
    out[at++] = escape;
    if (escape === 0x75) at += out.write(byte.toString(16).padStart(4, '0'), at, 'latin1');
    if (byte === quote && (flags & doubled) !== 0) from++;
  }
  out[at++] = quote;
  return at;
}

/** A newline within a JSON value can only be space between its tokens, and would end the line here. */
function writeJson(
  bytes: Buffer,
  start: number,
  end: number,
  flags: number,
  out: Buffer,
  at: number,
): number {
  for (let from = start; from < end; from++) {
    const byte = bytes[from]!;
    out[at++] = byte === lineFeed ? space : byte;
    if (byte === quote && (flags & doubled) !== 0) from++;
  }
  return at;
}

/** How deep a value nests is checked with the event. */
const levels = { depth: 0 };

/** Whether the bytes are one JSON value. The byte at `end` is overwritten. */
function isJson(bytes: Buffer, start: number, end: number): boolean {
  // No value goes on there.
  bytes[end] = 0;
  const valueEnd = endOfValue(bytes, skipSpace(bytes, start), levels);
  return valueEnd !== notJson && skipSpace(bytes, valueEnd) === end;
}

function notJsonCell({ name }: Column): Violation {
  const message = `the cell of the column ${JSON.stringify(name)} is not JSON, as its name in the header says; correct the cell, or remove the := there`;
  return { code: 'cell_not_json', message };
}
