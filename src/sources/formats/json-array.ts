import { byteOrderMark } from '../../json/byte-order-mark.js';
import { maxLineBytes } from '../open-line.js';
import { SourceError } from '../source-error.js';
import { DecodedText } from './decoded-text.js';
import { JsonValueScan } from './json-value-scan.js';

export interface JsonArrayOptions {
  /** The member of the outer object that is the array; its other members are skipped. Default: there is no object. */
  readonly list?: 'events' | 'batch' | 'data';
}

/**
 * The elements of a JSON array as NDJSON, byte for byte, but for newlines between tokens: these become spaces.
 * An element stands at the line where it begins. Of elements on one line, each but the first needs a
 * newline that the file does not have; later newlines of the file make up for it.
 *
 * @throws SourceError when the array is truncated or damaged, after the whole elements before
 */
export async function* jsonArrayLines(
  chunks: AsyncIterable<Buffer>,
  { list }: JsonArrayOptions = {},
): AsyncGenerator<Buffer> {
  const decoder = new JsonArrayDecoder(list);
  const text = decoder.text;
  let failure: { readonly cause: unknown } | undefined;
  try {
    for await (const chunk of chunks) {
      for (let at = 0; (at = decoder.decode(chunk, at)) < chunk.length;)
        yield text.take(decoder.ready);
      if (text.isFull && decoder.ready > 0) yield text.take(decoder.ready);
    }
    while (!decoder.end()) yield text.take();
  } catch (cause) {
    failure = { cause };
    decoder.endLine();
  }
  if (decoder.ready > 0) yield text.take(decoder.ready);
  if (failure) throw failure.cause;
}

const quote = 0x22;
const comma = 0x2c;
const colon = 0x3a;
const openArray = 0x5b;
const closeArray = 0x5d;
const openObject = 0x7b;
const closeObject = 0x7d;
const lineFeed = 0x0a;
const space = 0x20;
const carriageReturn = 0x0d;

/** What is expected next. The states of a value read it whole. */
type State =
  | 'mark'
  | 'root'
  | 'first element'
  | 'element'
  | 'element value'
  | 'after element'
  | 'first name'
  | 'name'
  | 'name value'
  | 'colon'
  | 'member'
  | 'member value'
  | 'after member'
  | 'end';

/** A name that is longer is not that of the list. */
const maxNameBytes = 64;

class JsonArrayDecoder {
  readonly text = new DecodedText();
  readonly #list: string | undefined;
  readonly #scan = new JsonValueScan();
  #state: State = 'mark';
  #markBytes = 0;
  /** Newlines read. */
  #newlines = 0;
  /** The line of the text where the latest element stands, from 0. */
  #elementLine = -1;
  /** The bytes of the open element that are in `text`. */
  #openBytes = 0;
  #name: Buffer = Buffer.alloc(0);
  #hasList: boolean;

  constructor(list: string | undefined) {
    this.#list = list;
    this.#hasList = list === undefined;
  }

