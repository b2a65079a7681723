import type { Event, Problem } from '../events/event.js';
import type { Input } from '../sources/input.js';
import { fileStart, type Line } from '../sources/lines.js';
import { longLine } from '../sources/long-line.js';
import { linesOf, type ReadOptions, type Rest } from '../sources/read.js';
import { Source } from '../sources/source.js';
import type { SingleItemKind } from '../ledger/item-kind.js';
import {
  badHarEntry,
  captureOfEntry,
  isHar,
  maxHarBytes,
  parseHar,
  tooLargeHar,
} from '../sources/formats/har.js';

/** A body of 1 MiB, as `listen` takes it, can need six characters for each byte. */
export const maxCaptureBytes = 8 * 1024 * 1024;
/** Enough to see what a file is. */
const beginningBytes = 1024;
/** HAR is read here; other formats have no captures. */
const capturesOrHar = { accepts: ['har', 'json-object'], decodes: false } as const;
/** Lines parsed at once. */
const batchLines = 16;

type Items = (Event | Problem)[];

/**
 * Reads captures in batches: NDJSON as `listen --record` writes it, plain or gzip, or HAR, of which each
 * entry counts as a line.
 *
 * @throws UsageError when an input is neither
 */
export async function* readCaptures(
  inputs: readonly Input[],
  items: SingleItemKind,
  options: ReadOptions = {},
): AsyncGenerator<Items> {
  for (const [index, input] of inputs.entries()) {
    const rest = options.rest?.(index);
    const source = await openSource(input, rest, options);
    if (source.isHar) yield* readEntries(input, source.source, items, rest);
    else yield* readLines(input, source.source, items, rest, options);
  }
}

interface OpenSource {
  readonly source: Source;
  readonly isHar: boolean;
}

async function openSource(
  input: Input,
  rest: Rest | undefined,
  options: ReadOptions,
): Promise<OpenSource> {
  const source = new Source(input, fileStart, { ...options, ...capturesOrHar });
  if (isHar(await source.beginning(beginningBytes))) return { source, isHar: true };
  if (!input.isFile) return { source, isHar: false };
  await source.close();
  return {
    source: new Source(input, rest?.start ?? fileStart, { ...options, decodes: false }),
    isHar: false,
  };
}

/** Whether an input is a HAR file; pipes are not read. */
export async function isHarFile(input: Input): Promise<boolean> {
  if (!input.isFile) return false;
  const source = new Source(input, fileStart, { ...capturesOrHar });
  try {
    return isHar(await source.beginning(beginningBytes));
  } finally {
    await source.close();
  }
}

async function* readLines(
  input: Input,
  source: Source,
  items: SingleItemKind,
  rest: Rest | undefined,
  options: ReadOptions,
): AsyncGenerator<Items> {
  const reading = { ...options, source, maxLineBytes: maxCaptureBytes };
  for await (const { lines } of linesOf(input, undefined, reading)) {
    const left = lines.filter(
      ({ line, bytes, cutFrom }) => rest?.takes(line, cutFrom ?? bytes.length) ?? true,
    );
    for (let at = 0; at < left.length; at += batchLines) {
      yield left.slice(at, at + batchLines).map((line) => itemOf(line, input.name, items));
    }
  }
}

function itemOf(line: Line, file: string, items: SingleItemKind): Event | Problem {
  if (line.cutFrom !== undefined) return longLine(line, file, maxCaptureBytes);
  const { bytes, offset } = line;
  return items.parseLine(bytes, { file, line: line.line, offset, length: bytes.length });
}

async function* readEntries(
  input: Input,
  source: Source,
  items: SingleItemKind,
  rest: Rest | undefined,
): AsyncGenerator<Items> {
  const entries = parseHar(input.name, await wholeOf(input, source));
  for (const [index, entry] of entries.entries()) {
    const item = itemOfEntry(entry, index + 1, input.name, items);
    if (rest?.takes(item.origin.line, item.origin.length) ?? true) yield [item];
  }
}

function itemOfEntry(
  entry: unknown,
  line: number,
  file: string,
  items: SingleItemKind,
): Event | Problem {
  const found = captureOfEntry(entry, line);
  const bytes = Buffer.from(JSON.stringify('capture' in found ? found.capture : (entry ?? null)));
  const origin = { file, line, offset: line - 1, length: bytes.length };
  if ('capture' in found) return items.parseLine(bytes, origin);
  return { code: badHarEntry, message: found.unusable, origin, bytes, isJson: true };
}

async function wholeOf({ name }: Input, source: Source): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for (let chunk = await source.next(); chunk; chunk = await source.next()) {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes > maxHarBytes) throw tooLargeHar(name);
    }
  } finally {
    await source.close();
  }
  return Buffer.concat(chunks);
}

/** @throws UsageError when a HAR file is damaged, so that nothing of any file is sent then */
export async function checkHar(input: Input): Promise<void> {
  const source = new Source(input, fileStart, { ...capturesOrHar });
  parseHar(input.name, await wholeOf(input, source));
}
