import { badHarEntry, captureOfEntry, isHar, maxHarBytes, parseHar, tooLargeHar } from './har.js';
import { rejectedLine } from './rejected-line.js';

export interface HarOptions {
  /**
   * Whether the input is known to be a HAR file; otherwise it is one only if `log` is its first member. Default false.
   */
  readonly isKnown?: boolean;
  /** Called before the lines of a HAR file. */
  readonly onHar?: () => void;
}

/**
 * The chunks as they are, but a line for each entry of a HAR file: its capture, or a `rejectedLine`.
 *
 * @param name for messages
 * @throws UsageError when a HAR file is damaged, or too large to be parsed
 */
export async function* harAsLines(
  chunks: AsyncIterable<Buffer>,
  name: string,
  { isKnown = false, onHar }: HarOptions = {},
): AsyncGenerator<Buffer> {
  const held: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of chunks) {
    if (bytes === 0 && !isKnown && !isHar(chunk)) {
      yield chunk;
      yield* chunks;
      return;
    }
    held.push(chunk);
    bytes += chunk.length;
    if (bytes > maxHarBytes) throw tooLargeHar(name);
  }
  if (bytes === 0) return;
  onHar?.();
  for (const [index, entry] of parseHar(name, Buffer.concat(held)).entries()) {
    const found = captureOfEntry(entry, index + 1);
    const line =
      'capture' in found
        ? Buffer.from(JSON.stringify({ ...found.capture, path: urlOf(entry) }))
        : rejectedLine(
            { code: badHarEntry, message: found.unusable },
            Buffer.from(JSON.stringify(entry)),
          );
    yield Buffer.concat([line, newline]);
  }
}

const newline = Buffer.from('\n');

/** As it was called, which some schemes sign; a capture has only its path. */
function urlOf(entry: unknown): string {
  const { request } = entry as { readonly request: { readonly url: string } };
  return request.url.replace(/#.*/s, '').replace(/^(https?:\/\/)[^/?]*@/i, '$1');
}
