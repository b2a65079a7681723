import { UsageError } from '../../errors.js';
import { adviceFor } from './advice.js';
import { detectFormat, enoughBytes } from './detect.js';
import type { Detection, Format } from './kinds.js';

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
