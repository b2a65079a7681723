/** A part of a JSON text: `end` is after its last character. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

export interface ScalarSpan extends Span {
  readonly kind: 'string' | 'number' | 'literal';
}

export interface MemberSpan {
  /** Includes its quotes. */
  readonly name: Span;
  readonly value: JsonSpan;
}

export interface ObjectSpan extends Span {
  readonly kind: 'object';
  readonly members: readonly MemberSpan[];
}

export interface ArraySpan extends Span {
  readonly kind: 'array';
  readonly items: readonly JsonSpan[];
}

/** A JSON value as spans of its text, so that nothing has to be encoded again. */
export type JsonSpan = ScalarSpan | ObjectSpan | ArraySpan;

/** Why a text is not JSON. */
export class JsonTextError extends Error {
  /** The character at which reading stopped. */
  readonly offset: number;

  constructor(offset: number) {
    super('not JSON');
    this.name = 'JsonTextError';
    this.offset = offset;
  }
}

/**
 * Reads the text of one JSON value. Without recursion: any depth is safe.
 *
 * @param deepest The most levels that a value may be nested in.
 * @throws JsonTextError for text that nests deeper, or that `JSON.parse` would reject.
 */
export function readJsonSpans(text: string, deepest = Infinity): JsonSpan {
  return new Reader(text, deepest).read();
}

interface Open {
  readonly kind: 'object' | 'array';
  readonly start: number;
  readonly members: MemberSpan[];
  readonly items: JsonSpan[];
  name: Span | undefined;
}

const space = /[ \t\n\r]*/y;
const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const literal = /true|false|null/y;
const escape = /\\(?:["\\/bfnrt]|u[\dA-Fa-f]{4})/y;

/** Keeps the open objects and arrays on a stack of its own: the input decides their depth. */
class Reader {
  readonly #text: string;
  readonly #deepest: number;
  readonly #open: Open[] = [];
  #at = 0;

  constructor(text: string, deepest: number) {
    this.#text = text;
    this.#deepest = deepest;
  }

  read(): JsonSpan {
    for (;;) {
      this.#skipSpace();
      if (this.#open.length > this.#deepest) throw new JsonTextError(this.#at);
      const kind = this.#next === '{' ? 'object' : this.#next === '[' ? 'array' : undefined;
      const value = kind ? this.#enter(kind) : this.#scalar();
      const root = value && this.#leave(value);
      if (root) return root;
    }
  }

  /** Opens an object or array; an empty one is closed at once and returned as a value. */
  #enter(kind: Open['kind']): JsonSpan | undefined {
    const open: Open = { kind, start: this.#at++, members: [], items: [], name: undefined };
    this.#skipSpace();
    if (this.#accepts(closing(kind))) return spanOf(open, this.#at);
    if (kind === 'object') open.name = this.#name();
    this.#open.push(open);
    return undefined;
  }

  /** Adds a value to its parent and closes parents that end after it. Returns the root at the end. */
  #leave(value: JsonSpan): JsonSpan | undefined {
    for (let done = value; ;) {
      this.#skipSpace();
      const parent = this.#open.at(-1);
      if (!parent) return this.#end(done);
      if (parent.name) parent.members.push({ name: parent.name, value: done });
      else parent.items.push(done);
      if (this.#accepts(',')) {
        if (parent.kind === 'object') parent.name = this.#name();
        return undefined;
      }
      this.#expect(closing(parent.kind));
      this.#open.pop();
      done = spanOf(parent, this.#at);
    }
  }

  #end(root: JsonSpan): JsonSpan {
    if (this.#at < this.#text.length) throw new JsonTextError(this.#at);
    return root;
  }

  #scalar(): ScalarSpan {
    const start = this.#at;
    if (this.#next === '"') return { kind: 'string', ...this.#string() };
    const kind = this.#match(number) ? 'number' : this.#match(literal) ? 'literal' : undefined;
    if (!kind) throw new JsonTextError(this.#at);
    return { kind, start, end: this.#at };
  }

  #name(): Span {
    this.#skipSpace();
    const name = this.#string();
    this.#skipSpace();
    this.#expect(':');
    return name;
  }

  #string(): Span {
    const start = this.#at;
    this.#expect('"');
    for (;;) {
      const code = this.#text.charCodeAt(this.#at);
      if (code === 0x22) return { start, end: ++this.#at };
      // At the end of the text the code is NaN, which is not above 0x1F either.
      if (!(code > 0x1f)) throw new JsonTextError(this.#at);
      if (code !== 0x5c) this.#at++;
      else if (!this.#match(escape)) throw new JsonTextError(this.#at);
    }
  }

  get #next(): string | undefined {
    return this.#text[this.#at];
  }

  #accepts(character: string): boolean {
    if (this.#next !== character) return false;
    this.#at++;
    return true;
  }

  #expect(character: string): void {
    if (!this.#accepts(character)) throw new JsonTextError(this.#at);
  }

  #skipSpace(): void {
    this.#match(space);
  }

  #match(pattern: RegExp): boolean {
    pattern.lastIndex = this.#at;
    if (!pattern.test(this.#text)) return false;
    this.#at = pattern.lastIndex;
    return true;
  }
}

function closing(kind: Open['kind']): string {
  return kind === 'object' ? '}' : ']';
}

function spanOf({ kind, start, members, items }: Open, end: number): JsonSpan {
  return kind === 'object' ? { kind, start, end, members } : { kind, start, end, items };
}
