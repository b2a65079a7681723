import { createGunzip, type Gunzip } from 'node:zlib';

/** Told by the first bytes, not by the name; RFC 1952 section 2.3.1. */
export function isGzip(start: Buffer): boolean {
  return start[0] === 0x1f && start[1] === 0x8b;
}

/** How much compressed data goes in at once: it can grow a thousandfold. */
const stepBytes = 16 * 1024;

/**
 * Inflates a gzip stream: several members, and zeros behind the last one (padding of tapes and
 * disks). When the data breaks off or is damaged, all that could be inflated has been yielded before
 * the error is thrown; for damage that takes `again`, which opens the same data once more.
 */
export async function* gunzip(
  compressed: AsyncIterable<Buffer>,
  again?: () => AsyncIterable<Buffer>,
): AsyncGenerator<Buffer> {
  const inflater = new Inflater();
  let fed = 0;
  let inflated = 0;
  for await (const step of inSteps(compressed)) {
    for (const bytes of await inflater.push(step)) {
      inflated += bytes.length;
      yield bytes;
    }
    if (inflater.isBroken && again) yield* keptBack(again(), fed, inflated);
    inflater.throwIfBroken();
    fed += step.length;
  }
  yield* await inflater.end();
  inflater.throwIfBroken();
}

async function* inSteps(compressed: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  for await (const chunk of compressed) {
    for (let at = 0; at < chunk.length; at += stepBytes) yield chunk.subarray(at, at + stepBytes);
  }
}

/**
 * What zlib had inflated of the step with the damage, and threw away with it: up to 16 KB. So the
 * data is inflated again, and from that step on byte by byte. `fed` bytes went in before it, and
 * `known` bytes came out in all.
 */
async function* keptBack(
  compressed: AsyncIterable<Buffer>,
  fed: number,
  known: number,
): AsyncGenerator<Buffer> {
  const inflater = new Inflater();
  let at = 0;
  let inflated = 0;
  for await (const step of inSteps(compressed)) {
    const pieces = at < fed ? [step] : Array.from(step, (_byte, i) => step.subarray(i, i + 1));
    for (const piece of pieces) {
      for (const bytes of await inflater.push(piece)) {
        inflated += bytes.length;
        if (inflated > known) yield bytes.subarray(Math.max(0, bytes.length - (inflated - known)));
      }
      if (inflater.isBroken) return;
    }
    at += step.length;
  }
}

/** A stream that is piped drops what it had inflated when it fails; fed by hand, nothing is lost. */
class Inflater {
  readonly #stream: Gunzip = createGunzip();
  #inflated: Buffer[] = [];
  #error: Error | undefined;
  #isOver = false;
  #endStep: (() => void) | undefined;

  constructor() {
    this.#stream.on('data', (chunk: Buffer) => this.#inflated.push(chunk));
    this.#stream.on('error', (error) => {
      this.#error = error;
      this.#endStep?.();
    });
    // Comes at `end()`, and in place of a write's callback where padding begins.
    this.#stream.on('end', () => {
      this.#isOver = true;
      this.#endStep?.();
    });
  }

  async push(chunk: Buffer): Promise<Buffer[]> {
    const before = this.#stream.bytesWritten;
    const inflated = this.#isOver
      ? []
      : await this.#step((done) => this.#stream.write(chunk, done));
    if (this.#isOver) this.#expectPadding(chunk.subarray(this.#stream.bytesWritten - before));
    return inflated;
  }

  async end(): Promise<Buffer[]> {
    return this.#isOver ? [] : this.#step(() => this.#stream.end());
  }

  get isBroken(): boolean {
    return this.#error !== undefined;
  }

  throwIfBroken(): void {
    if (this.#error) throw this.#error;
  }

  /** What stands behind the padding would never be read: an error, not a loss. */
  #expectPadding(rest: Buffer): void {
    if (rest.every((byte) => byte === 0)) return;
    this.#error ??= Object.assign(new Error('data behind the padding'), { code: 'Z_DATA_ERROR' });
  }

  async #step(start: (done: () => void) => void): Promise<Buffer[]> {
    await new Promise<void>((resolve) => {
      this.#endStep = resolve;
      start(resolve);
    });
    const inflated = this.#inflated;
    this.#inflated = [];
    return inflated;
  }
}
