import { UsageError } from '../../errors.js';
import { adviceFor } from './advice.js';
import type { Detection, Format, Sample } from './kinds.js';
import { markLength } from '../open-line.js';
import { binaryFormat } from './binary.js';
import { jsonFormat } from './json-documents.js';
import { skipSpace } from './json-value.js';
import { textFormat } from './text-formats.js';

/** An input is not an event file; nothing of it was read. */
export class ForeignFormatError extends UsageError {
  readonly format: Format;

  constructor(format: Format, name: string, isGzip: boolean) {
    super(adviceFor(format, name, isGzip), 'unsupported_format');
    this.format = format;
  }
}

export interface FormatCheck {
  /** The name of the input, for the message. */
  readonly name: string;
  /** Whether the chunks are from inside gzip. */
  readonly isGzip: boolean;
  /** Formats that the caller can read beside NDJSON. */
  readonly accepts: readonly Format[];
}

/**
 * Passes on the same chunks once the first of them show that they may be NDJSON. Waits only for bytes
 * that are needed to know: for a first line that is an object, until its newline.
 *
 * @throws ForeignFormatError before the first chunk is passed on
 */
export async function* refuseForeign(
  source: AsyncIterable<Buffer>,
  { name, isGzip, accepts }: FormatCheck,
): AsyncGenerator<Buffer> {
  const chunks = passOn(source);
  try {
    const { format, held, failure } = await readStart(chunks);
    if (format && !accepts.includes(format)) throw new ForeignFormatError(format, name, isGzip);
    yield* held;
    if (failure) throw failure.cause as Error;
    yield* chunks;
  } finally {
    await chunks.return(undefined);
  }
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
