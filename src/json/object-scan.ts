import { notJson } from './scalars.js';
import { endOfValue, skipSpace, startOfValue, type Levels } from './scan.js';

/** The spans of a member are three offsets: its name's opening quote, its value, the end of its value. */
export const spansPerMember = 3;

/** More than any real event has; a hostile line can have a hundred thousand. */
const usualSpans = spansPerMember * 256;

const comma = 0x2c;
const openBrace = 0x7b;
const closeBrace = 0x7d;

/** Finds and validates the members of one object after the other, without creating values. */
export class ObjectScan implements Levels {
  /** Levels of nesting; the object itself is the first. */
  depth = 1;
  /** How many members the object has. */
  count = 0;
  /** Offset after its last brace. */
  end = 0;
  /** Of the members, in the order of the text; followed by stale spans of earlier objects. */
  readonly spans: number[] = [];

  /** Whether `bytes` have the text of a JSON object at `start`, perhaps after space. */
  read(bytes: Buffer, start = 0): boolean {
    this.depth = 1;
    this.count = 0;
    let at = skipSpace(bytes, start);
    if (bytes[at] !== openBrace) return false;
    at = skipSpace(bytes, at + 1);
    at = bytes[at] === closeBrace ? at + 1 : this.#readMembers(bytes, at);
    if (at === notJson) return false;
    this.end = at;
    return true;
  }

  /** A copy of the spans of the members. */
  takeSpans(): number[] {
    const spans = this.spans.slice(0, this.count * spansPerMember);
    if (this.spans.length > usualSpans) this.spans.length = usualSpans;
    return spans;
  }

  /** Returns where the object ends. */
  #readMembers(bytes: Buffer, at: number): number {
    const { spans } = this;
    for (let i = 0; ; i += spansPerMember) {
      spans[i] = at;
      at = startOfValue(bytes, at);
      if (at === notJson) return notJson;
      spans[i + 1] = at;
      at = endOfValue(bytes, at, this);
      if (at === notJson) return notJson;
      spans[i + 2] = at;
      this.count++;
      at = skipSpace(bytes, at);
      if (bytes[at] === closeBrace) return at + 1;
      if (bytes[at] !== comma) return notJson;
      at = skipSpace(bytes, at + 1);
    }
  }
}
