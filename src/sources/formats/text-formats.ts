import { isObject } from '../../json/is-object.js';
import type { Detection, Format, Sample } from './kinds.js';

const sampleBytes = 64 * 1024;

/**
 * Tells CSV, HTML and XML from NDJSON. A file in which one of these lines is an object is not refused.
 *
 * @param at the offset of the first byte that is not space
 */
export function textFormat({ start, isAll, isEnough }: Sample, at: number): Detection {
  const text = start.toString('utf8', at, at + sampleBytes);
  if (text.includes('\0') || text.split('\n').some(isObjectLine)) return 'unknown';
  const isWhole = start.length - at <= sampleBytes;
  const markup = markupFormat(text);
  return markup ?? separatedFormat(text, isAll && isWhole, isEnough || !isWhole);
}

function markupFormat(text: string): Format | undefined {
  if (/^<(?:!doctype\s+html|html|head|body)\b/i.test(text)) return 'html';
  return /^<\?xml\s/i.test(text) ? 'xml' : undefined;
}

/** A pipe may begin with a few damaged lines that look like cells; ten are no accident. */
const certainRecords = 10;

function separatedFormat(text: string, hasEnd: boolean, isEnough: boolean): Detection {
  const undecided = isEnough ? 'unknown' : 'more';
  const lineEnd = text.indexOf('\n');
  if (lineEnd === -1) return undecided;
  const separator = separatorOf(text.slice(0, lineEnd));
  if (separator === undefined) return 'unknown';
  const [header, ...records] = recordsOf(text, separator, { hasEnd, most: 1 + certainRecords });
  if (!header || !isHeader(header)) return 'unknown';
  if (records.length < (isEnough ? 1 : certainRecords)) return undecided;
  const fitting = records.filter(({ length }) => length === header.length);
  if (fitting.length * 2 <= records.length) return 'unknown';
  return separator === '\t' ? 'tsv' : 'csv';
}

/** `userId`, `Last Order (EUR)`, `properties.total`, `column:=`. */
const columnName = /^[\p{L}_$#@][\p{L}\p{N} _.:=$#@/()[\]-]{0,99}$/u;

/** Several different names. */
function isHeader(cells: readonly string[]): boolean {
  const names = cells.map((cell) => cell.trim());
  if (names.length < 2 || new Set(names).size < names.length) return false;
  return names.every((name) => columnName.test(name));
}

function isObjectLine(line: string): boolean {
  if (!line.trimStart().startsWith('{')) return false;
  try {
    return isObject(JSON.parse(line));
  } catch {
    return false;
  }
}

/** A quoted cell, or one up to the next separator or newline; then what ends it. */
const cellForms: Readonly<Record<string, RegExp>> = {
  ',': /(?:"((?:[^"]|"")*)"|([^,\r\n]*))(,|\r?\n|$)/y,
  ';': /(?:"((?:[^"]|"")*)"|([^;\r\n]*))(;|\r?\n|$)/y,
  '\t': /(?:"((?:[^"]|"")*)"|([^\t\r\n]*))(\t|\r?\n|$)/y,
};

/** What separates the cells of a line: the most frequent of the usual ones; undefined without any. */
export function separatorOf(line: string): string | undefined {
  const counts = Object.keys(cellForms).map((each) => [each, line.split(each).length - 1] as const);
  const [separator, count] = counts.reduce((most, each) => (each[1] > most[1] ? each : most));
  return count > 0 ? separator : undefined;
}

/**
 * The first records of separated values, RFC 4180, at most `most`, without blank lines. The last one is
 * left out where the text ends in it, unless `hasEnd`. Stops at a malformed one.
 */
function recordsOf(
  text: string,
  separator: string,
  { hasEnd, most }: { readonly hasEnd: boolean; readonly most: number },
): string[][] {
  const form = cellForms[separator]!;
  const records: string[][] = [];
  let cells: string[] = [];
  form.lastIndex = 0;
  while (records.length < most && form.lastIndex < text.length) {
    const [, quoted, plain = '', end] = form.exec(text) ?? [];
    if (end === undefined) return records;
    cells.push(quoted?.replaceAll('""', '"') ?? plain);
    if (end === separator || (end === '' && !hasEnd)) continue;
    if (cells.length > 1 || cells[0] !== '') records.push(cells);
    cells = [];
  }
  return records;
}
