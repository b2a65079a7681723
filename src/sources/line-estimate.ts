import { open } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { isPlainFile, type Input } from './input.js';
import { readInput } from './read-input.js';
import { LineCounter } from './line-counter.js';

/** Up to this many bytes in total, and this many files, all lines are counted. */
const maxCountedBytes = 4 * 1024 * 1024;
const maxCountedFiles = 200;
/** Else only those in samples, which are spread evenly. */
const samples = 64;
const sampleBytes = 64 * 1024;
/** Of a file that is not plain: a few bytes may become much text. */
const pieceBytes = 1024;
/** What is inflated for one estimate at most, since gzip can make a thousand bytes of one. */
const maxInflatedBytes = 32 * 1024 * 1024;

/** How many lines are in this many bytes on disk. */
interface Sample {
  readonly lines: number;
  readonly bytes: number;
}

/**
 * Estimates how many lines that are not blank these files have, in some milliseconds for any size; exact
 * for small files. Undefined if there is an input whose size is unknown. Never throws.
 */
export async function estimateLines(inputs: readonly Input[]): Promise<number | undefined> {
  if (inputs.some(({ isFile, size }) => !isFile || size === undefined)) return undefined;
  const total = inputs.reduce((sum, { size = 0 }) => sum + size, 0);
  try {
    if (total <= maxCountedBytes && inputs.length <= maxCountedFiles) return await countAll(inputs);
    return await countSamples(inputs, total);
  } catch {
    // The import itself reports errors of the files.
    return undefined;
  }
}

async function countAll(inputs: readonly Input[]): Promise<number> {
  let lines = 0;
  for (const input of inputs) {
    const { size = 0 } = input;
    const sample = isPlainFile(input)
      ? await plainSample(input, 0, size)
      : await textSample(input, size, maxInflatedBytes / inputs.length);
    lines += sample.bytes > 0 ? (sample.lines / sample.bytes) * size : 0;
  }
  return Math.round(lines);
}

/** Of files that are not plain, samples are from the beginning. */
async function countSamples(inputs: readonly Input[], total: number): Promise<number> {
  const texts = new Map<Input, Sample>();
  let lines = 0;
  let bytes = 0;
  for (let i = 0; i < samples; i++) {
    const { input, offset } = placeOf(inputs, Math.floor((total * i) / samples));
    const sample = isPlainFile(input)
      ? await plainSample(input, offset, sampleBytes)
      : (texts.get(input) ?? (await textSample(input, sampleBytes, maxInflatedBytes / samples)));
    if (!isPlainFile(input)) texts.set(input, sample);
    lines += sample.lines;
    bytes += sample.bytes;
  }
  return Math.round((lines / bytes) * total);
}

/** The file at a position of all files together, and the offset in it. */
function placeOf(inputs: readonly Input[], position: number): { input: Input; offset: number } {
  let offset = position;
  for (const input of inputs) {
    if (offset < (input.size ?? 0)) return { input, offset };
    offset -= input.size ?? 0;
  }
  return { input: inputs[0]!, offset: 0 };
}

async function plainSample(input: Input, offset: number, length: number): Promise<Sample> {
  const bytes = await bytesAt(input, offset, length);
  const counter = new LineCounter();
  counter.push(bytes);
  if (offset + bytes.length >= (input.size ?? 0)) counter.end();
  return { lines: counter.lines, bytes: Math.min(length, (input.size ?? 0) - offset) };
}

async function bytesAt({ name }: Input, offset: number, length: number): Promise<Buffer> {
  const file = await open(name);
  try {
    const buffer = Buffer.allocUnsafe(length);
    const { bytesRead } = await file.read(buffer, 0, length, offset);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

/**
 * The lines in the first `length` stored bytes of a file that is not plain, or in as many as become `maxBytes` of
 * text.
 */
async function textSample(input: Input, length: number, maxBytes: number): Promise<Sample> {
  const counter = new LineCounter();
  let rawBytes = 0;
  let textBytes = 0;
  // More is read only when the text of all before was counted.
  let whole: Sample = { lines: 0, bytes: 0 };
  const onRaw = (bytes: number): void => {
    whole = { lines: counter.lines, bytes: rawBytes };
    rawBytes += bytes;
  };
  const none = Readable.from([]);
  try {
    for await (const chunk of readInput(input, none, onRaw, { accepts: [], pieceBytes })) {
      if (whole.bytes >= length) return whole;
      counter.push(chunk);
      textBytes += chunk.length;
      if (textBytes >= maxBytes) return { lines: counter.lines, bytes: rawBytes };
    }
    counter.end();
  } catch {
    // Damaged: the lines before count.
  }
  return { lines: counter.lines, bytes: rawBytes };
}
