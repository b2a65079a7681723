import { UsageError } from '../../errors.js';
import { adviceFor } from './advice.js';
import { decoderOf, formatFor, type DecodeContext } from './decode.js';
import type { Detection, Format, Sample } from './kinds.js';
import { markLength } from '../open-line.js';
import { binaryFormat } from './binary.js';
import { jsonFormat } from './json-documents.js';
import { skipSpace } from './json-value.js';
import { textFormat } from './text-formats.js';

/** An input is not an event file; nothing of it was read. */
export class ForeignFormatError extends UsageError {
  readonly format: Format;
  /** Whether it is inside gzip or zstd. */
  readonly isCompressed: boolean;

  constructor(format: Format, name: string, isCompressed: boolean) {
    super(adviceFor(format, name, isCompressed), 'unsupported_format');
    this.isCompressed = isCompressed;
    this.format = format;
  }
}

export interface TextOptions extends Omit<DecodeContext, 'start'> {
  /** Whether the chunks are from inside gzip or zstd. */
  readonly isCompressed: boolean;
  /** Formats that the caller reads as they are, beside NDJSON. */
  readonly accepts: readonly Format[];
  /** Whether other known formats are read as NDJSON; else they are refused. */
  readonly decodes: boolean;
  /** Called before the first chunk. */
  readonly onFormat: (format: Format | undefined) => void;
}

/**
 * Passes on the same chunks once the first of them show that they may be NDJSON; those of a format that can be
 * decoded, as NDJSON. Waits only for bytes that are needed to know: for a first line that is an object, until its
 * newline.
 *
 * @throws ForeignFormatError before the first chunk is passed on
 */
export async function* asLines(
  source: AsyncIterable<Buffer>,
  options: TextOptions,
): AsyncGenerator<Buffer> {
  const chunks = passOn(source);
  try {
    const start = await readStart(chunks);
    const format = options.format
      ? formatFor(options.format, start.format, joined(start.held))
      : start.format;
    const isForeign = format !== undefined && !options.accepts.includes(format);
    const decode = isForeign && options.decodes ? decoderOf(format, options) : undefined;
    if (isForeign && !decode)
      throw new ForeignFormatError(format, options.name, options.isCompressed);
    options.onFormat(decode && format);
    const whole = wholeOf(start, chunks);
    if (decode) yield* decode(whole, { ...options, start: joined(start.held) });
    else yield* whole;
  } finally {
    await chunks.return(undefined);
  }
}

async function* wholeOf(
  { held, failure }: Start,
  rest: AsyncGenerator<Buffer>,
): AsyncGenerator<Buffer> {
  yield* held;
  if (failure) throw failure.cause as Error;
  yield* rest;
}

async function* passOn(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  yield* source;
}

/** The first chunks of an input, and what they show. */
interface Start {
  readonly held: readonly Buffer[];
  readonly format?: Format;
  /** The error that ended the input. */
  readonly failure?: { readonly cause: unknown };
}

async function readStart(chunks: AsyncGenerator<Buffer>): Promise<Start> {
  const held: Buffer[] = [];
  const detector = new Detector();
  try {
    for (;;) {
      const next = await chunks.next();
      if (!next.done) held.push(next.value);
      const detection = detector.push(held, next.done === true);
      if (detection !== 'more')
        return { held, ...(detection !== 'unknown' && { format: detection }) };
    }
  } catch (cause) {
    return { held, failure: { cause } };
  }
}

const lineFeed = 0x0a;
/** Above this size a newline alone is no reason to look again. */
const smallBytes = 64 * 1024;

/** Looks at all bytes each time, so it does so only when there are many more, or one more line. */
class Detector {
  #bytes = 0;
  #neededBytes = 0;

  push(chunks: readonly Buffer[], isAll: boolean): Detection {
    const last = chunks.at(-1) ?? Buffer.alloc(0);
    this.#bytes += isAll ? 0 : last.length;
    const hasLine = this.#bytes < smallBytes && last.includes(lineFeed);
    const isDue = isAll || hasLine || this.#bytes >= Math.min(this.#neededBytes, enoughBytes);
    if (!isDue) return 'more';
    this.#neededBytes = 2 * this.#bytes;
    const detection = detectFormat(joined(chunks), isAll);
    return isAll && detection === 'more' ? 'unknown' : detection;
  }
}

/** Most files show it in their first chunk, which need not be copied. */
function joined(chunks: readonly Buffer[]): Buffer {
  return chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks);
}

/** Enough bytes for every decision: the longest line of an event file, with its newline. */
export const enoughBytes = 1024 * 1024 + 2;

/** As much as the header of a tar archive; the signatures of the other formats are shorter. */
const signatureBytes = 512;
const openObject = 0x7b;
const openArray = 0x5b;

/**
 * Detects a format by the first bytes of a file, inflated if it is gzip. A format is named only where
 * the bytes cannot be those of an NDJSON file with some invalid lines, so that no event that could be
 * read is refused.
 *
 * @param isAll whether the file ends after these bytes
 */
export function detectFormat(start: Buffer, isAll: boolean): Detection {
  const isEnough = isAll || start.length >= enoughBytes;
  if (start.length < signatureBytes && !isEnough && !start.includes(lineFeed)) return 'more';
  const detection = binaryFormat(start) ?? contentFormat({ start, isAll, isEnough });
  return detection === 'more' && isEnough ? 'unknown' : detection;
}

function contentFormat(sample: Sample): Detection {
  const { start } = sample;
  const at = skipSpace(start, markLength(start, true));
  const first = start[at];
  if (first === undefined) return 'more';
  return first === openObject || first === openArray
    ? jsonFormat(sample, at)
    : textFormat(sample, at);
}
