/** A string is written as UTF-8. */
export type TextPart = string | Buffer | ComposedText;

interface Span {
  readonly source: Buffer;
  readonly start: number;
  readonly end: number;
}

/**
 * A text made of strings and of spans of other texts, which must not change meanwhile. Each byte is
 * copied only once, when the text is written.
 */
export class ComposedText {
  readonly #parts: (string | Span | ComposedText)[] = [];
  #length = 0;

  /** In bytes. */
  get length(): number {
    return this.#length;
  }

  add(part: TextPart): this {
    if (Buffer.isBuffer(part)) return this.span(part, 0, part.length);
    this.#parts.push(part);
    this.#length += typeof part === 'string' ? Buffer.byteLength(part) : part.length;
    return this;
  }

  /** Adds `source[start, end)`. */
  span(source: Buffer, start: number, end: number): this {
    if (start === end) return this;
    this.#parts.push({ source, start, end });
    this.#length += end - start;
    return this;
  }

  /** Writes the whole text into `target`, which must be large enough. Returns the end offset. */
  write(target: Buffer, at: number): number {
    for (const part of this.#parts) {
      if (typeof part === 'string') at += target.write(part, at, 'utf8');
      else if (part instanceof ComposedText) at = part.write(target, at);
      else at += part.source.copy(target, at, part.start, part.end);
    }
    return at;
  }

  /** The text in a new buffer. */
  toBuffer(): Buffer {
    const buffer = Buffer.allocUnsafeSlow(this.#length);
    this.write(buffer, 0);
    return buffer;
  }
}

/** A member of an object: `value` must be JSON text. */
export function memberText(name: string, value: TextPart): TextPart {
  const beginning = `${JSON.stringify(name)}:`;
  // One string is written faster than two parts.
  return typeof value === 'string'
    ? beginning + value
    : new ComposedText().add(beginning).add(value);
}

/** An object of whole members, in their order. */
export function objectOf(members: readonly TextPart[]): ComposedText {
  const text = new ComposedText().add('{');
  members.forEach((member, i) => (i === 0 ? text : text.add(',')).add(member));
  return text.add('}');
}
