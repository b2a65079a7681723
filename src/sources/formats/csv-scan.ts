/** Returned by `CsvScan.read`: the end of the record has not arrived. */
export const incomplete = -1;
/** Returned by `CsvScan.read`: a quote is not closed, or is followed by other text. */
export const malformed = -2;

/** What stands in `CsvScan.spans` for each cell: its start, its end, both in the record, and its flags. */
export const spansPerCell = 3;
/** The flag of a cell in quotes, which are not in its span. */
export const quoted = 1;
/** The flag of a cell in which quotes are doubled. */
export const doubled = 2;

const quote = 0x22;
const lineFeed = 0x0a;
const carriageReturn = 0x0d;
const noByte = -1;

/** Where in a cell a scan is. */
const atCell = 0;
const inQuotes = 1;
const inText = 2;

/**
 * What an earlier scan knows that found no end: at each newline from `from` to `until` it was within quotes. A
 * later scan that is within quotes at one of these newlines would go the same way, so it goes on where that
 * one stopped. Without this, some kilobytes of quotes, each read up to the limit, would take minutes.
 */
interface Memory {
  from: number;
  until: number;
  at: number;
  mode: number;
  isMalformed: boolean;
}

/** Finds the end of a CSV record and its cells. The memory for these is used again for each record. */
export class CsvScan {
  /** How many cells the latest record has. */
  count = 0;
  /** How many newlines it has, those in cells included. */
  newlines = 0;
  /** `spansPerCell` numbers for each cell. */
  spans = new Int32Array(64 * spansPerCell);
  readonly #separator: number;
  readonly #quote: number;
  readonly #memory: Memory = { from: 0, until: 0, at: 0, mode: atCell, isMalformed: false };
  #bytes: Buffer = Buffer.alloc(0);
  #start = 0;
  #hasJumped = false;

  constructor(separator: number, hasQuotes: boolean) {
    this.#separator = separator;
    this.#quote = hasQuotes ? quote : noByte;
  }

  isQuoted(cell: number): boolean {
    return this.spans[cell * spansPerCell + 2] !== 0;
  }

  /** The content of a cell. */
  text(cell: number): string {
    const [start = 0, end, flags = 0] = this.spans.subarray(cell * spansPerCell);
    const text = this.#bytes.toString('utf8', this.#start + start, this.#start + end!);
    return flags & doubled ? text.replaceAll('""', '"') : text;
  }

  /** The bytes to be read next are those from `by` on of the earlier ones, and more. */
  moved(by: number): void {
    this.#memory.from -= by;
    this.#memory.until -= by;
    this.#memory.at -= by;
  }

  /**
   * The index after the newline of the record that begins at `start`, or after the last byte; else
   * `incomplete` or `malformed`. `isEnd`: no bytes follow these.
   */
  read(bytes: Buffer, start: number, isEnd: boolean): number {
    this.#bytes = bytes;
    this.#start = start;
    this.#hasJumped = false;
    const end = this.#run(bytes, start, isEnd, this.#memory.until);
    const needsCells = (this.#hasJumped as boolean) && end > start;
    return needsCells ? this.#run(bytes, start, isEnd, noByte) : end;
  }

  /** `known`: up to where the memory may be used. */
  #run(bytes: Buffer, start: number, isEnd: boolean, known: number): number {
    const { length } = bytes;
    const separator = this.#separator;
    const quoteByte = this.#quote;
    let { spans } = this;
    let at = start;
    let cell = start;
    let mode = atCell;
    let flags = 0;
    let newlines = 0;
    let lastNewline = noByte;
    for (let next = 0; ; next += spansPerCell) {
      if (mode === atCell) {
        cell = at;
        const isQuoted = at < length && bytes[at] === quoteByte;
        flags = isQuoted ? quoted : 0;
        mode = isQuoted ? inQuotes : inText;
        if (isQuoted) at++;
      }
      if (next >= spans.length) spans = this.#moreSpans();
      let end = at;
      if (mode === inQuotes) {
        for (;;) {
          if (at >= length) return this.#stop(start, lastNewline, at, inQuotes, isEnd);
          const byte = bytes[at]!;
          if (byte === quote) {
            if (at + 1 >= length && !isEnd)
              return this.#stop(start, lastNewline, at, inQuotes, false);
            if (at + 1 >= length || bytes[at + 1] !== quote) break;
            flags |= doubled;
            at++;
          } else if (byte === lineFeed) {
            newlines++;
            if (at <= known && at > this.#memory.from) {
              this.#hasJumped = true;
              if (this.#memory.isMalformed) return malformed;
              ({ until: lastNewline, at, mode } = this.#memory);
              known = noByte;
              if (mode !== inQuotes) break;
              continue;
            }
            lastNewline = at;
          }
          at++;
        }
      }
      if (mode === inQuotes) {
        end = at++;
        // A carriage return ends the cell only before a line feed, or at the end.
        const after = at < length && bytes[at] === carriageReturn ? at + 1 : at;
        if (after >= length && !isEnd) return this.#stop(start, lastNewline, end, inQuotes, false);
        const endsHere = after >= length || bytes[after] === lineFeed || bytes[at] === separator;
        if (!endsHere) return this.#stop(start, lastNewline, at, inQuotes, true);
        cell++;
        if (bytes[at] !== separator) at = after;
      } else if (mode === inText) {
        while (at < length && bytes[at] !== separator && bytes[at] !== lineFeed) at++;
        if (at === length && !isEnd)
          return this.#stop(start, lastNewline, at, at === cell ? atCell : inText, false);
        end = at;
        const isLast = at === length || bytes[at] === lineFeed;
        if (isLast && end > cell && bytes[end - 1] === carriageReturn) end--;
      } else {
        // The memory is of a scan that stopped between two cells.
        continue;
      }
      spans[next] = cell - start;
      spans[next + 1] = end - start;
      spans[next + 2] = flags;
      if (at >= length || bytes[at] === lineFeed) {
        this.count = next / spansPerCell + 1;
        this.newlines = at < length ? newlines + 1 : newlines;
        return at < length ? at + 1 : length;
      }
      at++;
      mode = atCell;
    }
  }

  /** Ends a scan that has found no end, and keeps what it knows. */
  #stop(start: number, newline: number, at: number, mode: number, isMalformed: boolean): number {
    const memory = this.#memory;
    if (newline !== noByte) {
      if (!this.#hasJumped) memory.from = start;
      Object.assign(memory, { until: newline, at, mode, isMalformed });
    }
    return isMalformed ? malformed : incomplete;
  }

  #moreSpans(): Int32Array<ArrayBuffer> {
    const more = new Int32Array(2 * this.spans.length);
    more.set(this.spans);
    return (this.spans = more);
  }
}
