import type { LineStart } from './lines.js';
import { ownsLine, type BlockShare } from './shard.js';

/** Bytes of whole lines that belong to a share; the last line may continue in the next piece. */
export interface OwnPiece {
  readonly bytes: Buffer;
  /** Where it begins, if lines of others are before it; undefined if it continues the last piece. */
  readonly start: LineStart | undefined;
}

const lineFeed = 0x0a;

/**
 * Finds the lines of a share in a byte stream. The lines of other shards are not parsed; only their
 * newlines are counted, for the line numbers.
 */
export class OwnLines {
  readonly #share: BlockShare;
  /** Position of the next byte, and number of its line. */
  #offset: number;
  #line: number;
  #isOwn: boolean;
  #start: LineStart | undefined;
  /** The first line that begins here or later belongs to another block. */
  #blockEnd: number;

  /** `start` is where the first chunk begins, which is the start of a line. */
  constructor(share: BlockShare, start: LineStart) {
    this.#share = share;
    this.#offset = start.offset;
    this.#line = start.line;
    this.#isOwn = ownsLine(share, start.offset);
    this.#start = start;
    this.#blockEnd = this.#endOfBlock();
  }

  /** How many lines have ended so far, of all shards. */
  get linesRead(): number {
    return this.#line - 1;
  }

  push(chunk: Buffer): OwnPiece[] {
    const pieces: OwnPiece[] = [];
    for (let at = 0; at < chunk.length;) {
      const newline = chunk.indexOf(lineFeed, at + Math.max(0, this.#blockEnd - 1 - this.#offset));
      const end = newline === -1 ? chunk.length : newline + 1;
      this.#take(chunk.subarray(at, end), pieces);
      if (newline !== -1) this.#enterBlock();
      at = end;
    }
    return pieces;
  }

  #take(bytes: Buffer, pieces: OwnPiece[]): void {
    if (this.#isOwn) {
      pieces.push({ bytes, start: this.#start });
      this.#start = undefined;
    }
    this.#offset += bytes.length;
    this.#line += newlinesIn(bytes);
  }

  #enterBlock(): void {
    const wasOwn = this.#isOwn;
    this.#isOwn = ownsLine(this.#share, this.#offset);
    this.#blockEnd = this.#endOfBlock();
    if (this.#isOwn && !wasOwn) this.#start = { offset: this.#offset, line: this.#line };
  }

  #endOfBlock(): number {
    const { blockBytes } = this.#share;
    return (Math.floor(this.#offset / blockBytes) + 1) * blockBytes;
  }
}

/** Counts runs of newlines at once: one search for each would make a file of empty lines slow. */
function newlinesIn(bytes: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(lineFeed); at !== -1; at = bytes.indexOf(lineFeed, at)) {
    for (; bytes[at] === lineFeed; at++) count++;
  }
  return count;
}
