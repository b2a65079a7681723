import {
  JsonTextError,
  readJsonSpans,
  type JsonSpan,
  type MemberSpan,
  type Span,
} from '../../json/spans.js';

/** A JSON text with the spans of its values: numbers and strings keep their own text. */
export interface JsonText {
  readonly text: string;
  readonly root: JsonSpan;
}

/** The text between the tokens. */
export interface Layout {
  readonly comma: string;
  readonly colon: string;
  /** If set: every member and item on its own line, with this indent per level. */
  readonly indent?: string;
}

export interface Style {
  readonly layout: Layout;
  /** Members in the order of their names' code points. */
  readonly sorted: boolean;
  /** Respells a string token (with its quotes). */
  readonly spell: (token: string) => string;
}

/** More levels than any event may have; up to here recursion is safe. */
const deepest = 500;

/** Reads text that `JSON.parse` accepts; undefined when it does not, or when it nests too deep. */
export function readJson(text: string): JsonText | undefined {
  try {
    return { text, root: readJsonSpans(text, deepest) };
  } catch (error) {
    if (error instanceof JsonTextError) return undefined;
    throw error;
  }
}

export function writeJson({ text, root }: JsonText, style: Style): string {
  return writeValue(text, root, style, '\n');
}

function writeValue(text: string, value: JsonSpan, style: Style, margin: string): string {
  const { layout, sorted, spell } = style;
  const inner = layout.indent === undefined ? margin : margin + layout.indent;
  if (value.kind === 'array') {
    const items = value.items.map((item) => writeValue(text, item, style, inner));
    return block('[', items, ']', style, margin);
  }
  if (value.kind === 'object') {
    const members = sorted ? sort(text, value.members) : value.members;
    const texts = members.map(
      (member) =>
        spell(tokenAt(text, member.name)) +
        layout.colon +
        writeValue(text, member.value, style, inner),
    );
    return block('{', texts, '}', style, margin);
  }
  const token = tokenAt(text, value);
  return value.kind === 'string' ? spell(token) : token;
}

function tokenAt(text: string, { start, end }: Span): string {
  return text.slice(start, end);
}

function block(
  open: string,
  parts: readonly string[],
  close: string,
  { layout: { comma, indent } }: Style,
  margin: string,
): string {
  if (parts.length === 0 || indent === undefined) return open + parts.join(comma) + close;
  const inner = margin + indent;
  return open + inner + parts.join(comma + inner) + margin + close;
}

function sort(text: string, members: readonly MemberSpan[]): MemberSpan[] {
  return members
    .map((member) => ({ member, name: Buffer.from(nameOf(text, member)) }))
    .sort((one, other) => one.name.compare(other.name))
    .map(({ member }) => member);
}

function nameOf(text: string, { name }: MemberSpan): string {
  return JSON.parse(tokenAt(text, name)) as string;
}

/** Respells the string tokens of a JSON text and keeps everything between them. */
export function respell(text: string, spell: (token: string) => string): string {
  let out = '';
  let at = 0;
  for (;;) {
    const start = text.indexOf('"', at);
    if (start < 0) return out + text.slice(at);
    const end = endOfString(text, start);
    out += text.slice(at, start) + spell(text.slice(start, end));
    at = end;
  }
}

function endOfString(text: string, start: number): number {
  let at = start + 1;
  for (; text[at] !== '"'; at++) if (text[at] === '\\') at++;
  return at + 1;
}
