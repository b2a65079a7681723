/** JSON as its own tokens: numbers and strings stay the text that they are. */
export type JsonNode =
  | { readonly kind: 'object'; readonly members: readonly (readonly [string, JsonNode])[] }
  | { readonly kind: 'array'; readonly items: readonly JsonNode[] }
  | { readonly kind: 'scalar'; readonly text: string };

/** What stands between the tokens. */
export interface Layout {
  readonly comma: string;
  readonly colon: string;
  /** Given: every member and item on its own line, with this much more a level. */
  readonly indent?: string;
}

export interface Style {
  readonly layout: Layout;
  /** Members in the order of their names' code points. */
  readonly sorted: boolean;
  /** Writes a string token (with its quotes) anew. */
  readonly spell: (token: string) => string;
}

/** More levels than any event may have; below it recursion is safe. */
const deepest = 500;

/** Reads text that `JSON.parse` accepts; undefined when it does not, or when it nests too deep. */
export function readJson(text: string): JsonNode | undefined {
  try {
    JSON.parse(text);
  } catch {
    return undefined;
  }
  return new Reader(text).read();
}

export function writeJson(node: JsonNode, style: Style, margin = '\n'): string {
  if (node.kind === 'scalar') return node.text.startsWith('"') ? style.spell(node.text) : node.text;
  const inner = style.layout.indent === undefined ? margin : margin + style.layout.indent;
  if (node.kind === 'array') {
    return block(
      '[',
      node.items.map((item) => writeJson(item, style, inner)),
      ']',
      style,
      margin,
    );
  }
  const members = style.sorted ? sort(node.members) : node.members;
  const texts = members.map(
    ([name, value]) => style.spell(name) + style.layout.colon + writeJson(value, style, inner),
  );
  return block('{', texts, '}', style, margin);
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

type Members = readonly (readonly [string, JsonNode])[];

function sort(members: Members): Members {
  return members
    .map((member) => ({ member, name: Buffer.from(JSON.parse(member[0]) as string) }))
    .sort((one, other) => one.name.compare(other.name))
    .map(({ member }) => member);
}

/** Writes the string tokens of a JSON text anew, and leaves all between them. */
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

class Reader {
  #at = 0;
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  read(depth = 0): JsonNode | undefined {
    this.#skipSpace();
    const first = this.#text[this.#at];
    if (depth > deepest) return undefined;
    if (first === '{') return this.#object(depth);
    if (first === '[') return this.#array(depth);
    return { kind: 'scalar', text: this.#token() };
  }

  #object(depth: number): JsonNode | undefined {
    const members: [string, JsonNode][] = [];
    while (this.#more('}')) {
      const name = this.#token();
      this.#skipSpace();
      this.#at++;
      const value = this.read(depth + 1);
      if (!value) return undefined;
      members.push([name, value]);
    }
    return { kind: 'object', members };
  }

  #array(depth: number): JsonNode | undefined {
    const items: JsonNode[] = [];
    while (this.#more(']')) {
      const item = this.read(depth + 1);
      if (!item) return undefined;
      items.push(item);
    }
    return { kind: 'array', items };
  }

  /** Steps over the opening bracket, a comma, or the closing bracket; the latter ends it. */
  #more(close: string): boolean {
    this.#skipSpace();
    if (this.#text[this.#at] !== close) this.#at++;
    this.#skipSpace();
    if (this.#text[this.#at] !== close) return true;
    this.#at++;
    return false;
  }

  #token(): string {
    const start = this.#at;
    if (this.#text[start] === '"') this.#at = endOfString(this.#text, start);
    else while (/[^\s,\]}]/.test(this.#text[this.#at] ?? ' ')) this.#at++;
    return this.#text.slice(start, this.#at);
  }

  #skipSpace(): void {
    while (/\s/.test(this.#text[this.#at] ?? '')) this.#at++;
  }
}

function endOfString(text: string, start: number): number {
  let at = start + 1;
  for (; text[at] !== '"'; at++) if (text[at] === '\\') at++;
  return at + 1;
}