  /** How many bytes of the text may be taken: not those of an open element, which may be damaged. */
  get ready(): number {
    // It is too long for a line anyway, and must not fill the memory.
    return this.text.length - (this.#openBytes > maxLineBytes ? 0 : this.#openBytes);
  }

  /** Decodes the chunk from `at` on, until it ends or there is much to take; returns where that is. */
  decode(chunk: Buffer, at: number): number {
    while (at < chunk.length) {
      if (this.text.isFull && this.ready > 0) return at;
      const isBetween = this.#state !== 'element value';
      if (!isBetween || this.text.endLines(this.#newlines)) at = this.#step(chunk, at);
    }
    return at;
  }

  /** The file ends here. Returns whether all is in the text; if not, it is called again. */
  end(): boolean {
    if (this.#state !== 'end') throw truncated();
    if (!this.#hasList) throw new SourceError(`the JSON object has no array "${this.#list}"`);
    return this.text.endLines(this.#newlines);
  }

  /** After an error: ends the line of the latest whole element, without which it would count as cut off. */
  endLine(): void {
    if (this.#state !== 'element value') this.text.endLines(this.#elementLine + 1);
  }

  #step(chunk: Buffer, at: number): number {
    if (this.#state === 'element value') return this.#copyElement(chunk, at);
    if (this.#state === 'member value') return this.#skipMember(chunk, at);
    if (this.#state === 'name value') return this.#readName(chunk, at);
    const byte = chunk[at]!;
    if (this.#state === 'mark') {
      if (byte === byteOrderMark[this.#markBytes]) {
        this.#markBytes++;
        return at + 1;
      }
      if (this.#markBytes % byteOrderMark.length !== 0) throw damaged();
      this.#state = 'root';
      return at;
    }
    if (byte === lineFeed) this.#newlines++;
    const isSpace = byte === space || byte === lineFeed || byte === carriageReturn || byte === 0x09;
    if (isSpace) return at + 1;
    return this.#token(byte) ? at + 1 : at;
  }

  /** Takes a byte between values; whether it is taken, and does not begin a value. */
  #token(byte: number): boolean {
    switch (this.#state) {
      case 'root':
        return this.#to(byte === (this.#list ? openObject : openArray) && this.#firstState());
      case 'first element':
        if (byte === closeArray) return this.#to(this.#afterList());
        return this.#beginElement(byte);
      case 'element':
        return this.#beginElement(byte);
      case 'after element':
        if (byte === closeArray) return this.#to(this.#afterList());
        return this.#to(byte === comma && 'element');
      case 'first name':
        if (byte === closeObject) return this.#to('end');
        return this.#beginName(byte);
      case 'name':
        return this.#beginName(byte);
      case 'colon':
        return this.#to(byte === colon && 'member');
      case 'member':
        return this.#beginMember(byte);
      case 'after member':
        if (byte === closeObject) return this.#to('end');
        return this.#to(byte === comma && 'name');
      default:
        throw new SourceError('other data follows the JSON array', {
          advice: 'if that data holds events, copy it to a file of its own',
        });
    }
  }

  #to(state: State | false): true {
    if (!state) throw damaged();
    this.#state = state;
    return true;
  }

  #firstState(): State {
    return this.#list ? 'first name' : 'first element';
  }

  #afterList(): State {
    return this.#list ? 'after member' : 'end';
  }

  #beginElement(byte: number): false {
    if (byte === comma || byte === closeArray || byte === closeObject) throw damaged();
    // The newlines before it are there already.
    this.text.endLines(this.#elementLine + 1);
    this.#elementLine = this.text.newlines;
    this.#scan.begin(byte);
    this.#state = 'element value';
    return false;
  }

  #copyElement(chunk: Buffer, start: number): number {
    const before = this.#scan.newlines;
    const end = this.#scan.read(chunk, start);
    const { text } = this;
    text.append(chunk.subarray(start, end));
    this.#openBytes += end - start;
    const newlines = this.#scan.newlines - before;
    if (newlines > 0) this.#withoutNewlines(chunk, start, end);
    this.#newlines += newlines;
    if (this.#scan.isOpen) return end;
    this.#openBytes = 0;
    this.#state = 'after element';
    return end;
  }

  /** A newline in a text, where JSON has none, becomes another byte that JSON has not there. */
  #withoutNewlines(chunk: Buffer, start: number, end: number): void {
    const { bytes, end: textEnd } = this.text;
    const shift = textEnd - end;
    const piece = chunk.subarray(0, end);
    for (let at = start; (at = piece.indexOf(lineFeed, at)) !== -1; at++) bytes[at + shift] = space;
    for (const at of this.#scan.newlinesInText) bytes[at + shift] = carriageReturn;
  }

  #beginName(byte: number): false {
    if (byte !== quote) throw damaged();
    this.#name = Buffer.alloc(0);
    this.#scan.begin(byte);
    this.#state = 'name value';
    return false;
  }

  #readName(chunk: Buffer, start: number): number {
    const end = this.#scan.read(chunk, start);
    const piece = chunk.subarray(start, end);
    this.#name = Buffer.concat([this.#name, piece]).subarray(0, maxNameBytes);
    if (!this.#scan.isOpen) this.#state = 'colon';
    return end;
  }

  #beginMember(byte: number): boolean {
    if (byte === comma || byte === closeArray || byte === closeObject) throw damaged();
    if (byte === openArray && nameOf(this.#name) === this.#list) {
      this.#hasList = true;
      return this.#to('first element');
    }
    this.#scan.begin(byte);
    this.#state = 'member value';
    return false;
  }

  #skipMember(chunk: Buffer, start: number): number {
    const before = this.#scan.newlines;
    const end = this.#scan.read(chunk, start);
    this.#newlines += this.#scan.newlines - before;
    if (!this.#scan.isOpen) this.#state = 'after member';
    return end;
  }
}

function nameOf(text: Buffer): unknown {
  try {
    return JSON.parse(text.toString());
  } catch {
    return undefined;
  }
}

function truncated(): SourceError {
  return new SourceError('the JSON array is truncated', { advice: 'fix the file and run again' });
}

function damaged(): SourceError {
  return new SourceError('the JSON array is damaged', { advice: 'fix the file and run again' });
}
