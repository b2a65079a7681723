import { open } from 'node:fs/promises';
import { createGunzip } from 'node:zlib';
import { isGzipFile, type Input } from './input.js';
import { LineCounter } from './line-counter.js';

/** Up to this many bytes in total, and this many files, all lines are counted. */
const maxCountedBytes = 4 * 1024 * 1024;
const maxCountedFiles = 200;
/** Else only those in samples, which are spread evenly. */
const samples = 64;
const sampleBytes = 64 * 1024;
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
    const sample = isGzipFile(input)
      ? await inflatedSample(input, size, maxInflatedBytes / inputs.length)
      : await plainSample(input, 0, size);
    lines += sample.bytes > 0 ? (sample.lines / sample.bytes) * size : 0;
  }
  return Math.round(lines);
}

/** Of gzip files, samples are from the beginning, since nothing else can be inflated. */
async function countSamples(inputs: readonly Input[], total: number): Promise<number> {
  const inflated = new Map<Input, Sample>();
  let lines = 0;
  let bytes = 0;
  for (let i = 0; i < samples; i++) {
    const { input, offset } = placeOf(inputs, Math.floor((total * i) / samples));
    const sample = isGzipFile(input)
      ? (inflated.get(input) ??
        (await inflatedSample(input, sampleBytes, maxInflatedBytes / samples)))
      : await plainSample(input, offset, sampleBytes);
    if (isGzipFile(input)) inflated.set(input, sample);
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

/** The lines in the first `length` bytes of a gzip file, or in as many as become `maxBytes` of text. */
async function inflatedSample(input: Input, length: number, maxBytes: number): Promise<Sample> {
  const bytes = await bytesAt(input, 0, length);
  const counter = new LineCounter();
  const gunzip = createGunzip();
  let inflatedBytes = 0;
  return new Promise((resolve) => {
    gunzip.on('data', (chunk: Buffer) => {
      counter.push(chunk);
      inflatedBytes += chunk.length;
      if (inflatedBytes >= maxBytes) gunzip.destroy();
    });
    gunzip.on('end', () => counter.end());
    // A part of a file ends too early.
    gunzip.on('error', () => undefined);
    gunzip.on('close', () => resolve({ lines: counter.lines, bytes: gunzip.bytesWritten }));
    gunzip.end(bytes);
  });
}
